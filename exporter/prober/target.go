package prober

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Asker is one provider that can be asked; *chain.Provider is one. It is used
// by several goroutines at once and must be comparable with ==, as pointers
// are.
type Asker interface {
	// Observe is one probe. Its error is a *chain.Failure or a
	// *chain.NoVerdict; it returns soon after ctx ends.
	Observe(ctx context.Context, ask chain.Ask) (chain.Observation, error)
}

// Target is one provider as it shall be probed.
type Target struct {
	Key
	// Operator is handed on to the Status.
	Operator string
	// Asker is who is probed. The same one as before is an unchanged provider,
	// whose state is kept; another one starts afresh.
	Asker Asker
	// Interval is the provider's own, from start to start of two probes. Zero
	// or less is taken as DefaultInterval.
	Interval time.Duration
	// Policy is the chain's. A SuspectCheckInterval or a RequestTimeout of zero
	// or less is taken as the interval.
	Policy config.Failover
	// Duration receives the seconds of each probe with a verdict; nil for none.
	Duration prometheus.Observer

	// share is the key's, worked out once.
	share float64
}

// DefaultInterval stands in for an interval that is not given.
const DefaultInterval = 10 * time.Second

// filled is the target with everything that the schedule divides by above zero.
func (t Target) filled() Target {
	t.share = t.Key.share()
	if t.Interval <= 0 {
		t.Interval = DefaultInterval
	}
	if t.Policy.SuspectCheckInterval <= 0 {
		t.Policy.SuspectCheckInterval = t.Interval
	}
	if t.Policy.RequestTimeout <= 0 {
		t.Policy.RequestTimeout = t.Interval
	}
	return t
}

// Options are what a Set needs from outside. The zero value is useful.
type Options struct {
	// Judge decides about networks. Without one, every network is right.
	Judge Judge
	// Logger receives failures of probes (debug) and changes between up and
	// down (info and warn); nil for none.
	Logger *slog.Logger
	// Concurrency is the number of probes that may be under way at once, over
	// all providers; DefaultConcurrency if zero or less.
	Concurrency int
	// OnResult is called after each recorded verdict, from the goroutine that
	// probed. It must not block. nil for none.
	OnResult func(Key)
	// OnMissed is called likewise after each probe that ended without a verdict.
	OnMissed func(Key)
}

// DefaultConcurrency is the number of probes under way at once. It stays well
// below the file descriptors that a service usually may open.
const DefaultConcurrency = 2048

// filled is the options with everything set.
func (o Options) filled() Options {
	if o.Judge == nil {
		o.Judge = anyNetwork{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.OnResult == nil {
		o.OnResult = func(Key) {}
	}
	if o.OnMissed == nil {
		o.OnMissed = func(Key) {}
	}
	return o
}
