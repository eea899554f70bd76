package overview

import (
	"cmp"
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Actives are all chains, sorted by name.
func (o *Overview) Actives() wire.ActiveList {
	sheet, now := o.Board.Sheet(), o.Now()
	list := wire.ActiveList{Index: sheet.Index, Chains: []wire.Active{}}
	for _, name := range sheet.Names() {
		list.Chains = append(list.Chains, o.active(sheet.Chains[name], now))
	}
	return list
}

// Gone are the chains that left the configuration since the start, each as the
// last answer about it: nobody serves it any more.
func (o *Overview) Gone() []wire.Active {
	var all []wire.Active
	for chain, posted := range o.Board.Sheet().Gone {
		s := posted.Decision.State
		all = append(all, wire.Active{
			Chain: chain, State: wire.StateNone, Generation: s.Generation, Index: posted.Index,
			Reason: "the chain is no longer configured", LastProvider: cmp.Or(s.Current.Provider, s.Current.Last),
		})
	}
	return all
}

// Active is who serves a chain; false if it is not configured. With a capability
// it is the best healthy provider that has it.
func (o *Overview) Active(chain, capability string) (wire.Active, bool) {
	posted, ok := o.Board.Sheet().Chains[chain]
	if !ok {
		return wire.Active{}, false
	}
	now := o.Now()
	if capability == "" {
		return o.active(posted, now), true
	}
	return o.capable(posted, capability, now), true
}

// Stamp is another one whenever Active(chain, "") may answer something else. A
// degraded answer has an age in it, and so it changes with the time.
func (o *Overview) Stamp(chain string) any {
	posted, ok := o.Board.Sheet().Chains[chain]
	if !ok {
		return nil
	}
	now := o.Now()
	s := stamp{decision: posted.Decision, stale: !o.Observations.Fresh(now)}
	state := posted.Decision.State
	if s.stale || state.Split || state.Served != selection.OK {
		s.moment = now
	}
	if p := state.Current.Provider; p != "" {
		seen := o.Observations.Provider(observation.Key{Chain: chain, Provider: p}, now)
		s.height, s.known, s.hash = seen.Height, seen.HeightKnown, o.hash(chain, p)
	}
	return s
}

// stamp is all that Active(chain, "") depends on.
type stamp struct {
	decision *board.Decision
	height   uint64
	known    bool
	hash     string
	stale    bool
	moment   time.Time
}

// active is who serves a chain.
func (o *Overview) active(posted board.Posted, now time.Time) wire.Active {
	d := posted.Decision
	s := d.State
	a := o.answer(posted, s.Current.Provider, s.Served, s.Fallbacks, now)
	a.Since, a.Reason = s.Current.Since, s.Why
	if a.Reason == "" {
		a.Reason = s.Sentence()
	}
	if a.Provider == nil {
		a.LastProvider, a.LastWrong = s.Current.Last, wrong(s)
		a.Reason = s.Sentence()
	}
	return a
}

// capable is who serves those that ask for a capability.
func (o *Overview) capable(posted board.Posted, capability string, now time.Time) wire.Active {
	d := posted.Decision
	situation := d.State.Situation(d.Providers, d.Policy.Selection, now)
	situation.Request = selection.Request{Capability: capability}
	choice, why := selection.Choose(situation)
	a := o.answer(posted, choice.Provider, choice.State, choice.Fallbacks, now)
	a.Since = d.State.Current.Since
	switch {
	case choice.Provider == d.State.Current.Provider && choice.Provider != "":
		a.Reason = d.State.Why
	case choice.Provider == "":
		a.LastProvider, a.LastWrong = d.State.Current.Last, wrong(d.State)
		a.Reason = "none: no healthy provider has the capability " + capability
	default:
		a.Reason = choice.Sentence(why, d.State.Current.Provider, "lacks "+capability)
	}
	return a
}

// wrong says that who served last serves wrong data or another network.
func wrong(s decision.State) bool {
	m, known := s.Members[s.Current.Last]
	return known && (m.Integrity || !m.Proven)
}

// answer is what there is to say of a chain that a provider serves.
func (o *Overview) answer(posted board.Posted, provider string, state selection.State, fallbacks []string, now time.Time) wire.Active {
	d := posted.Decision
	a := wire.Active{
		Chain: d.Config.Name, State: state.String(), Generation: d.State.Generation, Index: posted.Index,
		Fallbacks: append([]string{}, fallbacks...), Capabilities: []string{},
		Stale: !o.Observations.Fresh(now),
	}
	if d.Config.Gateway.Enabled {
		a.Gateway = "/rpc/" + d.Config.Name
	}
	if d.State.Split {
		a.AgreementAgeSeconds = ageOf(d.State.Agreed, now)
	}
	p, ok := find(d.Config, provider)
	if !ok {
		a.State = wire.StateNone
		return a
	}
	seen := o.Observations.Provider(observation.Key{Chain: a.Chain, Provider: p.Name}, now)
	a.Provider, a.Type, a.RPCHost, a.Priority = &p.Name, string(p.Type), p.RPCHost.Reveal().String(), &p.Priority
	a.Capabilities = append(a.Capabilities, d.State.Members[p.Name].Capabilities...)
	if seen.HeightKnown {
		a.Height = &seen.Height
	}
	a.Hash = o.hash(a.Chain, p.Name)
	if a.Stale || a.State != wire.StateOK {
		a.EvidenceAgeSeconds = ageOf(seen.ProbedAt, now)
	}
	return a
}

// hash is that of a provider's newest block; empty if it is unknown.
func (o *Overview) hash(chain, provider string) string {
	if o.Details == nil {
		return ""
	}
	d, _ := o.Details.Detail(chain, provider)
	return d.Hash
}

// find is a configured provider by name.
func find(c config.Chain, name string) (config.Provider, bool) {
	for _, p := range c.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return config.Provider{}, false
}

// ageOf is how long ago a moment was, in seconds to three places; nil if it is
// unknown.
func ageOf(moment, now time.Time) *float64 {
	if moment.IsZero() {
		return nil
	}
	age := max(now.Sub(moment), 0).Round(time.Millisecond).Seconds()
	return &age
}
