package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// keeperMetrics are the lines of help that a keeper's own page has.
var keeperMetrics = []string{
	"# HELP keeper_rpc_failover_events_total Total RPC failover events due to endpoint failures\n# TYPE keeper_rpc_failover_events_total counter\n",
	"# HELP keeper_rpc_failover_switches_total Total active RPC endpoint switches\n# TYPE keeper_rpc_failover_switches_total counter\n",
	"# HELP keeper_rpc_failover_active_endpoint_index Current active endpoint index for multi-region RPC failover\n# TYPE keeper_rpc_failover_active_endpoint_index gauge\n",
	"# HELP keeper_rpc_failover_healthy_endpoints Number of healthy RPC endpoints currently available\n# TYPE keeper_rpc_failover_healthy_endpoints gauge\n",
	"# HELP keeper_rpc_failover_total_endpoints Total configured RPC endpoints for failover\n# TYPE keeper_rpc_failover_total_endpoints gauge\n",
}

// keeperSecret is a key in the path of every endpoint.
const keeperSecret = "m4rk3r"

// soroban starts simulated endpoints and gives the environment of a keeper that
// knows them.
func soroban(t testing.TB, count int, more ...string) ([]string, []*simulator.Provider) {
	t.Helper()
	chain := simulator.NewChain(simulator.ChainOptions{Name: "soroban", Kind: config.Stellar, BaseHeight: 50000, BlockTime: time.Second})
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	var providers []*simulator.Provider
	var urls []string
	for range count {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "soroban", Type: config.SorobanRPC, Prefix: "/" + keeperSecret})
		url, err := server.Listen(p)
		require.NoError(t, err)
		if !strings.Contains(url, keeperSecret) {
			url += "/" + keeperSecret
		}
		providers, urls = append(providers, p), append(urls, url)
	}
	environ := append([]string{
		"SOROBAN_RPC_URL=" + urls[0], "SOROBAN_RPC_URLS=" + strings.Join(urls, ","),
		"RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS=1000", "RPC_FAILOVER_COOLDOWN_MS=1000",
	}, more...)
	return environ, providers
}

// getJSON asks for a page as JSON.
func getJSON[T any](p *process, path string) (int, T) {
	p.t.Helper()
	var v T
	req, err := http.NewRequest(http.MethodGet, "http://"+p.address+path, nil)
	require.NoError(p.t, err)
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, v
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	require.NotContains(p.t, string(text), keeperSecret, "URLs are redacted")
	require.NoError(p.t, json.Unmarshal(text, &v), string(text))
	return res.StatusCode, v
}

func TestAKeeperByEnvironmentAloneOutlivesItsEndpoints(t *testing.T) {
	t.Parallel()
	environ, providers := soroban(t, 2)
	p := startCommand(t, "run", environ)
	p.ready()
	p.eventually(func() bool {
		status, h := getJSON[wire.Health](p, "/health")
		return status == http.StatusOK && h.Status == "ok" && h.Failover != nil && h.Failover.HealthyEndpoints == 2 && h.Failover.ActiveIndex == 0
	}, "both are proven")
	_, h := getJSON[wire.Health](p, "/health")
	require.NotNil(t, h.Failover)
	require.Equal(t, "127.0.0.1", h.Failover.ActiveRegion)
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, h.Failover.ActiveURL)
	require.Equal(t, 2, h.Failover.TotalEndpoints)
	require.Len(t, h.Failover.Endpoints, 2)

	status, page := p.get("/metrics")
	require.Equal(t, http.StatusOK, status)
	for _, lines := range keeperMetrics {
		require.True(t, strings.Contains(page, lines), lines)
	}

	const ask = `{"jsonrpc":"2.0","id":1,"method":"getLatestLedger"}`
	latest := func() {
		t.Helper()
		status, text := p.do(http.MethodPost, "/rpc/soroban", ask)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, `"sequence"`)
	}
	latest()
	providers[0].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	for range 20 {
		latest()
	}
	_, m := getJSON[wire.Metrics](p, "/metrics")
	require.NotNil(t, m.Failover)
	require.Equal(t, 1, m.Failover.ActiveIndex, "the second one stepped in")
	require.Positive(t, m.FailoverEventsTotal)
	require.Greater(t, m.FailoverSwitchesTotal, h.Failover.Switches)
	require.Positive(t, m.Failover.Endpoints[0].TotalFailures)
	require.NotNil(t, m.Failover.Endpoints[0].LastFailureAt)
	p.eventually(func() bool { _, text := p.get("/active"); return strings.Contains(text, `"provider":"127.0.0.1-2"`) }, "the controller follows")
	_, h = getJSON[wire.Health](p, "/health")
	require.True(t, h.Failover.Endpoints[0].Unavailable)
	require.Equal(t, 1, h.Failover.HealthyEndpoints)

	providers[1].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	p.eventually(func() bool {
		status, h := getJSON[wire.Health](p, "/health")
		return status == 503 && h.Status == "unhealthy"
	}, "nobody serves")
	status, text := p.do(http.MethodPost, "/rpc/soroban", ask)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, text, "RPC_MULTI_REGION_FAILOVER_EXHAUSTED")
	require.NotContains(t, text, keeperSecret)

	for _, provider := range providers {
		provider.SetBehaviour(simulator.Behaviour{})
	}
	p.eventually(func() bool {
		_, h := getJSON[wire.Health](p, "/health")
		return h.Status == "ok" && h.Failover.ActiveIndex == 0 && h.Failover.HealthyEndpoints == 2
	}, "all is as before")
	latest()
	require.Equal(t, 0, p.stop(os.Interrupt))
	require.NotContains(t, p.log.String(), keeperSecret)
}

func TestTheGatewayFollowsTheConfigurationOnReload(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = []byte(strings.ReplaceAll(string(text), hasty, "{health_check_interval: 2s}"))
	require.NoError(t, os.WriteFile(path, text, 0o600))
	p := startCommand(t, "run", nil, "--config.file="+path)
	p.ready()
	p.eventually(func() bool { status, _ := p.get("/active/eth"); return status == http.StatusOK }, "somebody serves")
	const ask = `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`
	call := func() string {
		_, text := p.do(http.MethodPost, "/rpc/eth", ask)
		return text
	}
	require.Contains(t, call(), `"result"`)
	reload := func(gateway string) {
		t.Helper()
		changed := strings.Replace(string(text), "    providers:\n", "    gateway: "+gateway+"\n    providers:\n", 1)
		require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
		status, text := p.do(http.MethodPost, "/-/reload", "")
		require.Equal(t, http.StatusOK, status, text)
	}
	reload(`{methods: {deny: ["eth_block*"]}}`)
	require.Contains(t, call(), "not let through")
	_, health := getJSON[wire.Health](p, "/health")
	require.NotNil(t, health.Failover)

	reload(`{enabled: false}`)
	status, answer := p.do(http.MethodPost, "/rpc/eth", ask)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, answer, "switched off")
	_, health = getJSON[wire.Health](p, "/health")
	require.Nil(t, health.Failover)
	p.eventually(func() bool { _, text := p.get("/active/eth"); return !strings.Contains(text, "/rpc/eth") }, "nobody is sent there")

	reload(`{}`)
	require.Contains(t, call(), `"result"`)
}
