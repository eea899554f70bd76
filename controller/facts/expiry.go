package facts

import "time"

// NextExpiry is when a fact expires next or the watchdog will have been silent
// for too long, unless something is confirmed before; zero: never. Sweep is to
// be called then, or it stays what is next.
func (t *Table) NextExpiry() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := t.pipeline.Due()
	for _, c := range t.chains {
		for f := range c.all {
			if next.IsZero() || f.Expires.Before(next) {
				next = f.Expires
			}
		}
	}
	return next
}

// Sweep drops what has expired. Facts that have expired stand no longer whether
// somebody sweeps or not.
func (t *Table) Sweep(now time.Time) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pipeline.advance(now)
	touched := map[string]bool{}
	for name, c := range t.chains {
		if n := c.sweep(now, t.ttl); n > 0 {
			t.stats.Expired += uint64(n)
			touched[name] = true
		}
	}
	return t.touchedLocked(touched, now)
}

// sweep drops what has expired, and counts the facts among it.
func (c *chain) sweep(now time.Time, ttl time.Duration) int {
	expired := 0
	for id, r := range c.alertmanager {
		switch {
		case r.firing && !r.fact.stands(now):
			expired++
			delete(c.alertmanager, id)
		case !r.firing && now.Sub(r.confirmed) >= ttl:
			delete(c.alertmanager, id)
		}
	}
	for id, f := range c.local {
		if !f.stands(now) {
			expired++
			delete(c.local, id)
		}
	}
	return expired
}
