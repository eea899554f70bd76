package prober

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

var _ Asker = (*chain.Provider)(nil)

// fakeAsker answers by a function and notes how it was used.
type fakeAsker struct {
	// answer is called with the number of the probe, from 0. nil answers well
	// at once.
	answer func(ctx context.Context, n int) (chain.Observation, error)

	mu            sync.Mutex
	starts        []time.Time
	asks          []chain.Ask
	running, most int
}

func (f *fakeAsker) Observe(ctx context.Context, ask chain.Ask) (chain.Observation, error) {
	f.mu.Lock()
	n := len(f.starts)
	f.starts, f.asks = append(f.starts, time.Now()), append(f.asks, ask)
	f.running++
	f.most = max(f.most, f.running)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running--
	}()
	if f.answer == nil {
		return goodAnswer(uint64(n) + 1)
	}
	return f.answer(ctx, n)
}

// seen is the number of probes and the most at once.
func (f *fakeAsker) seen() (probes, most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.starts), f.most
}

// times are the starts of the probes since a moment, to the millisecond.
func (f *fakeAsker) times(since time.Time) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, start := range f.starts {
		all = append(all, start.Sub(since).Round(time.Millisecond).String())
	}
	return all
}

// goodAnswer is an answer with a height and an identity.
func goodAnswer(height uint64) (chain.Observation, error) {
	return chain.Observation{
		Tip: chain.Tip{Height: height, Hash: fmt.Sprintf("%064x", height)}, HasTip: true,
		Latency: 20 * time.Millisecond, Identity: "main",
	}, nil
}

// failsWith answers every probe with one failure, after a time.
func failsWith(f chain.Failure, after time.Duration) func(context.Context, int) (chain.Observation, error) {
	return func(context.Context, int) (chain.Observation, error) {
		time.Sleep(after)
		return chain.Observation{}, &f
	}
}

// script answers the first probes in turn and the later ones well.
func script(answers ...error) func(context.Context, int) (chain.Observation, error) {
	return func(_ context.Context, n int) (chain.Observation, error) {
		if n < len(answers) && answers[n] != nil {
			return chain.Observation{}, answers[n]
		}
		return goodAnswer(uint64(n) + 1)
	}
}

// policy has the values that a chain without settings gets.
func policy() config.Failover {
	return config.Failover{
		SuspectCheckInterval: 2 * time.Second, RequestTimeout: 5 * time.Second,
		ErrorThreshold: 5, ErrorWindow: time.Minute, LatencyWindow: 10, StallTimeout: 2 * time.Minute,
	}
}

// local is a key with the phase 0.589; the values of the tests follow from it.
var local = Key{"btc", "local"}

// targetOf is a provider with the usual policy.
func targetOf(key Key, asker Asker) Target {
	return Target{Key: key, Operator: "us", Asker: asker, Interval: 10 * time.Second, Policy: policy()}
}

// bubble runs a parallel test in fake time, with a running set that is stopped
// at its end.
func bubble(t *testing.T, options Options, test func(t *testing.T, s *Set)) {
	t.Helper()
	t.Parallel()
	bubbleNow(t, options, test)
}

// bubbleNow is bubble for a test that others wait for.
func bubbleNow(t *testing.T, options Options, test func(t *testing.T, s *Set)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := New(options)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		defer func() {
			cancel()
			require.NoError(t, <-ended)
		}()
		synctest.Wait()
		test(t, s)
	})
}

// pass lets time go by and everything settle.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// statusOf is the status of a provider that must be there.
func statusOf(t *testing.T, s *Set, key Key) *Status {
	t.Helper()
	status, ok := s.Status(key)
	require.True(t, ok, "%s has no status", key)
	return &status
}
