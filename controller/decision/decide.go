package decision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
)

// Decide is what a look makes of a chain. It takes any input. Times are taken
// as they are, so that whoever stores them gets the same outcome back.
func Decide(prev State, l Look) Outcome {
	d := &decider{look: l, next: prev.clone()}
	d.configure()
	d.order()
	d.expire()
	d.judge()
	d.agree()
	d.choose()
	d.wakeFor(d.endOfOrders())
	return Outcome{State: d.next, Changed: !d.next.Equal(prev), Changes: d.changes, Wake: d.wake}
}

// decider is one look that is going on.
type decider struct {
	look    Look
	next    State
	changes []Change
	wake    time.Time
}

// note adds a change.
func (d *decider) note(c Change) { d.changes = append(d.changes, c) }

// wakeFor remembers the earliest moment.
func (d *decider) wakeFor(at time.Time) {
	if !at.IsZero() && (d.wake.IsZero() || at.Before(d.wake)) {
		d.wake = at
	}
}

// firstVerdicts is how long a chain that nobody has served yet waits for the
// verdict on a preferred provider, so that it does not start with one and go over
// to another at once.
const firstVerdicts = 3 * time.Second

// configure forgets who is gone and begins anew with whom is another one now.
func (d *decider) configure() {
	if d.next.Begun.IsZero() {
		d.next.Begun = d.look.Now
	}
	configured := map[string]bool{}
	var came, went []string
	for _, p := range d.look.Providers {
		configured[p.Name] = true
		m, known := d.next.Members[p.Name]
		if !known || m.Endpoint != p.Endpoint {
			d.next.Members[p.Name] = Member{Endpoint: p.Endpoint}
			came = append(came, p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.next.Members)) {
		if !configured[name] {
			delete(d.next.Members, name)
			went = append(went, name)
		}
	}
	maps.DeleteFunc(d.next.Drains, func(name string, _ Order) bool { return !configured[name] })
	if d.next.Pin != nil && !configured[d.next.Pin.Provider] {
		d.next.Pin = nil
	}
	if len(came)+len(went) > 0 {
		d.note(Change{Kind: ChangeConfiguration, Reason: configurationWords(came, went)})
	}
}

// configurationWords say who came and who went.
func configurationWords(came, went []string) string {
	var parts []string
	if len(came) > 0 {
		parts = append(parts, "new: "+strings.Join(came, ", "))
	}
	if len(went) > 0 {
		parts = append(parts, "gone: "+strings.Join(went, ", "))
	}
	return strings.Join(parts, "; ")
}

// judge takes every provider to the state that the evidence makes of it.
func (d *decider) judge() {
	for _, p := range d.look.Providers {
		before, e := d.next.Members[p.Name], d.look.Evidence[p.Name]
		after := before
		var why health.Reason
		after.Record, why = health.Next(before.Record, e.Evidence, d.look.Policy.Recovery, d.look.Now)
		after.Capabilities = p.Capabilities
		// That the alert has ended proves nothing; the recovery does.
		after.Integrity = e.Integrity || (before.Integrity && after.State != health.Healthy)
		if after.State != before.State {
			after.Words = ""
			if after.State == health.Unhealthy {
				after.Words = e.Words
			}
			d.note(Change{
				Kind: ChangeState, Provider: p.Name, From: before.State.String(), To: after.State.String(),
				Reason: d.stateWords(p.Name, after, why), Facts: e.Facts,
			})
		}
		d.next.Members[p.Name] = after
		if wait, ok := after.Wait(d.look.Now); ok {
			d.wakeFor(d.look.Now.Add(wait))
		}
	}
}

// stateWords say why a provider came into a state.
func (d *decider) stateWords(name string, m Member, why health.Reason) string {
	if m.Words != "" {
		return name + " " + m.Words
	}
	return name + " " + why.Phrase()
}

// agree keeps when the providers last agreed.
func (d *decider) agree() {
	switch {
	case d.look.Split && !d.next.Split:
		d.next.Split, d.next.Agreed = true, d.look.Now
	case !d.look.Split:
		d.next.Split, d.next.Agreed = false, time.Time{}
	}
}

// choose picks who serves.
func (d *decider) choose() {
	s := d.next.Situation(d.look.Providers, d.look.Policy.Selection, d.look.Now)
	s.Approved = d.look.Command != nil && d.look.Command.Kind == Failback
	choice, why := selection.Choose(s)
	if end, wait := d.firstVerdicts(); wait && s.Current.Last == "" && unjudgedBefore(s, choice) {
		choice, why = selection.Choice{}, selection.NoneJudged
		d.wakeFor(end)
	}
	if choice.Kind != selection.KindNone {
		d.change(choice, why, s.Current.Provider)
		s.Current, s.Approved = choice.Apply(s.Current, d.look.Now), false
		// Looked at again, the choice stands; that look says why.
		choice, why = selection.Choose(s)
	}
	d.next.Current = choice.Apply(s.Current, d.look.Now)
	d.next.Served, d.next.Fallbacks, d.next.Verdict = choice.State, choice.Fallbacks, why
	d.wakeFor(choice.Revisit)
}

// firstVerdicts is until when a chain waits for its first verdicts, if it still
// does. A clock that was set back keeps nobody waiting.
func (d *decider) firstVerdicts() (time.Time, bool) {
	end := d.next.Begun.Add(firstVerdicts)
	return end, d.look.Now.Before(end) && !d.look.Now.Before(d.next.Begun)
}

// unjudgedBefore says that there is no verdict yet on a provider that would be
// chosen before the chosen one.
func unjudgedBefore(s selection.Situation, chosen selection.Choice) bool {
	i := slices.IndexFunc(s.Candidates, func(c selection.Candidate) bool { return c.Name == chosen.Provider })
	if i < 0 || s.Pin == chosen.Provider {
		return false
	}
	best := s.Candidates[i]
	return slices.ContainsFunc(s.Candidates, func(c selection.Candidate) bool {
		return c.State == health.Unknown && !c.Drained &&
			cmp.Or(cmp.Compare(c.Priority, best.Priority), cmp.Compare(c.Order, best.Order)) < 0
	})
}

// change carries out a switch.
func (d *decider) change(choice selection.Choice, why selection.Reason, left string) {
	d.next.Generation = max(d.next.Generation, d.look.Floor) + 1
	words := d.next.Members[left].Words
	if why != selection.LeftUnhealthy && why != selection.LeftInconsistent {
		words = ""
	}
	d.next.Why = choice.Sentence(why, left, words)
	if m, ok := d.next.Members[left]; ok && choice.Kind == selection.KindFailover {
		m.Record = m.Failover(d.look.Policy.Recovery, d.look.Now)
		d.next.Members[left] = m
	}
	d.note(Change{
		Kind: choice.Kind.String(), From: left, To: choice.Provider, Reason: d.next.Why,
		Facts: d.look.Evidence[left].Facts,
	})
}

// Situation is what a choice for the chain depends on, as it stands.
func (s State) Situation(providers []Provider, policy selection.Policy, now time.Time) selection.Situation {
	situation := selection.Situation{Current: s.Current, Policy: policy, Split: s.Split, Now: now}
	if s.Pin != nil {
		situation.Pin = s.Pin.Provider
	}
	for i, p := range providers {
		m := s.Members[p.Name]
		_, drained := s.Drains[p.Name]
		situation.Candidates = append(situation.Candidates, selection.Candidate{
			Name: p.Name, Priority: p.Priority, Order: i, State: m.State, Integrity: m.Integrity,
			Proven: m.Proven, Drained: drained, Capabilities: m.Capabilities,
		})
	}
	return situation
}

// Sentence is what there is to say of the last look: why it chose what it did.
func (s State) Sentence() string {
	if s.Current.Provider == "" {
		return "none: " + s.Verdict.Phrase()
	}
	return fmt.Sprintf("%s %s", s.Current.Provider, s.Verdict.Phrase())
}
