package exporter_test

import (
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestMetricsTellWhatTheProvidersSay(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.providers["b"].SetBehaviour(simulator.Behaviour{Lag: 4})
	// A busy machine may well take longer than a fast policy allows.
	w.configureWith("{request_timeout: 10s, error_window: 2m}", "a", "b")
	e, server := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool { return e.Ready() == nil }, "every provider is probed")

	_, page := get(t, server.URL+"/metrics")
	for _, line := range []string{
		`bifrost_provider_up{chain="eth",provider="a"} 1`,
		`bifrost_provider_block_height{chain="eth",provider="a"} 1000`,
		`bifrost_provider_block_height{chain="eth",provider="b"} 996`,
		`bifrost_provider_network_mismatch{chain="eth",provider="a"} 0`,
		`bifrost_provider_failures_total{chain="eth",provider="a",reason="timeout"} 0`,
		`bifrost_failover_max_block_lag{chain="eth"} 3`,
		`understudy_config_last_reload_successful 1`,
		`understudy_ready 1`,
	} {
		require.Contains(t, page, line+"\n")
	}
}

func TestReadyIsFalseUntilEachProviderWasProbed(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.providers["b"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeHang})
	w.configureWith("{request_timeout: 10s, error_window: 2m}", "a", "b")
	_, server := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool { return w.providers["a"].Requests() > 0 && w.providers["b"].Requests() > 0 }, "both are asked")

	w.eventually(func() bool {
		_, text := get(t, server.URL+"/-/ready")
		return strings.Contains(text, "1 providers were not probed yet, eth/b among them")
	}, "the reason names who is missing")
	status, _ := get(t, server.URL+"/-/ready")
	require.Equal(t, http.StatusServiceUnavailable, status)
	status, _ = get(t, server.URL+"/-/healthy")
	require.Equal(t, http.StatusOK, status)
	_, page := get(t, server.URL+"/metrics")
	require.Contains(t, page, "understudy_ready 0\n")
	require.Contains(t, page, `bifrost_provider_up{chain="eth",provider="b"} 0`+"\n")
	require.NotContains(t, page, `bifrost_provider_block_height{chain="eth",provider="b"}`)
}

// nowhere is an address that Linux has no way to: TCP is not for groups of hosts. It
// says that the network is unreachable, which is no verdict about a provider.
const nowhere = "http://224.0.0.1:8545"

func TestAProviderThatIsNotReachedFromHereKeepsNobodyUnknown(t *testing.T) {
	w := newWorld(t, "a", "b")
	w.urls["nowhere"] = nowhere
	w.configureWith("{health_check_interval: 2s, suspect_check_interval: 20ms}", "a", "b", "nowhere")
	w.setConfig(strings.Replace(w.text, "  eth:\n", "  own:\n    kind: evm\n", 1))
	e, server := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool {
		_, page := get(t, server.URL+"/metrics")
		return strings.Contains(page, `bifrost_provider_up{chain="own",provider="a"} 1`) &&
			strings.Contains(page, `bifrost_provider_up{chain="own",provider="b"} 1`)
	}, "those who are reached are judged")
	w.eventually(func() bool { return e.Ready() == nil }, "who is not reached is not waited for")
}

func TestAMachineThatReachesNobodyIsNotReady(t *testing.T) {
	w := newWorld(t)
	w.urls["nowhere"] = nowhere
	w.configure("nowhere")
	e, server := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool {
		_, page := get(t, server.URL+"/metrics")
		return regexp.MustCompile(`understudy_probes_without_verdict_total{cause="no_network",chain="eth",provider="nowhere"} [1-9]`).MatchString(page)
	}, "it was tried")
	require.ErrorContains(t, e.Ready(), "1 providers were not probed yet, eth/nowhere among them")
}

func TestReloadKeepsUnchangedProvidersAndDropsRemovedOnes(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	w.configure("a", "b")
	e, server := w.start(exporter.HandlerOptions{Actions: true})
	w.eventually(func() bool {
		_, page := get(t, server.URL+"/metrics")
		return e.Ready() == nil && !strings.Contains(page, `bifrost_provider_probes_total{chain="eth",provider="a"} 1`+"\n")
	}, "both were probed more than once")

	w.configure("a", "c")
	status, _ := do(t, http.MethodPost, server.URL+"/-/reload", "")
	require.Equal(t, http.StatusOK, status)
	_, page := get(t, server.URL+"/metrics")
	require.NotContains(t, page, `provider="b"`, "the series of a removed provider are gone at once")
	require.Contains(t, page, `bifrost_provider_up{chain="eth",provider="c"}`)
	require.NotContains(t, page, `bifrost_provider_probes_total{chain="eth",provider="a"} 0`+"\n", "the counters of an unchanged one go on")
	w.eventually(func() bool { return e.Ready() == nil }, "the new one is probed")
	asked := w.providers["b"].Requests()
	probes := w.providers["a"].Requests()
	w.eventually(func() bool { return w.providers["a"].Requests() > probes+5 }, "the unchanged one is probed on")
	require.LessOrEqual(t, w.providers["b"].Requests(), asked+1, "the removed one is not probed any more")
}

func TestBadConfigurationChangesNothing(t *testing.T) {
	w := newWorld(t, "a")
	e, server := w.start(exporter.HandlerOptions{Actions: true})
	w.eventually(func() bool { return e.Ready() == nil }, "probed")
	before := e.Config()

	w.setConfig("chains:\n  eth:\n    providers:\n      - {name: a, type: carrier-pigeon}\n")
	status, text := do(t, http.MethodPut, server.URL+"/-/reload", "")
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, text, "test.yml:4:")
	require.Contains(t, text, "chains.eth.providers[0].type")
	require.Equal(t, before, e.Config())
	_, page := get(t, server.URL+"/metrics")
	require.Contains(t, page, "understudy_config_last_reload_successful 0\n")
	require.Contains(t, page, `bifrost_provider_up{chain="eth",provider="a"}`)
}

func TestHundredReloadsLeaveNothingBehind(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	e, _ := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool { return e.Ready() == nil }, "probed")
	w.configure("a", "b")
	require.NoError(t, e.Reload())
	w.eventually(func() bool { return e.Ready() == nil }, "probed again")
	before := runtime.NumGoroutine()
	for i := range 100 {
		if i%2 == 0 {
			w.configure("a", "b", "c")
		} else {
			w.configure("b", "a")
		}
		require.NoError(t, e.Reload())
	}
	w.eventually(func() bool { return runtime.NumGoroutine() <= before+8 }, "no more goroutines than before, but for connections under way")
}

func TestActionsAreRefusedWhenAnybodyCanConnect(t *testing.T) {
	w := newWorld(t, "a")
	_, server := w.start(exporter.HandlerOptions{Actions: false})
	for _, action := range []struct{ method, path string }{
		{http.MethodPost, "/-/reload"},
		{http.MethodPut, "/chains/eth/observed-height"},
		{http.MethodGet, "/probe?chain=eth&provider=a"},
	} {
		status, text := do(t, action.method, server.URL+action.path, `{"height": 5}`)
		require.Equal(t, http.StatusForbidden, status, action.path)
		require.Contains(t, text, "--web.config.file")
	}
}

func TestObservedHeightCanBePushed(t *testing.T) {
	w := newWorld(t, "a")
	_, server := w.start(exporter.HandlerOptions{Actions: true})
	for _, c := range []struct {
		name, path, body string
		status           int
	}{
		{"a height", "/chains/eth/observed-height", `{"height": 998}`, http.StatusNoContent},
		{"an unknown chain", "/chains/nope/observed-height", `{"height": 998}`, http.StatusNotFound},
		{"no height", "/chains/eth/observed-height", `{}`, http.StatusBadRequest},
		{"a negative height", "/chains/eth/observed-height", `{"height": -1}`, http.StatusBadRequest},
		{"a fraction", "/chains/eth/observed-height", `{"height": 1.5}`, http.StatusBadRequest},
		{"not JSON", "/chains/eth/observed-height", `998`, http.StatusBadRequest},
		{"too long", "/chains/eth/observed-height", `{"x":"` + strings.Repeat("x", 8192) + `","height":1}`, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, text := do(t, http.MethodPut, server.URL+c.path, c.body)
			require.Equal(t, c.status, status, text)
		})
	}
	_, page := get(t, server.URL+"/metrics")
	require.Contains(t, page, `bifrost_chain_observed_height{chain="eth"} 998`+"\n")
}

func TestProbeOnDemandShowsItsRequests(t *testing.T) {
	w := newWorld(t, "a")
	// A busy machine may well take longer than a fast policy allows.
	w.configureWith("{request_timeout: 10s, error_window: 2m}", "a")
	e, server := w.start(exporter.HandlerOptions{Actions: true})
	w.eventually(func() bool { return e.Ready() == nil }, "probed")

	status, text := get(t, server.URL+"/probe?chain=eth&provider=a&debug=true")
	require.Equal(t, http.StatusOK, status)
	for _, words := range []string{"eth/a", "height=1000", `network="1"(right)`, "eth_getBlockByNumber", "eth_chainId", "Last probes:", "Last failures:"} {
		require.Contains(t, text, words)
	}
	status, text = get(t, server.URL+"/probe?chain=eth&provider=a")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "probe_success 1\n")
	require.Contains(t, text, "probe_block_height 1000\n")
	status, _ = get(t, server.URL+"/probe?chain=eth&provider=nobody")
	require.Equal(t, http.StatusNotFound, status)
}

func TestProbeOnDemandRespectsWhoAskedToBeLeftAlone(t *testing.T) {
	w := newWorld(t, "a")
	w.providers["a"].SetBehaviour(simulator.Behaviour{Respond: &simulator.Answer{
		Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "600"}, Body: "slow down",
	}})
	e, server := w.start(exporter.HandlerOptions{Actions: true})
	w.eventually(func() bool { return e.Ready() == nil }, "probed")

	asked := w.providers["a"].Requests()
	status, text := get(t, server.URL+"/probe?chain=eth&provider=a")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, text, "left alone until")
	require.Equal(t, asked, w.providers["a"].Requests())
	_, text = get(t, server.URL+"/probe?chain=eth&provider=a&force=true&debug=true")
	require.Contains(t, text, "rate_limited")
	_, page := get(t, server.URL+"/metrics")
	require.Contains(t, page, `bifrost_provider_failing{chain="eth",provider="a",reason="rate_limited"} 1`+"\n")
}

func TestForkIsSeen(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	w.providers["c"].SetBehaviour(simulator.Behaviour{Fork: simulator.Fork{Name: "x", From: 900}})
	_, server := w.start(exporter.HandlerOptions{})
	w.eventually(func() bool {
		_, page := get(t, server.URL+"/metrics")
		return strings.Contains(page, `bifrost_provider_inconsistent{chain="eth",check="hash",provider="c"} 1`) &&
			strings.Contains(page, `bifrost_provider_inconsistent{chain="eth",check="hash",provider="a"} 0`)
	}, "the one against two is inconsistent")
}

func TestPagesWorkBelowAPrefix(t *testing.T) {
	w := newWorld(t, "a")
	e, server := w.start(exporter.HandlerOptions{RoutePrefix: "/watch/", TelemetryPath: "/numbers", Actions: true})
	w.eventually(func() bool { return e.Ready() == nil }, "probed")
	for _, path := range []string{"/watch/", "/watch/numbers", "/watch/-/healthy", "/watch/-/ready", "/watch/config"} {
		status, text := get(t, server.URL+path)
		require.Equal(t, http.StatusOK, status, path)
		require.NotEmpty(t, text)
	}
	status, _ := get(t, server.URL+"/numbers")
	require.Equal(t, http.StatusNotFound, status)
	_, landing := get(t, server.URL+"/watch/")
	require.Contains(t, landing, `href="numbers"`)
	require.Contains(t, landing, `<td class="number">1000</td>`)
	status, _ = do(t, http.MethodDelete, server.URL+"/watch/-/reload", "")
	require.Equal(t, http.StatusMethodNotAllowed, status)
}

func TestForeignPageInTheBrowserCannotAct(t *testing.T) {
	w := newWorld(t, "a")
	_, server := w.start(exporter.HandlerOptions{Actions: true})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/-/reload", nil)
	require.NoError(t, err)
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusForbidden, res.StatusCode)
}
