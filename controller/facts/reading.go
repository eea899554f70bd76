package facts

import (
	"time"

	"github.com/understudy-rpc/understudy/rules"
)

// Reading is what Alertmanager's API told: all alerts about chains and the
// watchdogs that fire and are neither silenced nor inhibited.
type Reading struct {
	// Began is when the reading began, in our clock. What webhooks brought since
	// is newer than the reading.
	Began  time.Time
	Alerts []Alert
	// Complete says that Alertmanager can know all that fires. One that has just
	// started does not: Prometheus tells it again only bit by bit.
	Complete bool
	// Watchdog says that a watchdog fires, WatchdogAge how long before the reading
	// Alertmanager was last told so, by its own clock.
	Watchdog    bool
	WatchdogAge time.Duration
}

// Reconcile puts what Alertmanager's API told in the place of its facts. A
// reading that is not complete or has no watchdog, so that nobody vouches for
// what is missing in it, only adds facts.
func (t *Table) Reconcile(r Reading, now time.Time) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := r.Complete && r.Watchdog
	if whole {
		t.stats.Readings++
	} else {
		t.stats.PartialReadings++
	}
	touched := map[string]bool{}
	told := map[string]map[identity]bool{}
	for _, a := range r.Alerts {
		name := a.Labels[rules.LabelChain]
		c := t.chains[name]
		if c == nil || !c.providers[a.Labels[rules.LabelProvider]] || a.name() == rules.AlertWatchdog {
			continue
		}
		f := a.fact(Alertmanager, now, t.ttl)
		if told[name] == nil {
			told[name] = map[identity]bool{}
		}
		told[name][f.identity()] = true
		if c.adopt(f, r.Began, now) {
			touched[name] = true
		}
	}
	for name, c := range t.chains {
		if whole && c.drop(told[name], r.Began, now) {
			touched[name] = true
		}
	}
	if whole {
		t.pipeline.Read(r.WatchdogAge, now)
	}
	return t.touchedLocked(touched, now)
}

// adopt takes in one alert that the API has, and says whether that is news.
func (c *chain) adopt(f Fact, began, now time.Time) bool {
	old := c.alertmanager[f.identity()]
	switch {
	case old == nil && len(c.alertmanager) >= maxRecords:
		return false
	case old != nil && old.changed.After(began):
		return false
	case old != nil && old.firing && f.Episode.Equal(old.fact.Episode):
		old.fact, old.confirmed = f, now
		return false
	}
	c.alertmanager[f.identity()] = &record{
		fact: f, firing: true, episode: earlier(f.Episode, now), changed: now, confirmed: now,
	}
	return true
}

// drop ends the facts that the API does not have, unless a webhook brought or
// confirmed them since the reading began. It says whether there were any.
func (c *chain) drop(told map[identity]bool, began, now time.Time) bool {
	dropped := false
	for id, r := range c.alertmanager {
		if r.firing && !told[id] && !r.confirmed.After(began) {
			r.firing, r.changed, r.confirmed = false, began, now
			dropped = true
		}
	}
	return dropped
}
