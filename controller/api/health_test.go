package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// oneEndpoint is what a gateway knows of a chain that it forwards to.
func oneEndpoint(chain string) (wire.Failover, bool) {
	return wire.Failover{
		ActiveRegion: chain + ".example", ActiveURL: "https://" + chain + ".example", HealthyEndpoints: 1, TotalEndpoints: 1,
		Events: 3, Switches: 1,
		Endpoints: []wire.FailoverEndpoint{{Region: chain + ".example", Provider: "local-daemon", Score: 70, LastFailureAt: &dawn}},
	}, chain != "eth"
}

func TestHealthOfOneChainTellsItsEndpoints(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	a := newAPI(t, v, Options{Failover: oneEndpoint})
	all := decoded[wire.Health](t, get(a, "/health"))
	require.Nil(t, all.Failover, "of two chains, neither is the one")
	btc := decoded[wire.Health](t, get(a, "/health?chain=btc"))
	require.Equal(t, map[string]string{"btc": "ok"}, btc.Chains)
	require.NotNil(t, btc.Failover)
	require.Equal(t, "btc.example", btc.Failover.ActiveRegion)
	require.Nil(t, decoded[wire.Health](t, get(a, "/health?chain=eth")).Failover, "nothing is forwarded to eth")

	v.set(nobody("eth"))
	require.Equal(t, http.StatusServiceUnavailable, get(a, "/health").Code)
	require.Equal(t, http.StatusOK, get(a, "/health?chain=btc").Code, "another chain's outage is not this one's")
	problemOf(t, get(a, "/health?chain=btx"), http.StatusNotFound)

	v.remove("eth")
	require.NotNil(t, decoded[wire.Health](t, get(a, "/health")).Failover, "the only chain is the one")
}

func TestWhoAsksForMetricsAsJSONByNameGetsThem(t *testing.T) {
	t.Parallel()
	text := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("up 1\n")) })
	v := newFakeView()
	m := newAPI(t, v, Options{Failover: oneEndpoint}).Metrics(text)
	for accept, json := range map[string]bool{
		"": false, "*/*": false, "application/*": false, "text/html,*/*;q=0.8": false, "application/json;q=0": false,
		"application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1": false,
		"text/plain, application/json;q=0.9":          false,
		"application/json":                            true,
		"application/json, text/plain, */*":           true,
		"application/json;q=0.5, text/plain;q=0.4":    true,
		"APPLICATION/JSON; charset=utf-8":             true,
		"application/json;q=0.9,application/*;q=0.95": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "Accept", w.Header().Get("Vary"))
		require.Equal(t, json, w.Body.String() != "up 1\n", accept)
	}
	got := decoded[wire.Metrics](t, get(m, "/metrics", "Accept", "application/json"))
	require.EqualValues(t, 3, got.FailoverEventsTotal, "eth has no gateway and counts for nothing")
	require.EqualValues(t, 1, got.FailoverSwitchesTotal)
	require.Nil(t, got.Failover, "there are two chains")
	require.Contains(t, got.Failovers, "btc")
	one := get(m, "/metrics?chain=btc", "Accept", "application/json")
	readDocument(t).requireValid("Metrics", one.Body.Bytes())
	require.Equal(t, "btc.example", decoded[wire.Metrics](t, one).Failover.ActiveRegion)
	problemOf(t, get(m, "/metrics?chain=btx", "Accept", "application/json"), http.StatusNotFound)
}

func TestMetricsAsJSONWithoutAGatewayHaveNoEndpoints(t *testing.T) {
	t.Parallel()
	v := newFakeView()
	v.remove("eth")
	m := newAPI(t, v, Options{}).Metrics(http.NotFoundHandler())
	require.JSONEq(t, `{"failoverEventsTotal":0,"failoverSwitchesTotal":0,"failovers":{}}`, get(m, "/metrics", "Accept", "application/json").Body.String())
}
