package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// seen is what a watch has given.
type seen struct {
	active wire.Active
	err    error
	at     time.Duration
}

// watch collects what a watch gives until the bubble's context ends.
func watch(ctx context.Context, c *client.Client) (got func() []seen, ended chan struct{}) {
	var mu sync.Mutex
	var all []seen
	ended = make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		for a, err := range c.Watch(ctx, "btc") {
			mu.Lock()
			all = append(all, seen{a, err, time.Since(began)})
			mu.Unlock()
		}
	}()
	return func() []seen {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}, ended
}

func names(all []seen) []string {
	var n []string
	for _, s := range all {
		switch {
		case s.err != nil:
			n = append(n, "error")
		case s.active.Provider == nil:
			n = append(n, "none")
		default:
			n = append(n, *s.active.Provider)
		}
	}
	return n
}

func down(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }

func TestAWatchGivesTheFirstAnswerAndThenEachChangeWithoutDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a"))
		c := newClient(t, f, client.Options{})
		got, ended := watch(t.Context(), c)
		require.Equal(t, []string{"a"}, names(got()))
		time.Sleep(47 * time.Second)
		f.say(serves(2, 2, "b"))
		require.Equal(t, []string{"a", "b"}, names(got()))
		require.Equal(t, 47*time.Second, got()[1].at)
		require.Equal(t, "1", f.last().URL.Query().Get("index"), "it waits past the index that it has")
		require.NoError(t, c.Close())
		<-ended
	})
}

func TestAWatchPassesOverAnswersThatAreNoNews(t *testing.T) {
	t.Parallel()
	later := serves(3, 2, "c")
	later.Since = start.Add(time.Hour)
	clockSetBack := serves(9, 9, "c")
	clockSetBack.Since = start.Add(-time.Hour)
	higher := serves(5, 5, "a")
	height := uint64(884_213)
	higher.Height = &height
	contradiction := serves(6, 4, "c")
	contradiction.Since = start
	for _, test := range []struct {
		name string
		says wire.Active
		want []string
	}{
		{"another height alone", higher, []string{"a"}},
		{"a smaller index and generation of a replica that lags", serves(4, 4, "c"), []string{"a"}},
		{"a smaller index of the same generation", serves(4, 5, "a"), []string{"a"}},
		{"a smaller index with nobody serving", nobody(2, 4), []string{"a"}},
		{"a greater index with a smaller generation, chosen earlier", contradiction, []string{"a"}},
		{"a greater index and generation", serves(6, 6, "c"), []string{"a", "c"}},
		{"the same after the controller's clock was set back", clockSetBack, []string{"a", "c"}},
		{"a smaller index of a controller that lost its journal and chose since", later, []string{"a", "c"}},
		{"a greater index with nobody serving", nobody(6, 5), []string{"a", "none"}},
		{"another list of fallbacks", serves(5, 5, "a", "b"), []string{"a", "a"}},
		{"an answer about another chain", wire.Active{Chain: "eth", State: wire.StateNone, Index: 7, Generation: 7}, []string{"a", "error"}},
		{"a state that is not known", wire.Active{Chain: "btc", State: "fine", Provider: new("c"), Index: 7, Generation: 7}, []string{"a", "error"}},
		{"a state ok without a provider", wire.Active{Chain: "btc", State: wire.StateOK, Index: 7, Generation: 7}, []string{"a", "error"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFakeController(serves(5, 5, "a"))
				c := newClient(t, f, client.Options{})
				got, ended := watch(t.Context(), c)
				require.Equal(t, []string{"a"}, names(got()))
				f.breaks(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, test.says) })
				if test.says.State == wire.StateNone && test.says.Chain == "btc" {
					f.breaks(func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusServiceUnavailable, test.says) })
				}
				time.Sleep(30 * time.Second)
				require.Equal(t, test.want, names(got()))
				require.NoError(t, c.Close())
				<-ended
			})
		})
	}
}

func TestAnOlderAnswerIsBelievedWhenNothingElseHasComeForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(5, 5, "a"))
		c := newClient(t, f, client.Options{Settle: time.Minute})
		got, ended := watch(t.Context(), c)
		require.Equal(t, []string{"a"}, names(got()))
		f.say(serves(2, 2, "restored"))
		time.Sleep(40 * time.Second)
		f.say(serves(5, 5, "a"))
		time.Sleep(40 * time.Second)
		require.Equal(t, []string{"a"}, names(got()), "the newer one came in between")
		f.say(serves(2, 2, "restored"))
		time.Sleep(50 * time.Second)
		require.Equal(t, []string{"a"}, names(got()))
		time.Sleep(15 * time.Second)
		require.Equal(t, []string{"a", "restored"}, names(got()))
		require.NoError(t, c.Close())
		<-ended
	})
}

func TestAnOutageOfTheControllerIsToldOnceAndSurvived(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a"))
		c := newClient(t, f, client.Options{})
		got, ended := watch(t.Context(), c)
		require.Equal(t, []string{"a"}, names(got()))
		f.breaks(down)
		time.Sleep(time.Hour)
		require.Equal(t, []string{"a", "error"}, names(got()))
		require.Equal(t, "a", *got()[1].active.Provider, "the last good answer comes with the error")
		require.ErrorContains(t, got()[1].err, `chain "btc"`)
		f.breaks(nil)
		time.Sleep(time.Minute)
		require.Len(t, got(), 2, "nothing has changed")
		f.say(serves(2, 2, "b"))
		require.Equal(t, []string{"a", "error", "b"}, names(got()))
		f.breaks(down)
		time.Sleep(time.Minute)
		require.Equal(t, []string{"a", "error", "b", "error"}, names(got()), "each outage is told")
		require.NoError(t, c.Close())
		<-ended
	})
}

func TestNobodyAsksInATightLoop(t *testing.T) {
	t.Parallel()
	var n atomic.Uint64
	for _, test := range []struct {
		name    string
		breaks  http.HandlerFunc
		noWait  bool
		atMost  int
		atLeast int
	}{
		{"a controller that is down", down, false, 170, 35},
		{"one that refuses to wait", nil, true, 670, 280},
		{"one that says not modified at once", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, false, 670, 280},
		{"a replica that lags", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, serves(3, 3, "old")) }, false, 670, 280},
		{"a cut through each long question", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("wait") {
				down(w, r)
				return
			}
			answer(w, http.StatusOK, serves(5, 5, "a"))
		}, false, 1340, 280},
		{"a new answer to each question", func(w http.ResponseWriter, _ *http.Request) {
			n := 5 + n.Add(1)
			answer(w, http.StatusOK, serves(n, n, "a"))
		}, false, 6001, 1000},
		{"a controller that works", nil, false, 22, 18},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFakeController(serves(5, 5, "a"))
				c := newClient(t, f, client.Options{Settle: 24 * time.Hour})
				got, ended := watch(t.Context(), c)
				require.NotEmpty(t, got())
				f.mu.Lock()
				f.noWait = test.noWait
				f.mu.Unlock()
				if test.breaks != nil {
					f.breaks(test.breaks)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				require.LessOrEqual(t, f.questions(), test.atMost)
				require.GreaterOrEqual(t, f.questions(), test.atLeast)
				require.NoError(t, c.Close())
				<-ended
			})
		})
	}
}

func TestAChangeGetsThroughWhereLongQuestionsDoNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(5, 5, "a"))
		c := newClient(t, f, client.Options{})
		got, ended := watch(t.Context(), c)
		now := make(chan wire.Active, 1)
		now <- serves(5, 5, "a")
		require.NotEmpty(t, got())
		f.breaks(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("wait") {
				w.WriteHeader(http.StatusGatewayTimeout)
				return
			}
			a := <-now
			now <- a
			answer(w, http.StatusOK, a)
		})
		time.Sleep(time.Minute)
		<-now
		now <- serves(6, 6, "b")
		time.Sleep(5 * time.Second)
		require.Equal(t, "b", *got()[len(got())-1].active.Provider)
		require.NoError(t, c.Close())
		<-ended
	})
}

func TestAWatchEndsWithItsContextItsLoopAndItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a"))
		c := newClient(t, f, client.Options{})
		for range c.Watch(t.Context(), "btc") {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		got, ended := watch(ctx, c)
		require.Len(t, got(), 1)
		cancel()
		<-ended
		require.NoError(t, c.Close())
		for range c.Watch(t.Context(), "btc") {
			t.Error("a closed client gave something")
		}
		require.NoError(t, c.Close(), "closing twice is no error")
	})
}

func TestActiveGivesWhatTheControllerSays(t *testing.T) {
	t.Parallel()
	huge := make([]byte, 5<<20)
	for _, test := range []struct {
		name  string
		says  http.HandlerFunc
		state string
		err   string
	}{
		{name: "a provider", says: func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, serves(1, 1, "a")) }, state: wire.StateOK},
		{name: "nobody, with status 503", says: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusServiceUnavailable, nobody(2, 1))
		}, state: wire.StateNone},
		{name: "members that are not known", says: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"chain":"btc","state":"ok","provider":"a","type":"x","rpc_host":"http://a","later":{"x":1}}`)
		}, state: wire.StateOK},
		{name: "a page of a proxy with status 503", says: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprint(w, "<html>")
		}, err: "status 503"},
		{name: "a problem", says: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = fmt.Fprint(w, `{"detail":"the journal is being read"}`)
		}, err: "status 503: the journal is being read"},
		{name: "no access", says: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, err: "check the token"},
		{name: "no JSON", says: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") }, err: "invalid character"},
		{name: "half an answer", says: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"chain":"btc",`) }, err: "unexpected end"},
		{name: "null", says: func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `null`) }, err: `about chain ""`},
		{name: "an answer without end", says: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(huge) }, err: "longer than"},
		{name: "not modified, which was not asked", says: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, err: "about chain"},
		{name: "a redirect", says: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example", http.StatusFound)
		}, err: "status 302"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFakeController(nobody(1, 0))
			f.breaks(test.says)
			c := newClient(t, f, client.Options{})
			a, err := c.Active(t.Context(), "btc")
			require.NoError(t, c.Close())
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				require.ErrorContains(t, err, `chain "btc"`)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.state, a.State)
		})
	}
}

func TestAChainThatIsNotConfiguredIsToldApart(t *testing.T) {
	t.Parallel()
	c := newClient(t, newFakeController(serves(1, 1, "a")), client.Options{})
	_, err := c.Active(t.Context(), "ltc/../btc")
	require.ErrorIs(t, err, client.ErrUnknownChain)
	require.NoError(t, c.Close())
}

func TestQuestionsCarryTheTokenAndTheCapability(t *testing.T) {
	t.Parallel()
	f := newFakeController(serves(1, 1, "a"))
	c := newClient(t, f, client.Options{Token: "t0ken", Capability: "wallet"})
	_, err := c.Active(t.Context(), "btc")
	require.NoError(t, err)
	require.Equal(t, "Bearer t0ken", f.last().Header.Get("Authorization"))
	require.Equal(t, "wallet", f.last().URL.Query().Get("capability"))
	require.NoError(t, c.Close())
}

func TestAControllerURLThatCannotWorkIsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "controller:9477", "ftp://me:s3cret@controller", "http://", "http://me:s3cret@con troller"} {
		_, err := client.New(client.Options{URL: u})
		require.ErrorContains(t, err, "controller URL", u)
		require.NotContains(t, err.Error(), "s3cret")
	}
}

func TestAnErrorOfTheControllerDoesNotTellItsPassword(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Options{URL: "http://me:s3cret@controller.example", HTTPClient: &http.Client{Transport: inProcess{}}})
	require.NoError(t, err)
	_, err = c.Active(t.Context(), "btc")
	require.Error(t, err)
	require.NotContains(t, err.Error(), "s3cret")
	var gone *dialError
	require.True(t, errors.As(err, &gone))
	require.NoError(t, c.Close())
}
