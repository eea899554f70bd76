package gateway

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestQuarantineBeginsWithTheThresholdAndEndsByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 1, Options{FailureThreshold: 3, Cooldown: 30 * time.Second})
		w.a().set(refuses)
		for n := range 3 {
			require.False(t, w.state().Endpoints[0].Unavailable, n)
			w.call("eth_chainId")
		}
		require.True(t, w.state().Endpoints[0].Unavailable)
		w.a().set(goodAnswer)
		require.Equal(t, 200, w.call("eth_chainId").Code, "with nobody else, it is asked nevertheless")
		require.False(t, w.state().Endpoints[0].Unavailable)
	})
}

func TestTheOppositeResultResetsTheCounter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{FailureThreshold: 2})
	for range 5 {
		w.a().set(refuses)
		w.call("eth_chainId")
		w.a().set(goodAnswer)
		w.call("eth_chainId")
	}
	require.False(t, w.state().Endpoints[0].Unavailable)
}

func TestAfterTheCoolDownOneRequestTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1, Cooldown: 30 * time.Second, AttemptTimeout: 5 * time.Second})
		w.a().set(refuses)
		w.call("eth_chainId")
		w.a().set(hangs)
		time.Sleep(31 * time.Second)
		before := w.a().asked()
		var requests sync.WaitGroup
		for range 10 {
			requests.Go(func() { require.Equal(t, 200, w.call("eth_chainId").Code) })
		}
		requests.Wait()
		require.Equal(t, 1, w.a().asked()-before, "only one request had to wait for the trial")
	})
}

func TestATrialWithoutAVerdictGivesItsPermitBack(t *testing.T) {
	t.Parallel()
	for name, trial := range map[string]answering{
		"missing":     rpcFails(-32000, "header not found"),
		"unsupported": rpcFails(-32601, "Method not found"),
		"a panic":     func(*http.Request, []byte) (*http.Response, error) { panic("the transport") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1, Cooldown: 30 * time.Second})
				w.a().set(refuses)
				w.call("eth_call")
				for range 20 {
					time.Sleep(31 * time.Second)
					before := w.a().asked()
					w.a().set(trial)
					func() {
						defer func() { _ = recover() }()
						w.call("eth_call")
					}()
					require.Equal(t, 1, w.a().asked()-before, "the permit was lost")
				}
				w.a().set(goodAnswer)
				require.Equal(t, "a", w.call("eth_call").Header().Get(ProviderHeader))
				require.False(t, w.state().Endpoints[0].Unavailable)
			})
		})
	}
}

func TestAClientThatGoesAwayMovesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1})
		w.a().set(hangs)
		ctx, cancel := contextWithCancel(t)
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		w.serve(ctx, `{"id":1,"method":"eth_chainId"}`)
		s := w.state()
		require.Zero(t, s.events)
		require.False(t, s.Endpoints[0].Unavailable)
		require.Zero(t, w.b().asked())
		require.EqualValues(t, 1, w.gateway.lanes[theChain].results[resultCancelled].Load())
	})
}

func TestALateAnswerFromBeforeAQuarantineIsDropped(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	l := &lane{rules: quarantine{threshold: 1, cooldown: time.Minute}, records: map[string]*record{}}
	r := newRecord("a")
	l.records["a"] = r
	c := candidate{record: r}
	early, ok := l.permit(c, now, false)
	require.True(t, ok)
	second, ok := l.permit(c, now, false)
	require.True(t, ok)
	second.back(failed, now, 0, 0, false, false)
	require.True(t, r.unavailable)
	early.back(wellDone, now, 0, 0, false, false)
	require.True(t, r.unavailable, "a success from before the quarantine ended it")

	trial, ok := l.permit(c, now.Add(2*time.Minute), false)
	require.True(t, ok)
	_, again := l.permit(c, now.Add(2*time.Minute), false)
	require.False(t, again)
	late, ok := l.permit(c, now.Add(2*time.Minute), true)
	require.True(t, ok, "who has nobody else is let through")
	trial.back(wellDone, now.Add(2*time.Minute), 0, 0, false, false)
	require.False(t, r.unavailable)
	late.back(failed, now.Add(2*time.Minute), 0, 0, false, false)
	require.False(t, r.unavailable, "a failure from before the end of the quarantine began a new one")
}

func TestAProviderIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.TronHTTP, 2, Options{})
		w.a().set(says(429, `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 27 s"}`))
		ask := func() string {
			return w.do("POST", "/rpc/c/wallet/getnowblock", `{}`).Header().Get(ProviderHeader)
		}
		require.Equal(t, "b", ask())
		w.a().set(goodAnswer)
		time.Sleep(26 * time.Second)
		w.b().set(says(500, ""))
		before := w.a().asked()
		ask()
		require.Equal(t, before, w.a().asked(), "asking during a suspension extends it")
		w.b().set(goodAnswer)
		time.Sleep(2 * time.Second)
		require.Equal(t, "b", ask(), "b has stepped in")
		time.Sleep(2 * time.Second)
		require.Equal(t, "a", ask(), "a is the controller's choice, and well for a cool-down")
	})
}

func TestADecisionOfTheControllerIsFollowedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 3, Options{})
	require.Equal(t, "a", w.call("eth_chainId").Header().Get(ProviderHeader))
	w.router.change(theChain, func(r *Route) { r.Active, r.Generation = "c", 2 })
	require.Equal(t, "c", w.call("eth_chainId").Header().Get(ProviderHeader))
	require.EqualValues(t, 1, w.state().switches)
	require.Equal(t, 2, w.state().ActiveIndex)
}

func TestAProviderThatLeftTheRouteIsNeverAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1})
	w.a().set(refuses)
	require.Equal(t, "b", w.call("eth_chainId").Header().Get(ProviderHeader))
	w.router.change(theChain, func(r *Route) { r.Endpoints = r.Endpoints[:1] })
	before := w.b().asked()
	require.Equal(t, 503, w.call("eth_chainId").Code)
	require.Equal(t, before, w.b().asked())
}

func TestAnotherAddressIsAnotherProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{FailureThreshold: 1})
	w.a().set(refuses)
	w.call("eth_chainId")
	require.True(t, w.state().Endpoints[0].Unavailable)
	u, err := config.ParseURL("https://new.example/")
	require.NoError(t, err)
	w.a().set(goodAnswer)
	w.router.change(theChain, func(r *Route) { r.Endpoints[0].URL, r.Generation = u, 2 })
	require.Equal(t, "a", w.call("eth_chainId").Header().Get(ProviderHeader))
}

func TestTheStateOfAProviderThatIsNotConfiguredIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	w.call("eth_chainId")
	w.router.change(theChain, func(r *Route) {
		r.Endpoints, r.Order, r.Active, r.Generation, r.Total = r.Endpoints[1:], r.Order[1:], "b", 2, 1
	})
	w.call("eth_chainId")
	require.Len(t, w.gateway.lanes[theChain].records, 1)
	require.Len(t, w.state().Endpoints, 1)
}
