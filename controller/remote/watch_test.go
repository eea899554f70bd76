package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// fakeController answers without a network, in the time of the test.
type fakeController struct {
	mu     sync.Mutex
	index  uint64
	status string
	down   bool
	// hasty answers long polls at once.
	hasty bool
	// polls are the times of the long polls.
	polls []time.Duration
	began time.Time
}

// set changes what it answers.
func (f *fakeController) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// holds says whether a long poll has to wait.
func (f *fakeController) holds(index string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.down && !f.hasty && index == jsonOf(f.index)
}

// RoundTrip holds a long poll back until the index has passed or the wait is
// over.
func (f *fakeController) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/active") && r.URL.Query().Has("index") {
		f.set(func() { f.polls = append(f.polls, time.Since(f.began)) })
		wait, err := time.ParseDuration(r.URL.Query().Get("wait"))
		if err != nil {
			return nil, err
		}
		for end := time.Now().Add(wait); time.Now().Before(end) && f.holds(r.URL.Query().Get("index")); {
			if !sleep(r.Context(), time.Second) {
				return nil, r.Context().Err()
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, errors.New("connection refused")
	}
	chain := wire.Chain{Chain: "btc", Index: f.index, Providers: []wire.Provider{{Name: "a", Status: f.status}}}
	var value any = wire.ActiveList{Index: f.index}
	switch r.URL.Path {
	case "/thorchain/providers":
		value = wire.ChainList{Chains: []wire.Chain{chain}}
	case "/thorchain/providers/btc":
		value = chain
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewBufferString(jsonOf(value)))}, nil
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// sighting is a sight and when it was had.
type sighting struct {
	at time.Duration
	Sight
}

// watching runs a watch over a fake controller, on which act is carried out, and
// returns what was shown until the end.
func watching(t *testing.T, f *fakeController, chain string, refresh bool, act func()) []sighting {
	t.Helper()
	name, err := config.ParseURL("http://h")
	require.NoError(t, err)
	c := &Client{base: &url.URL{Scheme: "http", Host: "h"}, name: name, http: &http.Client{Transport: f}, timeout: 10 * time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	f.began = time.Now()
	var shown []sighting
	ended := make(chan error)
	go func() {
		ended <- c.Watch(ctx, chain, 30*time.Second, refresh, func(s Sight) { shown = append(shown, sighting{time.Since(f.began), s}) })
	}()
	act()
	synctest.Wait()
	cancel()
	require.NoError(t, <-ended)
	return shown
}

func TestAWatchShowsEachChangeOnce(t *testing.T) {
	t.Parallel()
	for _, chain := range []string{"", "btc"} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeController{index: 1, status: "healthy"}
			shown := watching(t, f, chain, false, func() {
				time.Sleep(45 * time.Second)
				synctest.Wait()
				f.set(func() { f.index, f.status = 2, "unhealthy" })
				time.Sleep(5 * time.Minute)
			})
			require.Len(t, shown, 2)
			require.Equal(t, uint64(1), shown[0].Chains[0].Index)
			require.Zero(t, shown[0].at)
			require.Equal(t, uint64(2), shown[1].Chains[0].Index)
			require.Less(t, shown[1].at, 47*time.Second)
		})
	}
}

func TestAWatchSeesStatesThatChangeWithoutADecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeController{index: 1, status: "healthy"}
		shown := watching(t, f, "", false, func() {
			time.Sleep(time.Second)
			synctest.Wait()
			f.set(func() { f.status = "recovering" })
			time.Sleep(time.Minute)
		})
		require.Len(t, shown, 2)
		require.Equal(t, "recovering", shown[1].Chains[0].Providers[0].Status)
	})
}

func TestAWatchThatRefreshesShowsWhatDidNotChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown := watching(t, &fakeController{index: 1}, "", true, func() { time.Sleep(2 * time.Minute) })
		require.Len(t, shown, 4)
	})
}

func TestAWatchOutlivesTheController(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeController{index: 1}
		shown := watching(t, f, "", false, func() {
			time.Sleep(10 * time.Second)
			synctest.Wait()
			f.set(func() { f.down = true })
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			f.set(func() { f.down = false })
			time.Sleep(time.Minute)
		})
		require.Len(t, shown, 3, "the outage is told once, and its end too")
		require.ErrorContains(t, shown[1].Err, "connection refused")
		require.NoError(t, shown[2].Err)
		require.Less(t, len(f.polls), 60, "it asks less and less often")
		require.Less(t, shown[2].at, 10*time.Minute+26*time.Second, "and comes back soon")
	})
}

func TestAWatchDoesNotStormAControllerThatNeverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeController{index: 1, hasty: true}
		shown := watching(t, f, "", false, func() { time.Sleep(10 * time.Second) })
		require.Len(t, shown, 1)
		require.LessOrEqual(t, len(f.polls), int(10*time.Second/minPause))
	})
}

func TestAWatchEndsWithTheErrorOfItsFirstLook(t *testing.T) {
	t.Parallel()
	c := client(t, Options{URL: "http://127.0.0.1:1"})
	err := c.Watch(t.Context(), "", time.Second, false, func(Sight) { t.Error("there is nothing to show") })
	require.ErrorAs(t, err, new(*Unreachable))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, c.Watch(ctx, "", time.Second, false, func(Sight) { t.Error("there is nothing to show") }))
}
