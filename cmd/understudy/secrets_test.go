package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// markers stand in every place of a provider's configuration that can hold a
// secret.
var markers = []string{
	"USERSECRET1", "PASSSECRET2", "PATHSECRET3", "QUERYSECRET4", "BEARERSECRET5", "HEADERSECRET6", "BASICSECRET7", "BIFROSTSECRET8",
	"ALERTMANAGERSECRET9", "WEBHOOKSECRET10", "ADMINSECRET11",
}

// secretive describes a chain whose providers have secrets everywhere. Each
// fails in another way, and two repeat the keys that they were given.
func secretive(t *testing.T) (string, []*simulator.Provider) {
	t.Helper()
	chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM})
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	echo := "invalid api key PATHSECRET3 QUERYSECRET4, Bearer BEARERSECRET5"
	echoed := "invalid api key PATHSECRET3 for USERSECRET1:PASSSECRET2, HEADERSECRET6"
	faults := []simulator.Behaviour{
		{},
		{Mode: simulator.ModeHang}, {Mode: simulator.ModeReset}, {Mode: simulator.ModeRefuse}, {Mode: simulator.ModeTruncate},
		{Respond: &simulator.Answer{Status: 401, Body: echo}},
		{Respond: &simulator.Answer{Status: 200, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"` + echoed + `"}}`}},
		{Respond: &simulator.Answer{Status: 302, Header: map[string]string{"Location": "http://elsewhere.invalid/PATHSECRET3"}}},
	}
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    observed_height: {thornode_url: \"http://u:BIFROSTSECRET8@127.0.0.1:1/BIFROSTSECRET8\"}\n")
	b.WriteString("    failover: {health_check_interval: 200ms, suspect_check_interval: 50ms, error_window: 2s, integrity: {interval: 200ms}}\n    providers:\n")
	var providers []*simulator.Provider
	for i, fault := range faults {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: fmt.Sprint("p", i), Type: config.EVMRPC, Behaviour: fault})
		address, err := server.Listen(p)
		require.NoError(t, err)
		u, err := url.Parse(address)
		require.NoError(t, err)
		u.User = url.UserPassword("USERSECRET1", "PASSSECRET2")
		u.Path, u.RawQuery = "/v2/PATHSECRET3", "key=QUERYSECRET4"
		credentials := "http_headers: {X-Key: {secrets: [HEADERSECRET6]}}"
		if i%2 == 1 {
			u.User = nil
			credentials = []string{
				"authorization: {credentials: BEARERSECRET5}", "basic_auth: {username: u, password: BASICSECRET7}",
			}[i/2%2]
		}
		fmt.Fprintf(&b, "      - {name: p%d, type: evm-rpc, rpc_host: %q, http: {%s}}\n", i, u, credentials)
		providers = append(providers, p)
	}
	return file(t, "understudy.yml", b.String()), providers
}

// requireNoSecret fails if a marker stands in a text.
func requireNoSecret(t *testing.T, where, text string) {
	t.Helper()
	require.NotEmptyf(t, text, "%s says nothing, so that this proves nothing", where)
	for _, m := range markers {
		require.NotContainsf(t, text, m, "the secret %s stands in %s", m, where)
	}
}

func TestNoSecretLeavesByAnyCommandPageOrLog(t *testing.T) {
	t.Parallel()
	path, providers := secretive(t)
	for _, args := range [][]string{
		{"check", "config", path}, {"probe", "eth"}, {"probe", "eth", "--format=json"}, {"probe", "eth/p5"},
	} {
		if args[0] == "probe" {
			args = append(args, "--config.file="+path, "--timeout=5s")
		}
		r := call(nil, args...)
		requireNoSecret(t, strings.Join(args[:2], " "), r.stdout+r.stderr)
	}

	p := start(t, nil, "--config.file="+path, "--log.level=debug", "--web.enable-pprof")
	p.ready()
	p.eventually(func() bool {
		_, page := p.get("/metrics")
		return strings.Contains(page, `reason="unauthorized"} 3`) || strings.Contains(page, `reason="unauthorized"} 4`)
	}, "failures have happened")
	pages := []string{"/", "/metrics", "/config", "/-/ready", "/-/healthy", "/debug/pprof/goroutine?debug=2"}
	for i := range providers {
		pages = append(pages, fmt.Sprintf("/probe?chain=eth&provider=p%d&debug=true&force=true", i), fmt.Sprintf("/probe?chain=eth&provider=p%d&force=true", i))
	}
	for _, page := range pages {
		_, text := p.get(page)
		requireNoSecret(t, page, text)
	}
	// A configuration that is refused repeats nothing of what it holds either.
	text := "chains:\n  eth:\n    providers:\n      - {name: a, type: evm-rpc, rpc_host: \"gopher://USERSECRET1:PASSSECRET2@h/PATHSECRET3?k=QUERYSECRET4\", http: {basic_auth: {password: BASICSECRET7}, authorization: {credentials: BEARERSECRET5}}}\n"
	r := call(nil, "check", "config", file(t, "bad.yml", text))
	require.Equal(t, exitFailed, r.status)
	requireNoSecret(t, "the mistakes", r.stderr)
	requireNoSecret(t, "the log", p.log.String())
}

// TestNoSecretLeavesRun looks at what the whole program shows to those who may not
// see addresses, at its log, and at what it leaves on disk.
func TestNoSecretLeavesRun(t *testing.T) {
	t.Parallel()
	path, providers := secretive(t)
	storage := filepath.Join(t.TempDir(), "data")
	p := startCommand(t, "run", []string{"UNDERSTUDY_STORAGE_PATH=" + storage}, "--config.file="+path,
		"--log.level=debug", "--web.enable-pprof",
		"--alertmanager.url=http://u:ALERTMANAGERSECRET9@127.0.0.1:1/ALERTMANAGERSECRET9",
		"--web.webhook-token-file="+file(t, "webhook", "WEBHOOKSECRET10"),
		"--web.admin-token-file="+file(t, "admin", "ADMINSECRET11"))
	p.ready()
	p.fires("p5", "ProviderUnauthorized", true)
	pages := []string{
		"/", "/metrics", "/alerts", "/config", "/heads", "/health", "/openapi.yaml", "/-/ready", "/-/healthy",
		"/debug/pprof/goroutine?debug=2", "/debug/pprof/cmdline", "/nothing",
	}
	for i := range providers {
		pages = append(pages, fmt.Sprintf("/probe?chain=eth&provider=p%d&debug=true&force=true", i))
	}
	for _, page := range pages {
		_, text := p.get(page)
		requireNoSecret(t, page, withoutFlags(page, text))
	}
	for page, body := range map[string]string{
		"/rpc/eth": `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}`, "/webhooks/alertmanager": `{}`, "/-/reload": "",
	} {
		_, text := p.do(http.MethodPost, page, body)
		requireNoSecret(t, page, text)
	}
	// A refused reload says why.
	require.NoError(t, os.WriteFile(path, []byte("chains: {eth: {providers: [{name: a, type: evm-rpc, rpc_host: \"ws://USERSECRET1:PASSSECRET2@h:x/PATHSECRET3\"}]}}\n"), 0o600))
	p.token = "ADMINSECRET11"
	status, text := p.do(http.MethodPost, "/-/reload", "")
	require.Equal(t, http.StatusInternalServerError, status)
	requireNoSecret(t, "the refused reload", text)
	require.Equal(t, exitOK, p.stop(os.Interrupt))
	requireNoSecret(t, "the log", p.log.String())
	require.NoError(t, filepath.WalkDir(storage, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		requireNoSecret(t, path, "file: "+string(text))
		return err
	}))
}

// withoutFlags leaves out of a page of profiles what the caller of the program
// wrote on its command line.
func withoutFlags(page, text string) string {
	if !strings.HasPrefix(page, "/debug/pprof/cmdline") {
		return text
	}
	return "flags: " + strings.ReplaceAll(text, "ALERTMANAGERSECRET9", "")
}

// TestNoSecretOfARuleFileIsRepeated has a rule file with an address that holds a
// password, and mistakes beside it.
func TestNoSecretOfARuleFileIsRepeated(t *testing.T) {
	t.Parallel()
	own := file(t, "own.yml", `groups:
  - name: own
    rules:
      - alert: A
        expr: bifrost_provider_uq == 0
        labels: {failover: "true", wiki: "http://u:PASSSECRET2@wiki"}
        annotations:
          runbook_url: https://USERSECRET1:PASSSECRET2@wiki/PATHSECRET3
          summary: 'see https://u:BASICSECRET7@wiki {{ $labels.nothing }}'
      - alert: B
        expr: sum by (chain) (bifrost_provider_up) == on (provider) bifrost_provider_up
        annotations: {summary: 'QUERYSECRET4 {{ query "bifrost_provider_uq" }}'}
`)
	r := call(nil, "check", "rules", own)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, "bifrost_provider_uq")
	requireNoSecret(t, "check rules", r.stdout+r.stderr)
}

// TestNoSecretOfAnotherFileIsRepeatedByAssets has files in the way, with tokens in
// them.
func TestNoSecretOfAnotherFileIsRepeatedByAssets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "alertmanager.yml")
	require.NoError(t, os.WriteFile(mine, []byte("receivers: [{webhook_configs: [{http_config: {authorization: {credentials: WEBHOOKSECRET10}}}]}]\n"), 0o600))
	environ := []string{"UNDERSTUDY_ALERTMANAGER_URL=http://u:ALERTMANAGERSECRET9@h"}
	r := call(environ, "assets", dir)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, "kept "+mine)
	requireNoSecret(t, "assets", r.stdout+r.stderr)
	r = call(environ, "assets", dir, "--force")
	require.Equal(t, exitOK, r.status)
	requireNoSecret(t, "assets --force", r.stdout+r.stderr)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		requireNoSecret(t, path, string(text))
		return err
	}))
}
