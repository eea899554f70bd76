package scanner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fakeWeb answers requests by their address, in place of the network.
type fakeWeb struct {
	mu      sync.Mutex
	answers map[string]string
	latency time.Duration
	asked   []string
}

func (w *fakeWeb) set(address, body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		w.answers = map[string]string{}
	}
	w.answers[address] = body
}

// requests are the addresses that were asked since the last call.
func (w *fakeWeb) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

func (w *fakeWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.asked = append(w.asked, r.URL.String())
	body, ok := w.answers[r.URL.String()]
	latency := w.latency
	w.mu.Unlock()
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-timer.C:
	}
	if !ok {
		return nil, fmt.Errorf("refused: %s", r.URL)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// started runs a scanner over a fake web until the test ends.
func started(t *testing.T, sources ...Source) (*Scanner, *fakeWeb, *strings.Builder) {
	t.Helper()
	log := &strings.Builder{}
	s := New(Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	web := &fakeWeb{}
	s.client.Transport = web
	s.Apply(sources)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	go func() { done <- s.Run(ctx) }()
	return s, web, log
}

func address(t *testing.T, raw string) *config.URL {
	t.Helper()
	u, err := config.ParseURL(raw)
	require.NoError(t, err)
	return &u
}

func bifrost(t *testing.T, chain, raw string) Source {
	t.Helper()
	return Source{chain, &config.ObservedHeight{BifrostStatusURL: address(t, raw)}}
}

const (
	statusURL = "http://bifrost:6040/status/scanner"
	lastURL   = "http://user:topsecret@thornode:1317/thorchain/lastblock/BTC"
	metricURL = "http://node:9000/metrics?key=topsecret"
)

// wait lets time pass until all is quiet.
func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestSources(t *testing.T) {
	t.Parallel()
	metric := func(t *testing.T) *config.MetricSource {
		t.Helper()
		return &config.MetricSource{URL: *address(t, metricURL), Name: "h", Labels: map[string]string{"chain": "BTC"}}
	}
	for _, c := range []struct {
		from, url, body string
		source          func(t *testing.T) *config.ObservedHeight
	}{
		{FromBifrost, statusURL, scannerStatus, func(t *testing.T) *config.ObservedHeight {
			return &config.ObservedHeight{BifrostStatusURL: address(t, statusURL)}
		}},
		{FromThornode, lastURL, `[{"chain":"BTC","last_observed_in":900007}]`, func(t *testing.T) *config.ObservedHeight {
			return &config.ObservedHeight{ThornodeURL: address(t, "http://user:topsecret@thornode:1317/")}
		}},
		{FromMetric, metricURL, "h{chain=\"BTC\"} 900007\n", func(t *testing.T) *config.ObservedHeight {
			return &config.ObservedHeight{Metric: metric(t)}
		}},
	} {
		t.Run(c.from, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, web, log := started(t, Source{"btc", c.source(t)})
				web.set(c.url, c.body)
				wait(interval)
				height, ok := s.Observed("btc")
				require.True(t, ok)
				require.EqualValues(t, 900007, height.Value)
				require.Equal(t, c.from, height.From)

				web.set(c.url, "<secret-word>")
				wait(2 * interval)
				status, ok := s.Status("btc")
				require.True(t, ok)
				require.Equal(t, c.from, status.From)
				require.EqualValues(t, 2, status.Failures[Malformed])
				require.Greater(t, status.Polls, status.Failures[Malformed])
				require.Len(t, status.Failures, len(Reasons))
				require.NotNil(t, status.LastFailure)
				require.NotContains(t, fmt.Sprint(status, status.LastFailure, log.String()), "secret")
				require.Contains(t, log.String(), "observed height is not told")
			})
		})
	}
}

func TestPolls(t *testing.T) {
	t.Parallel()
	inBubble := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, test)
		})
	}
	inBubble("several chains of one address are polled once", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL), bifrost(t, "eth", statusURL), bifrost(t, "ltc", statusURL))
		web.set(statusURL, `{"BTC":{"block_scanner_height":1},"ETH":{"block_scanner_height":2}}`)
		wait(interval)
		web.requests()
		wait(10 * interval)
		require.Len(t, web.requests(), 10)
		for chain, want := range map[string]uint64{"btc": 1, "eth": 2} {
			height, ok := s.Observed(chain)
			require.True(t, ok, chain)
			require.Equal(t, want, height.Value)
		}
		_, ok := s.Observed("ltc")
		require.False(t, ok)
		status, _ := s.Status("ltc")
		require.Positive(t, status.Failures[Absent], "the address answers, but not about this chain")
	})
	inBubble("a slow poll holds nothing else up", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		web.set(statusURL, scannerStatus)
		web.mu.Lock()
		web.latency = 50 * time.Second
		web.mu.Unlock()
		wait(interval)
		_, ok := s.Observed("btc")
		require.False(t, ok)
		require.NoError(t, s.Push("btc", 5), "nothing waits for the poll")
		wait(time.Minute)
		height, _ := s.Observed("btc")
		require.Equal(t, FromBifrost, height.From)
	})
	inBubble("an address that never answers fails by timeout and is asked again", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		web.mu.Lock()
		web.latency = time.Hour
		web.mu.Unlock()
		wait(10 * time.Minute)
		status, _ := s.Status("btc")
		require.Greater(t, status.Failures[Timeout], uint64(5))
		require.Equal(t, status.Polls, status.Failures[Timeout])
	})
	inBubble("a height that is told no more is forgotten after five minutes", func(t *testing.T) {
		s, web, log := started(t, bifrost(t, "btc", statusURL))
		web.set(statusURL, scannerStatus)
		wait(interval)
		web.set(statusURL, `{"BTC":{"block_scanner_height":-1}}`)
		wait(maxAge - interval)
		height, ok := s.Observed("btc")
		require.True(t, ok)
		wait(maxAge - time.Since(height.At))
		_, ok = s.Observed("btc")
		require.True(t, ok, "exactly five minutes are not too old")
		wait(time.Millisecond)
		_, ok = s.Observed("btc")
		require.False(t, ok)
		status, _ := s.Status("btc")
		require.Positive(t, status.Failures[Unknown])
		require.Equal(t, 1, strings.Count(log.String(), "not told"), "what goes on failing is logged once")

		web.set(statusURL, scannerStatus)
		wait(interval)
		_, ok = s.Observed("btc")
		require.True(t, ok)
		require.Contains(t, log.String(), "told again")
	})
	inBubble("a lower height is taken as it is", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		for _, want := range []uint64{900, 1000, 10} {
			web.set(statusURL, fmt.Sprintf(`{"BTC":{"block_scanner_height":%d}}`, want))
			wait(interval)
			height, _ := s.Observed("btc")
			require.Equal(t, want, height.Value)
		}
	})
}

func TestApply(t *testing.T) {
	t.Parallel()
	inBubble := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, test)
		})
	}
	inBubble("the same again polls no more often", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		web.set(statusURL, scannerStatus)
		wait(interval)
		web.requests()
		for range 100 {
			s.Apply([]Source{bifrost(t, "btc", statusURL)})
			wait(time.Millisecond)
		}
		require.LessOrEqual(t, len(web.requests()), 1)
		_, ok := s.Observed("btc")
		require.True(t, ok)
	})
	inBubble("another source: what the old one told is forgotten, and it is asked no more", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		web.set(statusURL, scannerStatus)
		wait(interval)
		s.Apply([]Source{bifrost(t, "btc", "http://other:6040/status/scanner")})
		_, ok := s.Observed("btc")
		require.False(t, ok)
		web.requests()
		wait(2 * interval)
		require.NotContains(t, web.requests(), statusURL)
	})
	inBubble("an answer from before a change is dropped", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		web.set(statusURL, scannerStatus)
		web.mu.Lock()
		web.latency = 10 * time.Second
		web.mu.Unlock()
		wait(time.Second)
		s.Apply([]Source{{Chain: "btc"}})
		wait(20 * time.Second)
		_, ok := s.Observed("btc")
		require.False(t, ok)
		_, ok = s.Status("btc")
		require.False(t, ok, "it is polled no more")
	})
	inBubble("so is one that could not be stopped in time", func(t *testing.T) {
		s, _, _ := started(t, bifrost(t, "btc", "http://other:6040/status/scanner"))
		a, f := parseStatus([]byte(scannerStatus))
		require.Nil(t, f)
		require.Empty(t, s.note(endpointOf(bifrost(t, "btc", statusURL)), a, nil))
		_, ok := s.Observed("btc")
		require.False(t, ok)
	})
	inBubble("a pushed height outlives another source", func(t *testing.T) {
		s, _, _ := started(t, Source{Chain: "btc"})
		require.NoError(t, s.Push("btc", 7))
		s.Apply([]Source{bifrost(t, "btc", statusURL)})
		height, ok := s.Observed("btc")
		require.True(t, ok)
		require.Equal(t, FromPushed, height.From)
	})
	inBubble("a chain that is gone is unknown", func(t *testing.T) {
		s, web, _ := started(t, bifrost(t, "btc", statusURL))
		s.Apply(nil)
		wait(time.Second)
		web.requests()
		wait(2 * interval)
		require.Empty(t, web.requests())
		_, ok := s.Observed("btc")
		require.False(t, ok)
	})
}

func TestPush(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(Options{Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	s.Apply([]Source{{Chain: "btc"}})
	_, ok := s.Observed("btc")
	require.False(t, ok)
	require.NoError(t, s.Push("btc", 100))
	require.NoError(t, s.Push("btc", 50))
	height, ok := s.Observed("btc")
	require.True(t, ok)
	require.Equal(t, Height{50, now, FromPushed}, height)

	err := s.Push("eth", 1)
	require.ErrorIs(t, err, ErrUnknownChain)
	require.EqualError(t, err, `chain "eth": unknown chain`)
	require.ErrorIs(t, s.Push("btc", 1<<53+1), ErrBadHeight)
	require.NoError(t, s.Push("btc", 1<<53))

	now = now.Add(maxAge + 1)
	_, ok = s.Observed("btc")
	require.False(t, ok)
	_, ok = s.Status("btc")
	require.False(t, ok, "nothing is polled")
}

func TestAgainstRealServers(t *testing.T) {
	t.Parallel()
	polled := make(chan string, 10)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		polled <- r.URL.Path
		switch r.URL.Path {
		case "/status/scanner":
			_, _ = w.Write([]byte(scannerStatus))
		case "/thorchain/lastblock/ETH":
			_, _ = w.Write([]byte(`[{"chain":"ETH","last_observed_in":22}]`))
		case "/metrics":
			_, _ = w.Write([]byte("# TYPE h gauge\nh 33\n"))
		}
	})
	s := New(Options{Logger: slog.New(slog.DiscardHandler)})
	s.Apply([]Source{
		bifrost(t, "btc", base+"/status/scanner"),
		{"eth", &config.ObservedHeight{ThornodeURL: address(t, base)}},
		{"ltc", &config.ObservedHeight{Metric: &config.MetricSource{URL: *address(t, base+"/metrics"), Name: "h"}}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	for range 3 {
		<-polled
	}
	for chain, want := range map[string]uint64{"btc": 900007, "eth": 22, "ltc": 33} {
		require.Eventually(t, func() bool {
			height, ok := s.Observed(chain)
			return ok && height.Value == want
		}, 10*time.Second, time.Millisecond, chain)
	}
	cancel()
	require.NoError(t, <-done)
}

func TestTicks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)
	require.Equal(t, 2*time.Second, untilTick(now, 12*time.Second))
	require.Equal(t, interval, untilTick(now, 10*time.Second), "right now is the next one")
	require.Equal(t, 5*time.Second, untilTick(now, 0))
	a, b := endpoint{FromBifrost, "http://a/", ""}, endpoint{FromBifrost, "http://b/", ""}
	require.Equal(t, a.phase(), a.phase())
	require.NotEqual(t, a.phase(), b.phase())
	require.Less(t, a.phase(), interval)
}

func TestTransportFailureRepeatsNoWordsOfOthers(t *testing.T) {
	t.Parallel()
	f := transportFailure(errors.New("http: odd topsecret"))
	require.NotContains(t, f.Error(), "topsecret")
}
