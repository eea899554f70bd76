package gateway

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The tests of the keeper's own client, which the gateway takes the place of. The
// regions are a.example and b.example.

func TestKeeperUsesActiveEndpointWhenHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.SorobanRPC, 2, Options{})
	w.a().set(says(200, `{"jsonrpc":"2.0","id":$id,"result":{"passphrase":"A"}}`))
	require.Contains(t, w.call("getNetwork").Body.String(), `"A"`)
	require.Contains(t, w.state().ActiveRegion, "a.example")
}

func TestKeeperFailsOverToSecondaryEndpointAfterPrimaryFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.SorobanRPC, 2, Options{FailureThreshold: 1})
	w.a().set(refuses)
	w.b().set(says(200, `{"jsonrpc":"2.0","id":$id,"result":{"passphrase":"B"}}`))
	require.Contains(t, w.call("getNetwork").Body.String(), `"B"`)
	s := w.state()
	require.Contains(t, s.ActiveRegion, "b.example")
	require.Equal(t, []uint64{1, 1}, []uint64{s.events, s.switches})
}

func TestKeeperGetsAStructuredErrorIfAllEndpointsFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.SorobanRPC, 2, Options{FailureThreshold: 1})
	w.a().set(refuses)
	w.b().set(says(502, "<html>"))
	rec := w.call("getNetwork")
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
	var body struct {
		ID    int
		Error struct {
			Message string
			Data    struct {
				Code    string
				Context struct {
					Method       string
					ActiveRegion string
					Attempts     []struct{ Region, URL, Message string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &body))
	require.Equal(t, 7, body.ID)
	require.Equal(t, "RPC_MULTI_REGION_FAILOVER_EXHAUSTED", body.Error.Data.Code)
	require.Equal(t, `All RPC endpoints failed for method "getNetwork". Last error: b: server error, HTTP 502`, body.Error.Message)
	context := body.Error.Data.Context
	require.Equal(t, "getNetwork", context.Method)
	require.Equal(t, "a.example", context.ActiveRegion)
	require.Equal(t, []struct{ Region, URL, Message string }{
		{"a.example", "https://a.example", "connection refused or broken"},
		{"b.example", "https://b.example", "server error, HTTP 502"},
	}, context.Attempts)
}

func TestKeeperHealthChecksRecoverAnEndpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.SorobanRPC, 2, Options{FailureThreshold: 1, Cooldown: time.Hour})
	w.gateway.Probed(theChain, "a", false)
	require.True(t, w.state().Endpoints[0].Unavailable)
	require.Equal(t, 1, w.state().HealthyEndpoints)
	w.gateway.Probed(theChain, "a", true)
	require.False(t, w.state().Endpoints[0].Unavailable, "the next good check ends the quarantine, not the cool-down")
}

func TestKeeperSeesTheLatencyOfEachEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.SorobanRPC, 2, Options{})
		w.a().set(slowly(80 * time.Millisecond))
		w.call("getHealth")
		w.router.change(theChain, func(r *Route) { r.Active, r.Generation = "b", 2 })
		w.b().set(slowly(120 * time.Millisecond))
		w.call("getHealth")
		s := w.state()
		require.Len(t, s.Endpoints, 2)
		require.Equal(t, []float64{80, 120}, []float64{s.Endpoints[0].AvgLatencyMs, s.Endpoints[1].AvgLatencyMs})
		require.Equal(t, []bool{false, false}, []bool{s.Endpoints[0].Unavailable, s.Endpoints[1].Unavailable})
	})
}

func TestKeeperSeesTheLatencyOfTheLastMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.SorobanRPC, 1, Options{})
		for _, took := range []time.Duration{150 * time.Millisecond, 250 * time.Millisecond} {
			w.a().set(slowly(took))
			w.call("getHealth")
		}
		s := w.state().Endpoints[0]
		require.Equal(t, 200., s.AvgLatencyMs)
		require.Equal(t, 2, s.Samples)
		time.Sleep(2 * time.Minute)
		require.Zero(t, w.state().Endpoints[0].Samples)
	})
}

// In the keeper a submission goes to the endpoint with the best score, which is the
// fastest. Here it goes to the one that the controller has made active: that slow
// providers are left stands in its rules.
func TestKeeperTransactionsGoToTheActiveEndpointAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.SorobanRPC, 2, Options{})
		w.a().set(slowly(20 * time.Millisecond))
		w.call("getHealth")
		// ProviderSlow fires for a, and the controller leaves it.
		w.router.change(theChain, func(r *Route) {
			r.Active, r.Generation, r.Endpoints = "b", 2, r.Endpoints[1:]
		})
		before := w.a().asked()
		rec := w.call("sendTransaction")
		require.Equal(t, "b", rec.Header().Get(ProviderHeader))
		require.Equal(t, before, w.a().asked())
		require.Equal(t, "b.example", w.state().ActiveRegion)
	})
}

// In the keeper lag costs score. Here it is shown, a rule takes the provider out
// of the route, and a client that saw a ledger can insist on it.
func TestKeeperIsNotAnsweredFromBehindTheFreshestLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.SorobanRPC, 2, Options{})
	w.router.change(theChain, func(r *Route) {
		r.Endpoints[0].Height, r.Endpoints[0].HeightKnown = 490, true
		r.Endpoints[1].Height, r.Endpoints[1].HeightKnown = 500, true
	})
	s := w.state()
	require.Equal(t, []uint64{10, 0}, []uint64{*s.Endpoints[0].LedgerLag, *s.Endpoints[1].LedgerLag})
	rec := w.post(`{"jsonrpc":"2.0","id":1,"method":"getLatestLedger"}`, MinHeightHeader, "495")
	require.Equal(t, "b", rec.Header().Get(ProviderHeader))
	require.Zero(t, w.a().asked())
}

func TestStateIsTheKeepersFailoverObject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.SorobanRPC, 3, Options{FailureThreshold: 1})
		w.a().set(refuses)
		w.router.change(theChain, func(r *Route) {
			for _, e := range r.Endpoints {
				r.URLs = append(r.URLs, e.URL)
			}
			r.Endpoints = r.Endpoints[:2]
		})
		w.call("getHealth")
		body, err := json.Marshal(w.state())
		require.NoError(t, err)
		require.JSONEq(t, `{"activeIndex":1,"activeRegion":"b.example","activeUrl":"https://b.example","healthyEndpoints":1,"totalEndpoints":3,"endpoints":[
			{"index":0,"region":"a.example","provider":"a","url":"https://a.example","score":70,"unavailable":true,"consecutiveFailures":1,"totalFailures":1,"totalSuccesses":0,
			 "lastFailureAt":"2000-01-01T00:00:00Z","lastSuccessAt":null,"cooldownUntil":"2000-01-01T00:00:30Z","avgLatencyMs":0,"errorRate":100,"samples":1,"latestLedger":null,"ledgerLag":null},
			{"index":1,"region":"b.example","provider":"b","url":"https://b.example","score":100,"unavailable":false,"consecutiveFailures":0,"totalFailures":0,"totalSuccesses":1,
			 "lastFailureAt":null,"lastSuccessAt":"2000-01-01T00:00:00Z","cooldownUntil":null,"avgLatencyMs":0,"errorRate":0,"samples":1,"latestLedger":null,"ledgerLag":null},
			{"index":2,"region":"c.example","provider":"c","url":"https://c.example","score":100,"unavailable":true,"consecutiveFailures":0,"totalFailures":0,"totalSuccesses":0,
			 "lastFailureAt":null,"lastSuccessAt":null,"cooldownUntil":null,"avgLatencyMs":0,"errorRate":0,"samples":0,"latestLedger":null,"ledgerLag":null}]}`, string(body))
	})
}

func slowly(took time.Duration) answering {
	return func(r *http.Request, body []byte) (*http.Response, error) {
		time.Sleep(took)
		return goodAnswer(r, body)
	}
}
