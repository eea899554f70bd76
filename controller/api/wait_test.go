package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// polled is how a request in the background ended.
type polled struct {
	*httptest.ResponseRecorder
	after time.Duration
}

// poll asks in the background.
func poll(a http.Handler, path string, headers ...string) <-chan polled {
	done := make(chan polled, 1)
	begin := time.Now()
	go func() { done <- polled{get(a, path, headers...), time.Since(begin)} }()
	synctest.Wait()
	return done
}

func TestALongPollIsAnsweredWithTheChange(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"of a chain": "/active/btc?index=42&wait=30s", "of all chains": "/active?index=42&wait=30", "without a time": "/active/btc?index=42",
		"with a capability": "/active/btc?index=42&wait=30s&capability=wallet",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				v := newFakeView()
				a := newAPI(t, v, Options{})
				waiting := poll(a, path)
				require.Empty(t, waiting)
				time.Sleep(3 * time.Second)
				v.set(active("btc", "blockchair"))
				w := <-waiting
				require.Equal(t, 3*time.Second, w.after)
				require.Equal(t, http.StatusOK, w.Code)
				require.Equal(t, "43", w.Header().Get("X-Understudy-Index"))
				require.Contains(t, w.Body.String(), "blockchair.example")
				require.Zero(t, a.watchers.now.Load())
			})
		})
	}
}

func TestALongPollEndsWithItsTime(t *testing.T) {
	t.Parallel()
	for query, wait := range map[string]time.Duration{
		"index=42&wait=500ms": 500 * time.Millisecond, "index=42&wait=2.5": 2500 * time.Millisecond, "index=42&wait=2m": 2 * time.Minute,
		"index=42&wait=1h": maxWait, "index=42&wait=99999999999999999999": maxWait, "index=42": defaultWait, "index=42&wait=0": 0,
		"index=41&wait=30s": 0, "wait=30s": 0, "index=100&wait=30s": 0,
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := <-poll(newAPI(t, newFakeView(), Options{}), "/active/btc?"+query)
				require.Equal(t, wait, w.after)
				require.Equal(t, http.StatusOK, w.Code)
				require.EqualValues(t, 42, decoded[wire.Active](t, w.ResponseRecorder).Index)
			})
		})
	}
}

func TestAnotherChainsChangeKeepsALongPollWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		waiting := poll(newAPI(t, v, Options{}), "/active/btc?index=42&wait=30s")
		v.set(active("eth", "alchemy"))
		v.grow("btc", 884215)
		w := <-waiting
		require.Equal(t, 30*time.Second, w.after)
		require.EqualValues(t, 884215, *decoded[wire.Active](t, w.ResponseRecorder).Height)
	})
}

func TestATagWithATimeWaitsForAnotherAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		tag := get(a, "/active/btc").Header().Get("ETag")
		w := <-poll(a, "/active/btc?wait=10s", "If-None-Match", tag)
		require.Equal(t, 10*time.Second, w.after)
		require.Equal(t, http.StatusNotModified, w.Code)

		waiting := poll(a, "/active/btc?wait=10s", "If-None-Match", tag)
		time.Sleep(time.Second)
		v.set(nobody("btc"))
		w = <-waiting
		require.Equal(t, time.Second, w.after)
		require.Equal(t, http.StatusServiceUnavailable, w.Code)

		w = <-poll(a, "/active/btc?wait=10s", "If-None-Match", tag)
		require.Zero(t, w.after, "another answer than the caller has is given at once")
	})
}

func TestALongPollEndsWhenTheChainOrTheCallerGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		waiting := poll(a, "/active/btc?index=42&wait=30s")
		v.remove("btc")
		problemOf(t, (<-waiting).ResponseRecorder, http.StatusNotFound)

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/active/eth?index=43&wait=5m", nil)
			a.ServeHTTP(httptest.NewRecorder(), r)
		}()
		synctest.Wait()
		require.EqualValues(t, 1, a.watchers.now.Load())
		begin := time.Now()
		cancel()
		<-done
		require.Equal(t, begin, time.Now())
		require.Zero(t, a.watchers.now.Load())
	})
}

func TestStopAnswersLongPollsWithWhatThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t, newFakeView(), Options{})
		waiting := poll(a, "/active/btc?index=42&wait=5m")
		a.Stop()
		a.Stop()
		w := <-waiting
		require.Zero(t, w.after)
		require.EqualValues(t, 42, decoded[wire.Active](t, w.ResponseRecorder).Index)
		require.Zero(t, (<-poll(a, "/active/btc?index=42&wait=5m")).after, "nobody waits any more")
		require.Equal(t, http.StatusOK, get(a, "/active/btc").Code)

		w = <-poll(a, "/-/ready")
		require.Equal(t, http.StatusServiceUnavailable, w.Code)
		require.Equal(t, http.StatusOK, get(a, "/-/healthy").Code)
		p := problemOf(t, get(a, "/events"), http.StatusServiceUnavailable)
		require.Contains(t, p.Detail, "stopping")
	})
}

func TestThereIsABoundToThoseWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{MaxWatchers: 2})
		first := poll(a, "/active/btc?index=42&wait=10s")
		stream := listen(t, a, "/events")
		for _, path := range []string{"/active/btc?index=42&wait=10s", "/active?index=42&wait=10s", "/events"} {
			w := get(a, path)
			problemOf(t, w, http.StatusServiceUnavailable)
			require.Equal(t, retryAfter, w.Header().Get("Retry-After"))
			require.Empty(t, w.Header().Get("ETag"))
		}
		require.Equal(t, http.StatusOK, get(a, "/active/btc?index=41&wait=10s").Code, "who need not wait needs no place")
		require.Equal(t, http.StatusOK, get(a, "/active/btc").Code)
		<-first
		<-poll(a, "/active/btc?index=42&wait=10s")
		stream.leave()
		synctest.Wait()
		require.Zero(t, a.watchers.now.Load())
	})
}
