package overview

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Chains are all chains, sorted by name, without events.
func (o *Overview) Chains() []wire.Chain {
	sheet, now := o.Board.Sheet(), o.Now()
	all := []wire.Chain{}
	for _, name := range sheet.Names() {
		all = append(all, o.chain(sheet.Chains[name], now))
	}
	return all
}

// Chain is one of them, with events; false if it is not configured.
func (o *Overview) Chain(name string) (wire.Chain, bool) {
	posted, ok := o.Board.Sheet().Chains[name]
	if !ok {
		return wire.Chain{}, false
	}
	c := o.chain(posted, o.Now())
	c.Events = o.Events(name, time.Time{}, maxEvents)
	return c, true
}

// chain is all that is known of a chain, but for its events.
func (o *Overview) chain(posted board.Posted, now time.Time) wire.Chain {
	d := posted.Decision
	s := d.State
	c := wire.Chain{
		Chain: d.Config.Name, State: s.Served.String(), Reason: s.Why, Generation: s.Generation, Index: posted.Index,
		Since: s.Current.Since, Total: len(d.Config.Providers), Evaluator: o.evaluator(now),
		Providers: []wire.Provider{}, Alerts: []wire.Alert{},
	}
	if s.Current.Provider != "" {
		c.Active = &s.Current.Provider
		c.Kept = s.Sentence()
	} else {
		c.State, c.Reason = selection.None.String(), s.Sentence()
	}
	if s.Pin != nil {
		c.Pinned = &wire.Pin{Provider: s.Pin.Provider, Reason: s.Pin.Reason, Since: s.Pin.Since, Until: moment(s.Pin.Until)}
	}
	if s.AwaitsApproval() && len(s.Fallbacks) > 0 {
		c.AwaitsApproval = s.Fallbacks[0]
	}
	ruling := o.Facts.Ruling(now)
	byProvider := map[string][]wire.Alert{}
	for _, f := range o.Facts.All(d.Config.Name, now) {
		byProvider[f.Provider] = append(byProvider[f.Provider], alertOf(f, ruling))
	}
	c.Alerts = append(c.Alerts, byProvider[""]...)
	for _, p := range d.Config.Providers {
		v := o.provider(d, p, now)
		v.Alerts = append(v.Alerts, byProvider[p.Name]...)
		c.Providers = append(c.Providers, v)
		if s.Members[p.Name].State == health.Healthy {
			c.Healthy++
		}
	}
	c.Tip = o.tipOf(d.Config, now)
	return c
}

// evaluator says whose facts count.
func (o *Overview) evaluator(now time.Time) wire.Evaluator {
	r := o.Facts.Ruling(now)
	e := wire.Evaluator{Source: r.Source.String(), Since: r.Since.UTC()}
	if !r.Heard.IsZero() {
		e.WatchdogAgeSeconds = ageOf(r.Heard, now)
	}
	return e
}

// tipOf is the height that a chain has reached.
func (o *Overview) tipOf(c config.Chain, now time.Time) wire.Tip {
	var newest time.Time
	operators := map[string]bool{}
	for _, p := range c.Providers {
		seen := o.Observations.Provider(observation.Key{Chain: c.Name, Provider: p.Name}, now)
		if seen.TipTime.After(newest) {
			newest = seen.TipTime
		}
		if seen.Good && seen.HeightKnown {
			operators[p.Operator] = true
		}
	}
	t := wire.Tip{AgeSeconds: ageOf(newest, now)}
	height, known := o.Tip(c.Name)
	if !known {
		return t
	}
	t.Height, t.Source = &height, wire.TipConsensus
	if observed, ok := o.Observations.ObservedHeight(c.Name, now); ok {
		if len(operators) < 2 && observed == height {
			t.Source = wire.TipObserved
		}
	} else if len(operators) < 2 {
		t.Source = wire.TipSingle
	}
	return t
}

// alertOf is a fact as answers show it.
func alertOf(f facts.Fact, r facts.Ruling) wire.Alert {
	return wire.Alert{
		Name: f.Alert, FailureMode: f.FailureMode, Severity: f.Severity, Source: f.Source.String(),
		Since: f.Episode, Summary: f.Summary, Description: f.Description,
		Evidence: f.Evidence, Counts: f.Evidence && r.Counts(f.Source),
	}
}

// moment is nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
