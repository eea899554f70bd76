// Package evaluator evaluates Prometheus rules without Prometheus: the same
// files, the same PromQL engine, over samples that it collects itself. It is
// what decides while Prometheus or Alertmanager does not, and all the time for
// those who run neither.
//
// A round collects one set of samples from every source, writes them into a
// bounded memory with the time of the round, and evaluates all rules at that
// time, in the order of files, groups and rules; what a recording rule gives is
// seen by the rules after it. The engine's work is saved where its outcome is plain:
// parts of expressions that stand in several rules are evaluated once, those that
// cannot have changed not again, and common operators over results that are there
// already are applied directly. Results are the engine's to the last bit, and
// tests compare the two. Alerts, staleness, meta series and templates are
// those of Prometheus; a differential test and the rules' own unit tests hold
// both to the same results.
//
// Differences that are meant: the time of a sample is that of its round,
// whatever time the exposition gives; native histograms are not kept; a
// group's interval is not used, as every round evaluates all; only what a rule
// reads is kept, for as long as it reads back; a rule that reads back more than
// a day, or at a fixed time, is refused; a query in a template that reads a
// metric whose name stands in no constant text fails.
//
// It never asks a provider, and never decides what an alert means.
package evaluator

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// The defaults of Options.
const (
	DefaultInterval = 5 * time.Second
	DefaultLookback = 30 * time.Second
	// DefaultMaxSeries is enough for about 20,000 providers.
	DefaultMaxSeries = 1_000_000
	// DefaultMaxSamples lets one rule hold 80 MB.
	DefaultMaxSamples = 5_000_000
	DefaultTimeout    = 5 * time.Second
)

// Options are what an evaluator needs from its surroundings.
type Options struct {
	// Sources are where samples come from. There must be one at least.
	Sources []Source
	// Interval is the time between two rounds when nobody triggers one; 0 is the
	// default.
	Interval time.Duration
	// Lookback is how old a sample may be and still be the present value; 0 is the
	// default, or five intervals if they are longer. Prometheus has 5m, but a
	// source that is gone must not look alive for so long.
	Lookback time.Duration
	// ExternalLabels and ExternalURL are for templates.
	ExternalLabels map[string]string
	ExternalURL    string
	// MaxSeries bounds the series in memory. An answer that would go beyond is a
	// failed scrape: half of it would be half a truth. 0 is the default.
	MaxSeries int
	// MaxSamples and Timeout bound the evaluation of one rule; 0 is the default.
	MaxSamples int
	Timeout    time.Duration
	// Registerer takes the evaluator's own metrics; nil: they are not published.
	Registerer prometheus.Registerer
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// OnEvaluated is called by Run after each evaluation, one call at a time; the
	// next round waits for it. nil: nobody is told.
	OnEvaluated func(Result)
}

// Evaluator evaluates rules. Make it with New. Its methods may be called from
// several goroutines.
type Evaluator struct {
	logger         *slog.Logger
	interval       time.Duration
	lookback       time.Duration
	externalLabels map[string]string
	externalURL    *url.URL
	onEvaluated    func(Result)
	metrics        *metrics
	engine         *promql.Engine
	triggered      chan struct{}
	alerts         atomic.Pointer[[]Alert]

	// turn is taken by the round that is going on. It owns feeds and last.
	turn    chan struct{}
	feeds   []*feed
	flights sync.WaitGroup
	last    time.Time

	// mu guards what follows. It is not held while samples are collected.
	mu      sync.Mutex
	groups  []*group
	orphans []*series // Of rules that are gone: they end with the next evaluation.
	memory  *memory
	syntax  *syntax
	// maxSamples bounds what one operation may hold.
	maxSamples int
	// builder, scratch, key, kept and values are used again and again.
	builder labels.ScratchBuilder
	scratch labels.Labels
	key     []byte
	kept    []keptAs
	values  []float64
}

// New makes an evaluator with its first rules. It collects nothing yet.
func New(o Options, groups []Group) (*Evaluator, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	external, err := url.Parse(o.ExternalURL)
	if err != nil {
		return nil, errors.New("the external URL is not a URL")
	}
	m, err := newMetrics(o.Registerer)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{
		logger: o.Logger, interval: o.Interval, lookback: o.Lookback,
		externalLabels: o.ExternalLabels, externalURL: external,
		onEvaluated: o.OnEvaluated, metrics: m,
		triggered: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		memory:  newMemory(o.Lookback, o.Interval/2, o.MaxSeries),
		builder: labels.NewScratchBuilder(16), maxSamples: o.MaxSamples,
	}
	e.alerts.Store(&[]Alert{})
	e.syntax = &syntax{Parser: promQL}
	e.engine = promql.NewEngine(promql.EngineOpts{
		Logger: o.Logger, MaxSamples: o.MaxSamples, Timeout: o.Timeout, LookbackDelta: o.Lookback,
		NoStepSubqueryIntervalFn: func(int64) int64 { return o.Interval.Milliseconds() },
		EnableAtModifier:         true, EnableNegativeOffset: true, Parser: e.syntax,
	})
	for _, s := range o.Sources {
		steady, ok := s.(Steady)
		e.feeds = append(e.feeds, &feed{
			source: s, target: s.Target(), steady: ok && steady.Steady(), instruments: m.ofExporter(s.Target()),
		})
	}
	if err := e.SetGroups(groups); err != nil {
		return nil, err
	}
	return e, nil
}

// complete puts in the defaults and checks the rest.
func (o *Options) complete() error {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	if o.Lookback == 0 {
		o.Lookback = max(DefaultLookback, 5*o.Interval)
	}
	if o.MaxSeries == 0 {
		o.MaxSeries = DefaultMaxSeries
	}
	if o.MaxSamples == 0 {
		o.MaxSamples = DefaultMaxSamples
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("component", "evaluator")
	switch {
	case len(o.Sources) == 0:
		return errors.New("an evaluator needs a source of samples")
	case o.Interval < 100*time.Millisecond:
		return fmt.Errorf("interval %s: at least 100ms", o.Interval)
	case o.Lookback < 2*o.Interval:
		return fmt.Errorf("lookback %s: at least two intervals of %s", o.Lookback, o.Interval)
	case o.MaxSeries < 0 || o.MaxSamples < 0 || o.Timeout < 0:
		return errors.New("a limit of the evaluator is negative")
	}
	targets := map[Target]bool{}
	for _, s := range o.Sources {
		t := s.Target()
		if t.Job == "" || t.Instance == "" {
			return errors.New("a source of samples needs a job and an instance")
		}
		if targets[t] {
			return fmt.Errorf("two sources have the job %q and the instance %q", t.Job, t.Instance)
		}
		targets[t] = true
	}
	return nil
}

// SetGroups puts other rules in force from the next evaluation on. Rules that
// are still there, by file, group, name and labels, keep their alerts. On an
// error the rules before stay in force, untouched.
func (e *Evaluator) SetGroups(groups []Group) error {
	next, read, parts, err := compile(groups)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, g := range next {
		e.metrics.adopt(g)
	}
	e.orphans = append(e.orphans, inherit(next, e.groups)...)
	e.metrics.forget(e.groups, next)
	e.groups = next
	e.memory.keep(read)
	e.memory.parts = parts
	e.syntax.learn(parts)
	return nil
}

// Alerts are the pending and firing alerts after the last evaluation, as in
// Result. Nobody may change them.
func (e *Evaluator) Alerts() []Alert { return *e.alerts.Load() }

// Trigger asks for a round now: there are new samples. It never blocks; several
// calls before the round begins are one.
func (e *Evaluator) Trigger() {
	select {
	case e.triggered <- struct{}{}:
	default:
	}
}
