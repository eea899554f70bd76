package gateway

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

func TestSettingsOfAChainStandBeforeTheOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{
			AttemptTimeout: 5 * time.Second, FailureThreshold: 3, Cooldown: 30 * time.Second,
			Settings: map[string]Settings{
				theChain: {AttemptTimeout: time.Second, FailureThreshold: 1, Cooldown: 10 * time.Second},
				"other":  {Off: true},
			},
		})
		w.a().set(hangs)
		begin := time.Now()
		require.Equal(t, 200, w.call("eth_chainId").Code)
		require.Equal(t, time.Second, time.Since(begin), "the attempt of the chain's own length")
		first := w.state().Endpoints[0]
		require.True(t, first.Unavailable, "one failure is enough here")
		require.Equal(t, begin.Add(11*time.Second).UTC(), first.CooldownUntil.UTC())
		w.a().set(goodAnswer)
		time.Sleep(10 * time.Second)
		w.call("eth_chainId")
		require.Equal(t, 2, w.a().asked(), "the active provider returns after the chain's own cool-down")
	})
}

func TestNewSettingsHoldFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{})
		w.a().set(hangs)
		took := func() time.Duration {
			begin := time.Now()
			require.Equal(t, 200, w.call("eth_chainId").Code)
			return time.Since(begin)
		}
		require.Equal(t, DefaultAttemptTimeout, took())
		w.gateway.SetSettings(map[string]Settings{theChain: {HedgeAfter: 100 * time.Millisecond, FailureThreshold: 100}})
		w.router.change(theChain, func(r *Route) { r.Generation++ })
		require.Equal(t, 100*time.Millisecond, took(), "the second one is asked while the first one hangs")
		w.gateway.SetSettings(nil)
		w.router.change(theChain, func(r *Route) { r.Generation++ })
		require.Equal(t, DefaultAttemptTimeout, took(), "what is not said any more is the default again")
	})
}

func TestNothingIsForwardedToAChainThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	w := newWorld(t, config.EVMRPC, 1, Options{
		Registerer: registry, Chains: func() []string { return []string{theChain} }, Settings: map[string]Settings{theChain: {Off: true}},
	})
	endpoints := func() (series int) {
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == rules.GatewayTotalEndpoints.Name {
				series = len(f.GetMetric())
			}
		}
		return series
	}
	rec := w.call("eth_chainId")
	require.Equal(t, http.StatusNotFound, rec.Code)
	require.Equal(t, "Not forwarded", decode(t, rec)["title"])
	require.Zero(t, w.a().asked())
	_, ok := w.gateway.State(theChain)
	require.False(t, ok)
	require.Zero(t, endpoints(), "what is switched off has no series")
	w.gateway.SetSettings(nil)
	require.Equal(t, 200, w.call("eth_chainId").Code)
	require.Equal(t, 1, endpoints())
}

func TestTheBeginningOfAQuarantineIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	w := newWorld(t, config.EVMRPC, 2, Options{
		FailureThreshold: 2, OnQuarantine: func(chain, provider string) { told = append(told, chain+"/"+provider) },
	})
	w.a().set(refuses)
	w.call("eth_chainId")
	require.Empty(t, told)
	w.gateway.Probed(theChain, "a", false)
	require.Equal(t, []string{"c/a"}, told)
	w.gateway.Probed(theChain, "a", false)
	require.Equal(t, []string{"c/a"}, told, "it began only once")
	w.gateway.Probed(theChain, "a", true)
	w.gateway.Probed(theChain, "a", false)
	w.gateway.Probed(theChain, "a", false)
	require.Equal(t, []string{"c/a", "c/a"}, told)
}

func TestAGoodProbeDoesNotShortenAWaitThatTheProviderAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1, Cooldown: 30 * time.Second})
		w.a().set(says(429, "slow down", "Retry-After", "60"))
		w.call("eth_chainId")
		w.gateway.Probed(theChain, "a", true)
		w.a().set(goodAnswer)
		time.Sleep(59 * time.Second)
		w.call("eth_chainId")
		require.Equal(t, 1, w.a().asked())
		time.Sleep(2 * time.Second)
		w.call("eth_chainId")
		require.Equal(t, 2, w.a().asked())
	})
}

func TestWithAnAnswerInHandNobodyWaitsForAProviderInQuarantine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1})
		w.a().set(hangs)
		w.call("eth_chainId")
		asked := w.a().asked()
		w.b().set(rpcFails(-32000, "header not found"))
		begin := time.Now()
		require.Contains(t, w.call("eth_getBlockByNumber").Body.String(), "header not found")
		require.Zero(t, time.Since(begin))
		require.Equal(t, asked, w.a().asked())

		time.Sleep(DefaultCooldown)
		begin = time.Now()
		require.Contains(t, w.call("eth_getBlockByNumber").Body.String(), "header not found")
		require.LessOrEqual(t, time.Since(begin), DefaultAttemptTimeout, "a trial may not take all the time there is")
	})
}
