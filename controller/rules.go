package controller

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/rules"
)

// Load reads the rule files without putting them in force.
func (c *Controller) Load() ([]evaluator.Group, error) {
	return evaluator.LoadGroups(c.bundled, c.ruleFiles)
}

// Reload puts rules in force that Load gave. On an error the rules before stay.
func (c *Controller) Reload(groups []evaluator.Group) error {
	if err := c.evaluator.SetGroups(groups); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	c.facts.SetLocalRules(alertsOf(groups))
	c.logger.Info("Rules in force", "groups", len(groups))
	return nil
}

// ReloadRules reads the rule files again and puts them in force. On an error the
// rules before stay.
func (c *Controller) ReloadRules() error {
	groups, err := c.Load()
	if err != nil {
		return err
	}
	return c.Reload(groups)
}

// alertsOf are the names of the alerts that groups have rules for.
func alertsOf(groups []evaluator.Group) []string {
	var names []string
	for _, g := range groups {
		for _, r := range g.Rules {
			if r.Alert != "" {
				names = append(names, r.Alert)
			}
		}
	}
	return names
}

// learn takes in an evaluation, and lets every chain be looked at: also without
// a new fact there is new evidence.
func (c *Controller) learn(r evaluator.Result) {
	c.teller.tell(r)
	now := time.Now()
	touched := c.facts.SetLocal(factsOf(r.Alerts), now)
	c.overview.SetFigures(c.figures())
	c.routes.round.Add(1)
	c.evaluated.Store(true)
	// Where there is something new, first.
	c.wake(touched)
	c.wakeAll()
	c.probed.look(c, now)
	if len(touched) > 0 {
		c.overview.Changed()
	}
}

// factsOf are the alerts that fire.
func factsOf(alerts []evaluator.Alert) []facts.Alert {
	firing := make([]facts.Alert, 0, len(alerts))
	for _, a := range alerts {
		if a.State == evaluator.Firing {
			firing = append(firing, facts.Alert{
				Labels: a.Labels.Map(), Annotations: a.Annotations.Map(), StartsAt: a.FiredAt, Firing: true,
			})
		}
	}
	return firing
}

// figures are what the rules recorded in the last evaluation.
func (c *Controller) figures() overview.Figures {
	f := overview.Figures{Tips: map[string]uint64{}, Lags: map[observation.Key]int64{}}
	for _, s := range c.evaluator.Current(rules.RecordedTip) {
		if s.Value >= 0 && s.Value < 1<<53 {
			f.Tips[s.Labels.Get(rules.LabelChain)] = uint64(s.Value)
		}
	}
	for _, s := range c.evaluator.Current(rules.RecordedLag) {
		if math.Abs(s.Value) < 1<<53 {
			key := observation.Key{Chain: s.Labels.Get(rules.LabelChain), Provider: s.Labels.Get(rules.LabelProvider)}
			f.Lags[key] = int64(s.Value)
		}
	}
	return f
}

// teller logs which alerts of the local evaluator began and which ended. Only
// the evaluator's goroutine uses it.
type teller struct {
	logger *slog.Logger
	firing map[uint64]labels.Labels
}

func newTeller(logger *slog.Logger) teller {
	return teller{logger: logger, firing: map[uint64]labels.Labels{}}
}

// tell logs what an evaluation changed.
func (t *teller) tell(r evaluator.Result) {
	for _, f := range r.Failures {
		t.logger.Debug("A rule could not be evaluated", "err", f)
	}
	firing := make(map[uint64]labels.Labels, len(t.firing))
	for _, a := range r.Alerts {
		if a.State != evaluator.Firing || a.Name() == rules.AlertWatchdog {
			continue
		}
		key := a.Labels.Hash()
		firing[key] = a.Labels
		if _, already := t.firing[key]; !already {
			t.logger.Warn("Alert firing", attributes(a.Labels, "summary", a.Annotations.Get(rules.AnnotationSummary))...)
		}
	}
	for key, before := range t.firing {
		if _, still := firing[key]; !still {
			t.logger.Info("Alert resolved", attributes(before)...)
		}
	}
	t.firing = firing
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
