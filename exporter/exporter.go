// Package exporter watches the configured providers and publishes what it finds
// as metrics: heights, latencies, errors, the outcome of comparing providers
// with each other, and the policy by which rules judge all this.
//
// It wires the parts together (chain asks, prober decides when, integrity
// compares, scanner reads the baseline) and serves them over HTTP. It judges
// nobody: what is unhealthy stands in the rules. A reload builds everything that
// can fail first and swaps last, so that a bad configuration changes nothing.
package exporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/run"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/integrity"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/exporter/scanner"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// Options are what an exporter needs from its surroundings.
type Options struct {
	// Load reads and validates the configuration. It is called once by New and
	// again by each Reload.
	Load func() (config.Config, error)
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// OnProbe is called after each probe that ended with a verdict, from the
	// probing goroutine; it must not block. nil: nobody is told.
	OnProbe func(prober.Key)
}

// Exporter is one running exporter. Make it with New.
type Exporter struct {
	load     func() (config.Config, error)
	logger   *slog.Logger
	prober   *prober.Set
	networks *integrity.Networks
	checker  *integrity.Checker
	scanner  *scanner.Scanner
	process  *processMetrics

	// reloading serialises reloads; fleet is what is in force.
	reloading sync.Mutex
	fleet     atomic.Pointer[fleet]
	stopping  atomic.Bool
}

// New reads the configuration and builds everything, but probes nothing before
// Run. Its error is that of the configuration.
func New(o Options) (*Exporter, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	e := &Exporter{load: o.Load, logger: o.Logger, networks: integrity.NewNetworks()}
	e.process = newProcessMetrics(func() bool { return e.Ready() == nil })
	e.prober = prober.New(prober.Options{
		Judge:  e.networks,
		Logger: o.Logger.With("component", "prober"),
		OnResult: func(k prober.Key) {
			e.networks.Attempted(k)
			if o.OnProbe != nil {
				o.OnProbe(k)
			}
		},
		OnMissed: e.networks.Missed,
	})
	e.checker = integrity.New(integrity.Options{
		Tips: e.tips, Logger: o.Logger.With("component", "integrity"),
	})
	e.scanner = scanner.New(scanner.Options{Logger: o.Logger.With("component", "scanner")})
	if err := e.Reload(); err != nil {
		return nil, err
	}
	return e, nil
}

// Run probes until the context ends, then waits for what is in flight.
func (e *Exporter) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g run.Group
	for _, part := range []func(context.Context) error{e.prober.Run, e.checker.Run, e.scanner.Run} {
		g.Add(func() error { return part(ctx) }, func(error) { cancel() })
	}
	g.Add(func() error {
		<-ctx.Done()
		e.stopping.Store(true)
		return ctx.Err()
	}, func(error) { cancel() })
	if err := g.Run(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Reload reads the configuration again and puts it in force. On an error the
// one before stays in force, untouched. Reloads are serialised.
func (e *Exporter) Reload() (err error) {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	defer func() { e.process.reloaded(err, time.Now()) }()
	cfg, err := e.load()
	if err != nil {
		return err
	}
	next, err := newFleet(cfg, e.fleet.Load())
	if err != nil {
		return err
	}
	hash, err := hashOf(cfg)
	if err != nil {
		return err
	}
	// Nothing below can fail.
	e.networks.Apply(cfg.Chains)
	e.fleet.Store(next)
	e.prober.Apply(next.targets())
	e.checker.Apply(next.compared())
	e.scanner.Apply(next.observed())
	e.process.configHash.Set(hash)
	for _, w := range cfg.Warnings {
		e.logger.Warn("The configuration works but may surprise", "place", fmt.Sprintf("%s:%d", w.File, w.Line), "path", w.Path, "warning", w.Wrong, "advice", w.Right)
	}
	e.logger.Info("Configuration in force", "file", cfg.Source, "chains", len(cfg.Chains), "providers", len(next.members))
	return nil
}

// hashOf is a number that changes with the configuration. It is made from the
// form that hides secrets: a hash of a secret is a hint at it.
func hashOf(cfg config.Config) (float64, error) {
	h := fnv.New32a()
	if err := json.NewEncoder(h).Encode(cfg); err != nil {
		return 0, fmt.Errorf("hash the configuration: %w", err)
	}
	return float64(h.Sum32()), nil
}

// Ready is nil once each provider was probed, and until the exporter stops;
// otherwise it says what is missing. A provider that cannot be reached from this
// machine, as by an address that there is no way to, is not waited for while others
// are reached.
func (e *Exporter) Ready() error {
	if e.stopping.Load() {
		return errors.New("stopping")
	}
	var waiting, missed []prober.Key
	members := e.fleet.Load().members
	for _, m := range members {
		switch s, ok := e.prober.Status(m.key); {
		case ok && s.Probed:
		case ok && s.Missed() > 0:
			missed = append(missed, m.key)
		default:
			waiting = append(waiting, m.key)
		}
	}
	if len(missed)+len(waiting) == len(members) {
		waiting = append(waiting, missed...)
	}
	if len(waiting) > 0 {
		return fmt.Errorf("%d providers were not probed yet, %s/%s among them", len(waiting), waiting[0].Chain, waiting[0].Provider)
	}
	return nil
}

// Config is the configuration in force.
func (e *Exporter) Config() config.Config { return e.fleet.Load().config }

// Gather implements prometheus.Gatherer: everything that /metrics shows.
func (e *Exporter) Gather() ([]*dto.MetricFamily, error) {
	own, err := e.process.registry.Gather()
	return append(gather(e.view(time.Now())), own...), err
}

var _ prometheus.Gatherer = (*Exporter)(nil)

// Registerer takes the metrics of what runs in the same process, so that one
// page shows all.
func (e *Exporter) Registerer() prometheus.Registerer { return e.process.registry }

// view takes down what there is to tell now.
func (e *Exporter) view(now time.Time) *view {
	v := &view{}
	e.look(v, now)
	return v
}

// look takes down what there is to tell now, in place of what a view told before.
func (e *Exporter) look(v *view, now time.Time) {
	f := e.fleet.Load()
	v.now = now
	v.providers, v.chains = slices.Grow(v.providers[:0], len(f.members)), v.chains[:0]
	for _, m := range f.members {
		status, _ := e.prober.Status(m.key)
		result, _ := e.checker.Result(m.key)
		v.providers = append(v.providers, providerView{member: m, status: status, integrity: result, asked: e.checker.Asked(m.key)})
	}
	for _, c := range f.config.Chains {
		cv := chainView{chainLabel: pair(rules.LabelChain, c.Name), config: c}
		if h, ok := e.scanner.Observed(c.Name); ok {
			cv.observed = chain.Some(h)
		}
		if polls, ok := e.scanner.Status(c.Name); ok {
			cv.polls = chain.Some(polls)
		}
		cv.agreement, _ = e.checker.ChainResult(c.Name)
		v.chains = append(v.chains, cv)
	}
}

// tips are the providers of a chain as the comparison needs them.
func (e *Exporter) tips(name string) []integrity.Tip {
	now := time.Now()
	var all []integrity.Tip
	for _, m := range e.fleet.Load().byChain[name] {
		if s, ok := e.prober.Status(m.key); ok {
			all = append(all, integrity.Tip{
				Key: m.key, Up: s.Up && !s.RetryAfter.After(now),
				Height: s.Height, Hash: s.Hash, Parent: s.Parent, LastGood: s.LastGood,
			})
		}
	}
	return all
}
