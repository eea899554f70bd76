// Package controller evaluates the rules over what the exporters publish and
// tells what they find. It decides nothing about a provider in Go: what is
// unhealthy stands in the rules, bundled or the operator's own.
//
// A reload takes new rules as a whole or not at all; the alerts of unchanged
// rules go on.
package controller

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/rules"
)

// Options are what a controller needs from its surroundings.
type Options struct {
	// Sources are the exporters; one at least.
	Sources []evaluator.Source
	// Bundled says whether the bundled rules are evaluated, RuleFiles are globs of
	// further ones.
	Bundled   bool
	RuleFiles []string
	// ExternalURL is for the templates of rules.
	ExternalURL string
	// Registerer takes the controller's own metrics; nil: they are not published.
	Registerer prometheus.Registerer
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
}

// Controller is one running controller. Make it with New.
type Controller struct {
	bundled   bool
	ruleFiles []string
	logger    *slog.Logger
	evaluator *evaluator.Evaluator
	// firing are the alerts that were firing after the last evaluation. Only the
	// evaluator's goroutine touches it.
	firing map[uint64]labels.Labels
}

// New reads the rules and builds everything, but evaluates nothing before Run.
// Its error has a line for each mistake in a rule file.
func New(o Options) (*Controller, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Controller{bundled: o.Bundled, ruleFiles: o.RuleFiles, logger: o.Logger, firing: map[uint64]labels.Labels{}}
	groups, err := c.Load()
	if err != nil {
		return nil, err
	}
	c.evaluator, err = evaluator.New(evaluator.Options{
		Sources: o.Sources, ExternalURL: o.ExternalURL, Registerer: o.Registerer,
		Logger: o.Logger.With("component", "evaluator"), OnEvaluated: c.tell,
	}, groups)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return c, nil
}

// Run evaluates until the context ends.
func (c *Controller) Run(ctx context.Context) error { return c.evaluator.Run(ctx) }

// Trigger says that there are new samples. It never blocks.
func (c *Controller) Trigger() { c.evaluator.Trigger() }

// Alerts are the pending and the firing ones.
func (c *Controller) Alerts() []evaluator.Alert { return c.evaluator.Alerts() }

// Load reads the rule files without putting them in force.
func (c *Controller) Load() ([]evaluator.Group, error) {
	return evaluator.LoadGroups(c.bundled, c.ruleFiles)
}

// Reload puts rules in force that Load gave. On an error the rules before stay.
func (c *Controller) Reload(groups []evaluator.Group) error {
	if err := c.evaluator.SetGroups(groups); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	c.logger.Info("Rules in force", "groups", len(groups))
	return nil
}

// tell logs which alerts began and which ended with an evaluation.
func (c *Controller) tell(r evaluator.Result) {
	for _, f := range r.Failures {
		c.logger.Debug("A rule could not be evaluated", "err", f)
	}
	firing := map[uint64]labels.Labels{}
	for _, a := range r.Alerts {
		if a.State != evaluator.Firing || a.Name() == rules.AlertWatchdog {
			continue
		}
		key := a.Labels.Hash()
		firing[key] = a.Labels
		if _, already := c.firing[key]; !already {
			c.logger.Warn("Alert firing", attributes(a.Labels, "summary", a.Annotations.Get("summary"))...)
		}
	}
	for key, before := range c.firing {
		if _, still := firing[key]; !still {
			c.logger.Info("Alert resolved", attributes(before)...)
		}
	}
	c.firing = firing
}

// attributes are what names an alert in the log.
func attributes(l labels.Labels, more ...any) []any {
	all := []any{"alert", l.Get(labels.AlertName)}
	for _, name := range []string{rules.LabelChain, rules.LabelProvider} {
		if value := l.Get(name); value != "" {
			all = append(all, name, value)
		}
	}
	return append(all, more...)
}
