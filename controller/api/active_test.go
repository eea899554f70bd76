package api

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// golden compares a body with a file, and writes the file if UPDATE is set.
func golden(t *testing.T, name, body string) {
	t.Helper()
	path := "testdata/" + name
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), body)
}

func TestAnswersAreTheGoldenOnes(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	v.set(nobody("doge"))
	a := newAPI(t, v, Options{})
	strangers := newAPI(t, v, Options{Trusted: func(*http.Request) bool { return false }})
	for _, c := range []struct {
		file, path string
		api        *API
		status     int
	}{
		{"active_btc.json", "/active/btc", a, 200},
		{"active_btc_public.json", "/active/btc", strangers, 200},
		{"active_none.json", "/active/doge", a, 503},
		{"active_capability_none.json", "/active/btc?capability=archive", a, 503},
		{"active.json", "/active", a, 200},
		{"active_capability.json", "/active?capability=archive", a, 200},
		{"active_public.json", "/active", strangers, 200},
		{"providers.json", "/thorchain/providers", a, 200},
		{"providers_btc_public.json", "/thorchain/providers/btc", strangers, 200},
		{"providers_unhealthy.json", "/thorchain/providers/btc?status=unhealthy,recovering", a, 200},
		{"health.json", "/health", a, 503},
		{"problem.json", "/active/nope", a, 404},
	} {
		w := get(c.api, c.path)
		require.Equal(t, c.status, w.Code, c.file)
		golden(t, c.file, w.Body.String())
	}
}

func TestActiveAsTextIsTheAddressAlone(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	w := get(a, "/active/btc", "Accept", "text/plain")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, address("local-daemon.example")+"\n", w.Body.String())
	require.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	v.set(nobody("btc"))
	w = get(a, "/active/btc", "Accept", "text/plain")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Empty(t, w.Body.String())
}

func TestTheFormIsWhatTheCallerPrefers(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{})
	for accept, text := range map[string]bool{
		"":                                       false,
		"*/*":                                    false,
		"application/json":                       false,
		"text/plain":                             true,
		"TEXT/Plain; charset=utf-8":              true,
		"text/*":                                 true,
		"text/plain, */*;q=0.1":                  true,
		"text/plain, */*":                        true,
		"application/json, text/plain, */*":      false,
		"text/plain;q=0.5, application/json":     false,
		"text/plain;q=0.5, application/json;q=0": true,
		"application/*;q=0.4,text/plain; q=0.5":  true,
		"text/plain;q=0":                         false,
		"text/plain;q=0, application/json;q=0":   false,
		"text/plain;q=NaN":                       false,
		"text/plain;q=2":                         false,
		"text/html":                              false,
		"text/*;q=0.9, text/plain;q=0.1, application/json;q=0.5": false,
		";;;,,,q=": false,
	} {
		w := get(a, "/active/btc", "Accept", accept)
		require.Equal(t, http.StatusOK, w.Code, accept)
		require.Equal(t, text, w.Header().Get("Content-Type") == "text/plain; charset=utf-8", accept)
		require.Contains(t, w.Header().Get("Vary"), "Accept", accept)
	}
}

func TestHeadHasTheHeaderOfGetAndNoBody(t *testing.T) {
	t.Parallel()
	server := newServer(t, newAPI(t, newFakeView(), Options{}))
	for _, path := range []string{"/active", "/active/btc", "/events", "/thorchain/providers", "/thorchain/providers/btc", "/health", "/-/healthy", "/-/ready", "/openapi.yaml"} {
		response, err := server.Client().Head(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, path)
		if path == "/active/btc" {
			require.Positive(t, response.ContentLength)
			require.Equal(t, "42", response.Header.Get("X-Understudy-Index"))
		}
	}
}

func TestWhoHasTheAnswerGets304(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	for _, path := range []string{"/active/btc", "/active", "/active/btc?capability=wallet", "/active?capability=wallet"} {
		first := get(a, path)
		tag := first.Header().Get("ETag")
		require.Contains(t, tag, `W/"`)
		for _, known := range []string{tag, `"other", ` + tag, tag[len("W/"):], "*"} {
			w := get(a, path, "If-None-Match", known)
			require.Equal(t, http.StatusNotModified, w.Code, "%s %s", path, known)
			require.Empty(t, w.Body.String())
			require.Equal(t, tag, w.Header().Get("ETag"))
			require.Equal(t, first.Header().Get("X-Understudy-Index"), w.Header().Get("X-Understudy-Index"))
			require.NotEmpty(t, w.Header().Get("Vary"))
		}
		require.Equal(t, http.StatusOK, get(a, path, "If-None-Match", `W/"1"`).Code)
		v.set(active("btc", "blockchair"))
		require.Equal(t, http.StatusOK, get(a, path, "If-None-Match", tag).Code, path)
	}
}

func TestThatNoExporterAnswersAnyMoreIsNewsWithoutAnIndex(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	for _, path := range []string{"/active/btc", "/active", "/active/btc?capability=wallet", "/active?capability=wallet"} {
		tag := get(a, path).Header().Get("ETag")
		v.blind(true)
		w := get(a, path, "If-None-Match", tag)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Contains(t, w.Body.String(), `"stale":true`)
		require.Equal(t, http.StatusNotModified, get(a, path, "If-None-Match", w.Header().Get("ETag")).Code, path)
		v.blind(false)
		require.Equal(t, http.StatusOK, get(a, path, "If-None-Match", w.Header().Get("ETag")).Code, path)
	}
}

func TestATagOfOneFormIsNoneOfAnother(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	known, strange := newAPI(t, v, Options{}), newAPI(t, v, Options{Trusted: func(*http.Request) bool { return false }})
	tags := map[string]bool{}
	for _, a := range []*API{known, strange} {
		for _, accept := range []string{"application/json", "text/plain"} {
			tags[get(a, "/active/btc", "Accept", accept).Header().Get("ETag")] = true
		}
	}
	require.Len(t, tags, 4)
}

func TestNobodyServingIs503WhateverTheCallerHas(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	v.set(nobody("btc"))
	a := newAPI(t, v, Options{})
	w := get(a, "/active/btc", "If-None-Match", get(a, "/active/btc").Header().Get("ETag"))
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, wire.StateNone, decoded[wire.Active](t, w).State)
}

func TestAnswersFollowTheView(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	require.EqualValues(t, 884213, *decoded[wire.Active](t, get(a, "/active/btc")).Height)
	before := v.rendered
	get(a, "/active/btc")
	require.Equal(t, before, v.rendered, "an unchanged answer is not made again")

	v.grow("btc", 884214)
	require.EqualValues(t, 884214, *decoded[wire.Active](t, get(a, "/active/btc")).Height, "a height changes without the index")
	require.EqualValues(t, 884214, *decoded[wire.ActiveList](t, get(a, "/active")).Chains[0].Height)

	v.set(active("ltc", "litecoind"))
	require.Len(t, decoded[wire.ActiveList](t, get(a, "/active")).Chains, 3)
	v.remove("btc")
	problemOf(t, get(a, "/active/btc"), http.StatusNotFound)
	require.NotContains(t, *a.pages.chains.Load(), "btc", "what is gone takes no memory")
	require.Len(t, decoded[wire.ActiveList](t, get(a, "/active")).Chains, 2)
	v.set(active("btc", "local-daemon"))
	require.Equal(t, http.StatusOK, get(a, "/active/btc").Code, "a chain may come back")
}

func TestUnknownChainsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{})
	get(a, "/active/btc")
	for _, chain := range []string{"x", "y", "%62tc%20", "..%2f..%2fetc"} {
		problemOf(t, get(a, "/active/"+chain), http.StatusNotFound)
	}
	require.Len(t, *a.pages.chains.Load(), 1)
	require.Equal(t, http.StatusOK, get(a, "/active/%62tc").Code, "a path may be escaped")
}

func TestBadQueriesAreRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(t, newFakeView(), Options{})
	for _, query := range []string{
		"index=", "index=-1", "index=x", "index=1.5", "index=99999999999999999999", "wait=", "wait=x", "wait=-1s", "wait=-1", "wait=NaN",
		"wait=inf", "wait=1e3", "wait=0x10", "wait=1..2", "wait=1%20s", "%zz",
	} {
		problemOf(t, get(a, "/active/btc?"+query), http.StatusBadRequest)
		problemOf(t, get(a, "/active?"+query), http.StatusBadRequest)
	}
	for _, query := range []string{"index=1", "wait=30s", "wait=500ms", "wait=2m", "wait=1d", "wait=1.5h", "wait=5", "wait=0.5", "wait=0", "other=1"} {
		require.Equal(t, http.StatusOK, get(a, "/active/btc?"+query).Code, query)
	}
	problemOf(t, get(a, "/thorchain/providers?status=ill"), http.StatusBadRequest)
	problemOf(t, get(a, "/thorchain/providers/btc?%zz"), http.StatusBadRequest)
	problemOf(t, get(a, "/events?index=x"), http.StatusBadRequest)
}

func TestWhoHasACapabilityMayChangeWithoutTheIndex(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{})
	for _, path := range []string{"/active/btc?capability=wallet", "/active?capability=wallet"} {
		tag := get(a, path).Header().Get("ETag")
		v.change(func() {
			refuted := v.actives["btc"]
			refuted.Capabilities = nil
			v.actives["btc"] = refuted
		}, "btc")
		require.NotEqual(t, http.StatusNotModified, get(a, path, "If-None-Match", tag).Code, path)
		v.set(active("btc", "local-daemon"))
	}
}
