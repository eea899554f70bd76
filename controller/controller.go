// Package controller decides which provider serves each chain.
//
// It joins the parts: the evaluator and Alertmanager tell facts, the exporters
// give evidence, decision makes a choice of both, the journal keeps it, and the
// overview shows it. Every chain has one goroutine that owns its state. Whatever
// happens (an evaluation, a webhook, a timer, an order) only wakes that
// goroutine, which then looks at everything there is: lost, repeated and late
// messages end in the same decision.
//
// Invariants: a decision is in the journal before anybody sees it, unless the
// disk fails. No index and no generation is used twice, restarts included. The
// package itself judges nobody: that is done by the rules.
package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/run"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/journal"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Options are what a controller needs from its surroundings.
type Options struct {
	// Config says which chains there are.
	Config config.Config
	// Exporters are where the samples about providers come from; one at least.
	Exporters []evaluator.Source
	// Others are further sources of samples that rules read.
	Others []evaluator.Source
	// Interval is the time between two evaluations when nobody triggers one; zero:
	// evaluator.DefaultInterval.
	Interval time.Duration
	// Bundled says whether the bundled rules are evaluated, RuleFiles are globs of
	// further ones.
	Bundled   bool
	RuleFiles []string
	// ExternalURL is for the templates of rules.
	ExternalURL string
	// Mode says whose facts count; with an Alertmanager, its API is read as well.
	Mode         facts.Mode
	Alertmanager *facts.Client
	// WatchdogLimit is as in facts.Options.
	WatchdogLimit time.Duration
	// ResendLimit is as in facts.Options.
	ResendLimit time.Duration
	// WebhookToken is what Alertmanager has to present; empty: nothing.
	WebhookToken string
	// StoragePath is the folder of the journal.
	StoragePath string
	// Details tell of providers what is no metric; nil: nobody does.
	Details overview.Details
	// Ready says what else must be there; nil: nothing.
	Ready func() error
	// OnProbed, if set, is told after each evaluation of the probes that ended since
	// the one before. It must not block.
	OnProbed func(chain, provider string, good bool)
	// Registerer takes the controller's own metrics; nil: they are not published.
	Registerer prometheus.Registerer
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
}

// Controller is one running controller. Make it with New.
type Controller struct {
	bundled      bool
	ruleFiles    []string
	logger       *slog.Logger
	evaluator    *evaluator.Evaluator
	facts        *facts.Table
	reader       *facts.Reader
	webhook      *facts.Webhook
	observations *observation.Table
	board        *board.Board
	overview     *overview.Overview
	journal      *journal.Journal
	fingerprints fingerprints
	switches     *switches
	transports   transports
	routes       routes
	teller       teller
	probed       probed
	started      time.Time
	// recalledFacts are those of before the restart.
	recalledFacts facts.State
	otherReady    func() error

	evaluated atomic.Bool
	stopping  atomic.Bool

	// applying serialises Apply, the start and the end, and guards ended: nothing is
	// put in force any more.
	applying sync.Mutex
	ended    bool
	// mu guards what follows.
	mu     sync.Mutex
	owners map[string]*owner
	// remembered is what was known of chains before they were configured, or when they
	// ceased to be: until their first decision there is nothing newer.
	remembered map[string]remembered
	// running is set while Run is.
	running *running
}

// New reads the rules, opens the journal and puts up what it holds, but decides
// nothing before Run. Its error has a line for each mistake in a rule file.
func New(o Options) (*Controller, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Interval == 0 {
		o.Interval = evaluator.DefaultInterval
	}
	c := &Controller{
		bundled: o.Bundled, ruleFiles: o.RuleFiles, logger: o.Logger.With("component", "controller"), otherReady: o.Ready,
		observations: observation.New(silence(o.Interval)), switches: newSwitches(), started: time.Now(),
		owners: map[string]*owner{}, remembered: map[string]remembered{},
	}
	c.teller, c.probed = newTeller(c.logger), probed{tell: o.OnProbed}
	c.facts = facts.New(facts.Options{
		Mode: o.Mode, Alertmanager: o.Alertmanager != nil, WatchdogLimit: o.WatchdogLimit,
		ResendLimit: o.ResendLimit,
	}, c.started)
	groups, err := c.Load()
	if err != nil {
		return nil, err
	}
	if c.evaluator, err = c.newEvaluator(o, groups); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	c.facts.SetLocalRules(alertsOf(groups))
	c.hear(o)
	if err := c.restore(o.StoragePath); err != nil {
		return nil, err
	}
	c.overview = overview.New(overview.Options{
		Board: c.board, Facts: c.facts, Observations: c.observations, Recent: c.journal.Recent,
		Details: o.Details, Ready: c.Ready,
	})
	c.apply(o.Config, true)
	c.facts.Import(c.recalledFacts, c.started)
	if o.Registerer != nil {
		if err := o.Registerer.Register(newCollector(c, o.Alertmanager != nil)); err != nil {
			return nil, errors.Join(fmt.Errorf("metrics of the controller: %w", err), c.journal.Close())
		}
	}
	return c, nil
}

// silence is how long an exporter may be silent before it cannot be heard.
func silence(interval time.Duration) time.Duration { return max(15*time.Second, 4*interval) }

// newEvaluator makes the evaluator, whose samples the observations learn from.
func (c *Controller) newEvaluator(o Options, groups []evaluator.Group) (*evaluator.Evaluator, error) {
	var sources []evaluator.Source
	for _, s := range o.Exporters {
		sources = append(sources, c.observations.Watch(s))
	}
	return evaluator.New(evaluator.Options{
		Sources: append(sources, o.Others...), Interval: o.Interval, ExternalURL: o.ExternalURL, Registerer: o.Registerer,
		Logger: o.Logger, OnEvaluated: c.learn,
	}, groups)
}

// hear opens the ways through which Alertmanager is heard.
func (c *Controller) hear(o Options) {
	c.webhook = facts.NewWebhook(facts.WebhookOptions{
		Table: c.facts, Token: o.WebhookToken, Ready: func() bool { return !c.stopping.Load() }, Received: c.received,
	})
	if o.Alertmanager != nil {
		c.reader = facts.NewReader(facts.ReaderOptions{
			Client: o.Alertmanager, Table: c.facts, Reconciled: c.reconciled, Logger: o.Logger.With("component", "alertmanager"),
			Interval: facts.ReadIntervalFor(o.WatchdogLimit),
		})
	}
}

// running is what there is while the controller runs.
type running struct {
	ctx    context.Context
	owners sync.WaitGroup
}

// Run decides until the context ends. It closes the journal then, so that a
// controller runs once.
func (c *Controller) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &running{ctx: ctx}
	c.begin(r)
	parts := []func(context.Context) error{c.evaluator.Run, c.sweep, c.keepSnapshots}
	if c.reader != nil {
		parts = append(parts, c.reader.Run)
	}
	var g run.Group
	for _, part := range parts {
		g.Add(func() error { return part(ctx) }, func(error) { cancel() })
	}
	g.Add(func() error {
		<-ctx.Done()
		c.stopping.Store(true)
		return nil
	}, func(error) { cancel() })
	err := g.Run()
	c.endApplying()
	r.owners.Wait()
	c.transports.close()
	c.saveState()
	if closing := c.journal.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("journal: %w", closing))
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// begin starts the owners of the chains.
func (c *Controller) begin(r *running) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = r
	for _, o := range c.owners {
		c.startLocked(o)
	}
}

// startLocked starts an owner.
func (c *Controller) startLocked(o *owner) {
	if c.running == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.running.ctx)
	o.stop = cancel
	c.running.owners.Go(func() { o.run(ctx) })
}

// Overview answers what is known and decided.
func (c *Controller) Overview() *overview.Overview { return c.overview }

// Webhook takes in what Alertmanager posts.
func (c *Controller) Webhook() http.Handler { return c.webhook }

// Trigger says that there are new samples. It never blocks.
func (c *Controller) Trigger() { c.evaluator.Trigger() }

// Ready says what is missing before decisions can be trusted; nil: nothing.
func (c *Controller) Ready() []error {
	if c.stopping.Load() {
		return []error{errors.New("stopping")}
	}
	var missing []error
	if !c.evaluated.Load() {
		missing = append(missing, errors.New("the rules were not evaluated yet: an exporter has not answered"))
	} else if err := c.overview.Blind(time.Now()); err != nil {
		missing = append(missing, err)
	}
	if c.otherReady != nil {
		if err := c.otherReady(); err != nil {
			missing = append(missing, err)
		}
	}
	return missing
}
