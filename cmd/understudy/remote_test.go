package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// answersOf is where the answers of controllers stand that tests share.
const answersOf = "../../controller/console/testdata"

// fakeController answers as a controller does, with what stands in testdata.
type fakeController struct {
	*httptest.Server
	mu sync.Mutex
	// index is that of /active.
	index uint64
	// chains are the answers about chains by name.
	chains map[string]wire.Chain
	// orders are the orders that came in: method, path and body.
	orders []string
	// token is what orders need; empty: nothing.
	token string
	// notReady is what /-/ready says; empty: it is.
	notReady string
}

// controllerWith is a controller of the chains in these files.
func controllerWith(t *testing.T, names ...string) *fakeController {
	t.Helper()
	f := &fakeController{index: 42, chains: map[string]wire.Chain{}}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(answersOf, name+".json"))
		require.NoError(t, err)
		var c wire.Chain
		require.NoError(t, json.Unmarshal(text, &c))
		f.chains[c.Chain] = c
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sub/active", f.active)
	mux.HandleFunc("GET /sub/thorchain/providers", f.all)
	mux.HandleFunc("GET /sub/thorchain/providers/{chain}", f.one)
	mux.HandleFunc("/sub/thorchain/providers/{chain}/{rest...}", f.order)
	mux.HandleFunc("GET /sub/-/healthy", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Understudy is healthy.\n") })
	mux.HandleFunc("GET /sub/-/ready", f.ready)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

// flag is the address of the controller as a flag.
func (f *fakeController) flag() string { return "--controller.url=" + f.URL + "/sub" }

// change sets what it answers from now on.
func (f *fakeController) change(to func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to()
}

func sendAs(w http.ResponseWriter, status int, mediaType string, value any) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (f *fakeController) active(w http.ResponseWriter, r *http.Request) {
	for index := r.URL.Query().Get("index"); ; {
		f.mu.Lock()
		list := wire.ActiveList{Index: f.index}
		f.mu.Unlock()
		if text, _ := json.Marshal(list.Index); index != string(text) {
			sendAs(w, http.StatusOK, "application/json", list)
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func (f *fakeController) all(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := wire.ChainList{Chains: []wire.Chain{}}
	for _, name := range []string{"btc", "eth", "ltc", "sol"} {
		if c, ok := f.chains[name]; ok {
			list.Chains = append(list.Chains, c)
		}
	}
	sendAs(w, http.StatusOK, "application/json", list)
}

func (f *fakeController) one(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.chains[r.PathValue("chain")]
	if !ok {
		sendAs(w, http.StatusNotFound, "application/problem+json", wire.Problem{Title: "Not Found", Status: 404, Detail: `Chain "` + r.PathValue("chain") + `" is not configured.`})
		return
	}
	sendAs(w, http.StatusOK, "application/json", c)
}

// order takes any order, but for a provider that is called unknown.
func (f *fakeController) order(w http.ResponseWriter, r *http.Request) {
	if f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token {
		sendAs(w, http.StatusUnauthorized, "application/problem+json", wire.Problem{Title: "Unauthorized", Status: 401, Detail: "Orders need the admin token."})
		return
	}
	if strings.HasPrefix(r.PathValue("rest"), "unknown/") {
		sendAs(w, http.StatusNotFound, "application/problem+json", wire.Problem{Title: "Not Found", Status: 404, Detail: `Chain "btc" has no provider "unknown".`})
		return
	}
	body, _ := io.ReadAll(r.Body)
	f.change(func() { f.orders = append(f.orders, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body))) })
	f.one(w, r)
}

func (f *fakeController) ready(w http.ResponseWriter, _ *http.Request) {
	if f.notReady != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, f.notReady)
		return
	}
	_, _ = io.WriteString(w, "Understudy is ready.\n")
}

// remoteCommands are the commands that ask a controller, each with what it needs.
var remoteCommands = [][]string{
	{"status"}, {"status", "btc"}, {"status", "--watch"}, {"explain", "btc"}, {"drain", "btc/a"}, {"undrain", "btc/a"},
	{"pin", "btc/a"}, {"unpin", "btc"}, {"failback", "btc"}, {"healthcheck"},
}

func TestCommandsSayWhatToDoWhenNobodyAnswers(t *testing.T) {
	t.Parallel()
	for _, args := range remoteCommands {
		r := call(nil, append(args, "--controller.url=http://u:PASSSECRET2@127.0.0.1:1/PATHSECRET3")...)
		want := exitUsage
		if args[0] == "healthcheck" {
			want = exitFailed
		}
		require.Equal(t, want, r.status, args)
		require.Empty(t, r.stdout)
		require.Contains(t, r.stderr, "http://127.0.0.1:1 does not answer")
		require.Contains(t, r.stderr, "is the controller running")
		require.Contains(t, r.stderr, "--controller.url")
		requireNoSecret(t, strings.Join(args, " "), r.stderr)
	}
}

func TestCommandsSayWhatToDoWhenSomethingElseAnswers(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"a page":            func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no such page":      http.NotFound,
		"a page elsewhere":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"a gateway's error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
	} {
		server := httptest.NewServer(handler)
		for _, args := range remoteCommands {
			if args[0] == "healthcheck" {
				continue
			}
			r := call(nil, append(args, "--controller.url="+server.URL)...)
			require.Equal(t, exitUsage, r.status, "%s: %s", name, args)
			require.Contains(t, r.stderr, "is --controller.url the address of a controller", name)
		}
		server.Close()
	}
}

func TestCommandsSayWhatToDoWithoutCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	}))
	defer server.Close()
	for _, args := range remoteCommands {
		r := call(nil, append(args, "--controller.url="+server.URL)...)
		require.NotEqual(t, exitOK, r.status, args)
		require.Contains(t, r.stderr, "401 Unauthorized; give a token with --controller.token-file")
	}
}

func TestFlagsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flag, says string }{
		{"--controller.url=ftp://h", "it needs the scheme http or https"},
		{"--controller.token-file=gone", "the token file: open gone: no such file"},
		{"--controller.http-config-file=gone", "the HTTP client configuration gone"},
		{"--timeout=0s", "--timeout must be above zero"},
	} {
		r := call(nil, "healthcheck", c.flag)
		require.Equal(t, exitUsage, r.status, c.flag)
		require.Contains(t, r.stderr, c.says)
	}
}

func TestHelpDoesNotShowTheAddressInTheEnvironment(t *testing.T) {
	t.Parallel()
	r := call([]string{"UNDERSTUDY_CONTROLLER_URL=http://u:PASSSECRET2@h/PATHSECRET3"}, "status", "--help")
	require.Equal(t, exitOK, r.status)
	require.Contains(t, r.stdout, "http://127.0.0.1:9477")
	requireNoSecret(t, "help", r.stdout)
}

func TestStatusShowsChainsAsTable(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover", "orders")
	r := call(nil, "status", f.flag())
	require.Equal(t, exitOK, r.status, r.stderr)
	require.Contains(t, r.stdout, "* btc/local-daemon")
	require.Contains(t, r.stdout, "ltc/a")
	require.NotContains(t, r.stdout, "\x1b", "it is not a terminal")
	requireNoSecret(t, "status", r.stdout)
	require.Equal(t, r.stdout, call(nil, "status", f.flag(), "--format=text").stdout)

	r = call([]string{"UNDERSTUDY_CONTROLLER_URL=" + f.URL + "/sub/"}, "status", "btc")
	require.Equal(t, exitOK, r.status, r.stderr)
	require.NotContains(t, r.stdout, "ltc/a")
}

func TestStatusFailsWhenNobodyServes(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover", "nobody", "split")
	for _, args := range [][]string{{"status"}, {"status", "eth"}, {"status", "--format=json"}} {
		require.Equal(t, exitFailed, call(nil, append(args, f.flag())...).status, args)
	}
	require.Equal(t, exitOK, call(nil, "status", "sol", f.flag()).status, "degraded is served")
	r := call(nil, "status", "doge", f.flag())
	require.Equal(t, exitUsage, r.status)
	require.Equal(t, "understudy: Not Found: Chain \"doge\" is not configured.\n", r.stderr)
}

func TestStatusAsJSONIsTheAnswerWithoutSecrets(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover", "orders")
	r := call(nil, "status", "--format=json", f.flag())
	require.Equal(t, exitOK, r.status, r.stderr)
	requireNoSecret(t, "status", r.stdout)
	var list wire.ChainList
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &list))
	require.Len(t, list.Chains, 2)
	require.Equal(t, "https://quicknode.example", list.Chains[0].Providers[0].RPCHost)

	var one wire.Chain
	require.NoError(t, json.Unmarshal([]byte(call(nil, "status", "btc", "--format=json", f.flag()).stdout), &one))
	want := f.chains["btc"]
	want.Providers = one.Providers
	require.Equal(t, want, one)
}

func TestExplainTellsWhoServesAndWhy(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover", "nobody")
	r := call(nil, "explain", "btc", f.flag())
	require.Equal(t, exitOK, r.status, r.stderr)
	for _, words := range []string{"btc: ok, local-daemon serves since", "Why:", "ProviderDown (down), counts", "What would happen next"} {
		require.Contains(t, r.stdout, words)
	}
	requireNoSecret(t, "explain", r.stdout)
	require.Equal(t, exitOK, call(nil, "explain", "eth", f.flag()).status, "an explanation of an outage is one")
	require.Equal(t, exitUsage, call(nil, "explain", "doge", f.flag()).status)
	require.Equal(t, exitUsage, call(nil, "explain", f.flag()).status)
}

func TestOrdersAreSentAndTheOutcomeShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args        []string
		order, says string
	}{
		{[]string{"drain", "btc/quicknode", "--reason=vendor ticket 123", "--for=2h"}, `PUT /sub/thorchain/providers/btc/quicknode/drain {"reason":"vendor ticket 123","for":"2h"}`, "Drained btc/quicknode for 2h."},
		{[]string{"drain", "btc/quicknode"}, `PUT /sub/thorchain/providers/btc/quicknode/drain {}`, "Drained btc/quicknode."},
		{[]string{"undrain", "btc/quicknode"}, `DELETE /sub/thorchain/providers/btc/quicknode/drain`, "btc/quicknode is not drained any more."},
		{[]string{"pin", "btc/quicknode", "--for=1d"}, `PUT /sub/thorchain/providers/btc/pin {"provider":"quicknode","for":"1d"}`, "Pinned btc/quicknode for 1d."},
		{[]string{"unpin", "btc"}, `DELETE /sub/thorchain/providers/btc/pin`, "btc is not pinned any more."},
		{[]string{"failback", "btc"}, `POST /sub/thorchain/providers/btc/failback`, "Agreed to the failback of btc."},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			f := controllerWith(t, "failover")
			r := call(nil, append(c.args, f.flag())...)
			require.Equal(t, exitOK, r.status, r.stderr)
			require.Equal(t, []string{c.order}, f.orders)
			require.Contains(t, r.stdout, c.says)
			require.Contains(t, r.stdout, "* btc/local-daemon", "the chain as it is then")
		})
	}
}

func TestOrdersThatAreRefused(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover")
	f.token = "TOKEN1"
	token := "--controller.token-file=" + file(t, "token", "TOKEN1\n")
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"by the controller", []string{"drain", "btc/unknown", token}, exitFailed, `Not Found: Chain "btc" has no provider "unknown".`},
		{"for want of a token", []string{"drain", "btc/quicknode"}, exitUsage, "Unauthorized: Orders need the admin token; give a token with --controller.token-file"},
		{"for a wrong token", []string{"unpin", "btc", "--controller.token-file=" + file(t, "token", "TOKEN2")}, exitUsage, "--controller.token-file"},
		{"without a provider", []string{"pin", "btc"}, exitUsage, `pin takes CHAIN/PROVIDER, such as btc/quicknode, and "btc" is not that`},
		{"without a chain", []string{"undrain", "/a"}, exitUsage, "undrain takes CHAIN/PROVIDER"},
		{"with a provider too much", []string{"unpin", "btc/quicknode"}, exitUsage, "unpin takes a chain without a provider: understudy unpin btc"},
		{"for a time that is none", []string{"drain", "btc/quicknode", "--for=soon"}, exitUsage, `--for: "soon" is not a duration; 30m, 2h30m and 1d are`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := call(nil, append(c.args, f.flag())...)
			require.Equal(t, c.status, r.status)
			require.Contains(t, r.stderr, c.says)
			require.NotContains(t, r.stderr, "TOKEN")
			require.Empty(t, f.orders)
		})
	}
	require.Equal(t, exitOK, call(nil, "drain", "btc/quicknode", token, f.flag()).status)
	require.Len(t, f.orders, 1)
}

func TestHealthcheckIsZeroOnlyWhenAllIsWell(t *testing.T) {
	t.Parallel()
	f := controllerWith(t)
	r := call(nil, "healthcheck", f.flag())
	require.Equal(t, exitOK, r.status)
	require.Equal(t, "Understudy is healthy.\n", r.stdout)
	require.Equal(t, exitOK, call(nil, "healthcheck", "--ready", f.flag()).status)

	f.notReady = "Not ready: btc was not probed.\nNot ready: \x1b[2J.\n"
	require.Equal(t, exitOK, call(nil, "healthcheck", f.flag()).status, "it is well all the same")
	r = call([]string{"UNDERSTUDY_READY=true"}, "healthcheck", f.flag())
	require.Equal(t, exitFailed, r.status)
	require.Equal(t, "Not ready: btc was not probed.\nNot ready: \uFFFD[2J.\n", r.stdout)
	f.notReady = "\n"
	require.Contains(t, call(nil, "healthcheck", "--ready", f.flag()).stdout, f.URL+" says no and gives no reason")
	require.Equal(t, exitFailed, call(nil, "healthcheck", "--controller.url="+f.URL+"/elsewhere").status)
}

func TestHealthcheckWorksWithAnExporter(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	p := start(t, nil, "--config.file="+path)
	p.ready()
	r := call(nil, "healthcheck", "--ready", "--controller.url=http://"+p.address)
	require.Equal(t, exitOK, r.status, r.stderr+r.stdout)
}
