package main

import (
	"fmt"
	"net/url"
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
