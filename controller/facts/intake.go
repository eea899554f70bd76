package facts

import (
	"errors"
	"fmt"
	"time"

	"github.com/understudy-rpc/understudy/rules"
)

// ErrFull says that a chain has more alerts than are kept. Nothing was taken in.
var ErrFull = errors.New("too many alerts")

// Message is what one webhook delivers.
type Message struct {
	Alerts []Alert
	// Truncated is how many alerts were left out of it.
	Truncated uint64
}

// Receipt says what became of a message.
type Receipt struct {
	Applied   int `json:"applied"`
	Duplicate int `json:"duplicate"`
	Ignored   int `json:"ignored"`
	// Chains are to be looked at again.
	Chains []string `json:"-"`
	// Read asks for a reading of Alertmanager's API: something was left out or
	// contradicts what is known, or only a reading is missing for Alertmanager to
	// rule.
	Read bool `json:"-"`
}

// Receive takes in a message as a whole. The error is ErrFull, and then nothing
// of it was.
func (t *Table) Receive(m Message, now time.Time) (Receipt, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.roomLocked(m); err != nil {
		return Receipt{}, err
	}
	r := Receipt{}
	touched := map[string]bool{}
	for _, a := range m.Alerts {
		outcome, changed := t.takeLocked(a, now)
		t.stats.Alerts[outcome]++
		if changed {
			touched[a.Labels[rules.LabelChain]] = true
		}
		switch outcome {
		case OutcomeApplied:
			r.Applied++
		case OutcomeDuplicate:
			r.Duplicate++
		default:
			r.Ignored++
		}
		// What fires by one message and not by another, Alertmanager has to tell.
		r.Read = r.Read || outcome == OutcomeStale && a.Firing
	}
	if m.Truncated > 0 {
		t.stats.Truncations++
		r.Read = true
	}
	r.Read = r.Read || t.pipeline.WantsReading(now)
	r.Chains = t.touchedLocked(touched, now)
	return r, nil
}

// roomLocked says whether there is room for a message.
func (t *Table) roomLocked(m Message) error {
	coming := map[string]int{}
	for _, a := range m.Alerts {
		coming[a.Labels[rules.LabelChain]]++
	}
	for name, n := range coming {
		c := t.chains[name]
		if c == nil || len(c.alertmanager)+n <= maxRecords {
			continue
		}
		// Only now it matters which of them are known already.
		unknown := map[identity]bool{}
		for _, a := range m.Alerts {
			id := a.identity()
			if a.Labels[rules.LabelChain] == name && c.providers[id.provider] && c.alertmanager[id] == nil {
				unknown[id] = true
			}
		}
		if len(c.alertmanager)+len(unknown) > maxRecords {
			return fmt.Errorf("chain %q: %w, at most %d are kept", name, ErrFull, maxRecords)
		}
	}
	return nil
}

// takeLocked takes in one alert, and says whether that changed what its chain
// has to know.
func (t *Table) takeLocked(a Alert, now time.Time) (Outcome, bool) {
	name, provider := a.Labels[rules.LabelChain], a.Labels[rules.LabelProvider]
	switch {
	case a.name() == rules.AlertWatchdog:
		if a.Firing {
			t.pipeline.Beat(a.fingerprint(), a.episode(), now)
		} else {
			t.pipeline.Resolve(a.fingerprint(), a.episode(), now)
		}
		return OutcomeApplied, false
	case name == "":
		return OutcomeIrrelevant, false
	case t.chains[name] == nil || !t.chains[name].providers[provider]:
		return OutcomeUnknown, false
	}
	f := a.fact(Alertmanager, now, t.ttl)
	outcome := t.chains[name].take(f, a.Firing, now, t.grace)
	return outcome, outcome == OutcomeApplied
}

// take takes in one alert of Alertmanager's. The order in which messages about
// different episodes come does not matter, nor, within the grace, the order of
// the end of an episode and its other messages.
func (c *chain) take(f Fact, firing bool, now time.Time, grace time.Duration) Outcome {
	old := c.alertmanager[f.identity()]
	same := old != nil && f.Episode.Equal(old.fact.Episode)
	switch {
	case old == nil:
	case !same && f.Episode.Before(old.episode):
		return OutcomeStale
	case same && old.firing == firing:
		old.confirmed = now
		if firing {
			old.fact = f
		}
		return OutcomeDuplicate
	case same && firing && now.Sub(old.changed) <= grace:
		// Late, or on again without a new episode: when Prometheus could not reach
		// Alertmanager for a while, the alert goes on as if it had never ended.
		return OutcomeStale
	}
	c.alertmanager[f.identity()] = &record{
		fact: f, firing: firing, episode: earlier(f.Episode, now), changed: now, confirmed: now,
	}
	if !firing && (old == nil || !old.firing) {
		return OutcomeDuplicate
	}
	return OutcomeApplied
}
