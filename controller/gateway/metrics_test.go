package gateway

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

func TestMetricsExistBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	newWorld(t, config.EVMRPC, 2, Options{Registerer: registry, Chains: func() []string { return []string{theChain, "unknown"} }})
	text := exposition(t, registry)
	for _, line := range []string{
		`in_flight_requests{chain="c"} 0`,
		`quarantined{chain="c",provider="a"} 0`,
		`quarantined{chain="c",provider="b"} 0`,
		`requests_total{chain="c",outcome="timeout",provider="b"} 0`,
		`answers_total{chain="c",result="failed"} 0`,
		`attempts_count{chain="c"} 0`,
	} {
		require.Contains(t, text, "understudy_gateway_"+line+"\n")
	}
	require.NotContains(t, text, "unknown")
	for name, want := range map[string]float64{
		"keeper_rpc_failover_events_total": 0, "keeper_rpc_failover_switches_total": 0,
		"keeper_rpc_failover_active_endpoint_index": 0, "keeper_rpc_failover_healthy_endpoints": 2,
		"keeper_rpc_failover_total_endpoints": 2,
	} {
		require.Equal(t, want, sampleOf(t, registry, name), name)
	}
}

func sampleOf(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			m := f.GetMetric()[0]
			require.Equal(t, "c", m.GetLabel()[0].GetValue())
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	t.Fatalf("%s is not there", name)
	return 0
}

func TestMetricsAfterAFailover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		w := newWorld(t, config.EVMRPC, 2, Options{Registerer: registry, FailureThreshold: 1})
		w.a().set(refuses)
		w.call("eth_chainId")
		w.call("eth_chainId")
		w.call("admin_peers")
		w.post("?")
		for name, want := range map[string]float64{
			"keeper_rpc_failover_events_total": 1, "keeper_rpc_failover_switches_total": 1,
			"keeper_rpc_failover_active_endpoint_index": 1, "keeper_rpc_failover_healthy_endpoints": 1,
			"keeper_rpc_failover_total_endpoints": 2,
		} {
			require.Equal(t, want, sampleOf(t, registry, name), name)
		}
		for _, line := range []string{
			`requests_total{chain="c",outcome="connection",provider="a"} 1`,
			`requests_total{chain="c",outcome="ok",provider="b"} 2`,
			`answers_total{chain="c",result="ok"} 2`,
			`answers_total{chain="c",result="denied"} 1`,
			`answers_total{chain="c",result="invalid"} 1`,
			`attempts_sum{chain="c"} 3`,
			`attempts_count{chain="c"} 2`,
			`request_duration_seconds_count{chain="c"} 2`,
		} {
			require.Contains(t, exposition(t, registry), "understudy_gateway_"+line+"\n")
		}
	})
}

// exposition is what a scrape gets.
func exposition(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	file := t.TempDir() + "/metrics"
	require.NoError(t, prometheus.WriteToTextfile(file, registry))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func TestMetricsAreAsTheFieldWantsThem(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	w := newWorld(t, config.EVMRPC, 2, Options{Registerer: registry})
	w.call("eth_chainId")
	problems, err := promlint.New(strings.NewReader(exposition(t, registry))).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	families, err := registry.Gather()
	require.NoError(t, err)
	described := map[string]string{}
	for _, m := range rules.Gateway() {
		described[m.Name] = m.Help
	}
	require.Len(t, families, len(rules.Gateway()))
	for _, f := range families {
		require.Equal(t, described[f.GetName()], f.GetHelp())
	}
}

func TestTheSeriesOfAChainGoWithIt(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	chains := []string{theChain}
	w := newWorld(t, config.EVMRPC, 2, Options{Registerer: registry, Chains: func() []string { return chains }})
	w.call("eth_chainId")
	require.Contains(t, exposition(t, registry), `chain="c"`)
	chains = nil
	w.router.mu.Lock()
	delete(w.router.routes, theChain)
	w.router.mu.Unlock()
	_ = exposition(t, registry)
	require.NotContains(t, exposition(t, registry), `chain="c"`)
}

func TestOutcomesAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type told struct {
			chain, provider string
			outcome         Outcome
			took            time.Duration
		}
		var all []told
		w := newWorld(t, config.EVMRPC, 2, Options{OnOutcome: func(chain, provider string, o Outcome, took time.Duration) {
			all = append(all, told{chain, provider, o, took})
		}})
		w.a().set(hangs)
		w.b().set(slowly(time.Second))
		w.call("eth_chainId")
		require.Equal(t, []told{{"c", "a", Timeout, 5 * time.Second}, {"c", "b", OK, time.Second}}, all)
	})
}

func TestEveryOutcomeHasANameAndWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	require.Len(t, Outcomes, int(outcomeCount))
	for _, o := range Outcomes {
		require.NotEmpty(t, o.String())
		require.NotEmpty(t, o.words())
		require.False(t, seen[o.String()])
		seen[o.String()] = true
	}
	require.Equal(t, "unknown", outcomeCount.String())
	require.Equal(t, "unknown", outcomeCount.words())
}

func TestWhatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	_, err := New(Options{})
	require.ErrorContains(t, err, "router")
	_, err = New(Options{Router: &fakeRouter{}, Cooldown: -1})
	require.ErrorContains(t, err, "below zero")
	_, err = New(Options{Router: &fakeRouter{}, MaxBatch: -1})
	require.ErrorContains(t, err, "below zero")
	registry := prometheus.NewRegistry()
	_, err = New(Options{Router: &fakeRouter{}, Registerer: registry})
	require.NoError(t, err)
	_, err = New(Options{Router: &fakeRouter{}, Registerer: registry})
	require.Error(t, err)
}
