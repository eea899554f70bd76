package facts

import (
	"time"

	"github.com/understudy-rpc/understudy/rules"
)

// SetLocal puts the alerts of the local evaluator in the place of those before.
// Alerts that do not fire are left out, and so are the watchdog and whatever is
// about no configured chain or provider.
func (t *Table) SetLocal(alerts []Alert, now time.Time) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := make(map[string]map[identity]Fact, len(t.chains))
	for _, a := range alerts {
		name := a.Labels[rules.LabelChain]
		c := t.chains[name]
		if !a.Firing || c == nil || !c.providers[a.Labels[rules.LabelProvider]] || a.name() == rules.AlertWatchdog {
			continue
		}
		if next[name] == nil {
			next[name] = map[identity]Fact{}
		}
		f := a.fact(Local, now, t.ttl)
		next[name][f.identity()] = f
	}
	touched := map[string]bool{}
	for name, c := range t.chains {
		if !sameEpisodes(c.local, next[name]) {
			touched[name] = true
		}
		c.local = next[name]
		if c.local == nil {
			c.local = map[identity]Fact{}
		}
	}
	return t.touchedLocked(touched, now)
}

// SetLocalRules says for which alerts, by name, the local evaluator has rules.
// Before the first call these are the bundled ones.
func (t *Table) SetLocalRules(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.covered = make(map[string]bool, len(names))
	for _, name := range names {
		t.covered[name] = true
	}
}

// sameEpisodes says whether two sets of facts are about the same episodes of the
// same alerts.
func sameEpisodes(a, b map[identity]Fact) bool {
	if len(a) != len(b) {
		return false
	}
	for id, f := range a {
		g, ok := b[id]
		if !ok || !f.Episode.Equal(g.Episode) {
			return false
		}
	}
	return true
}

// Disagreements is the number of facts that one source has and the other has
// not: evidence, and facts about chains. Alerts for which the local evaluator
// has no rule are not compared, and nothing is while the watchdog is not heard,
// as Alertmanager's facts are then old. Nothing is acted on for a disagreement.
func (t *Table) Disagreements(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.pipeline.Ruling(now).Fresh {
		return 0
	}
	n := 0
	for _, c := range t.chains {
		sources := map[statement]Source{}
		for f := range c.all {
			if f.stands(now) && (f.Evidence || f.Provider == "") && t.covered[f.Alert] {
				said := f.says()
				said.source = NoSource
				sources[said] |= f.Source
			}
		}
		for _, s := range sources {
			if s != Both {
				n++
			}
		}
	}
	return n
}
