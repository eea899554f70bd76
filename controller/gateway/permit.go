package gateway

import "time"

// permit allows one attempt at a provider. It must be given back on every path,
// once; without a verdict it moves nothing.
type permit struct {
	lane *lane
	candidate
	generation uint64
	stamp      uint64
	// trial: it is the one attempt that shows whether the provider is well again.
	trial bool
}

// permit allows an attempt, or refuses it because somebody else is trying the same
// provider after its quarantine. Who has no other choice is let through.
func (l *lane) permit(c candidate, now time.Time, nobodyElse bool) (permit, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := c.record
	p := permit{lane: l, candidate: c, generation: r.generation, stamp: l.stamp}
	if c.returning || r.unavailable && !now.Before(r.cooldownUntil) {
		if r.trial {
			return p, nobodyElse
		}
		r.trial, p.trial = true, true
	}
	return p, true
}

// streak are the failures in a row that a success has ended, and the number of that
// success.
type streak struct {
	failures int
	success  uint64
}

// back gives the permit back with what was seen. firstFailed says that whoever is
// first was asked for the same request and failed, doubted that the provider told
// what is not so. It returns the failures in a row that end with this.
func (p permit) back(v verdict, now time.Time, took, wait time.Duration, firstFailed, doubted bool) (ended streak) {
	l, r := p.lane, p.record
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.generation != p.generation {
		// A late answer from before a change. The permit of then is gone with it.
		return streak{}
	}
	if p.trial {
		r.trial = false
	}
	if v == noVerdict {
		return streak{}
	}
	r.recent.add(sample{at: now, took: took, bad: v == failed})
	if v == failed {
		l.failLocked(r, now, wait)
		if doubted {
			l.doubtLocked(r, now)
		}
		return streak{}
	}
	ended = streak{r.consecutive, r.successes + 1}
	r.succeed(now)
	if p.challenger && p.stamp == l.stamp && (firstFailed || p.returning || p.orphaned || l.unfitLocked(l.first, now)) {
		l.moveLocked(r.name)
	}
	return ended
}

// broke counts an answer that broke off after it had begun. Its beginning was taken
// for a success, which ends no row if there was no other one.
func (l *lane) broke(a *attempt, now time.Time) {
	r := a.record
	r.outcomes[Connection].Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.successes == a.ended.success {
		r.consecutive = max(r.consecutive, a.ended.failures)
	}
	l.failLocked(r, now, 0)
}

// failLocked counts a failure, and tells if a quarantine begins with it.
func (l *lane) failLocked(r *record, now time.Time, wait time.Duration) {
	l.events++
	if r.fail(now, l.rules.threshold, l.rules.cooldown, wait) && l.onQuarantine != nil {
		l.onQuarantine(l.chain, r.name)
	}
}

// doubtLocked leaves a provider alone that told what is not so, and tells if it
// was not left alone for that already. Probes say that it answers, and not that
// it is right, so only time ends this.
func (l *lane) doubtLocked(r *record, now time.Time) {
	before := r.doubted(now)
	r.doubtUntil = now.Add(l.rules.cooldown)
	if !before && l.onQuarantine != nil {
		l.onQuarantine(l.chain, r.name)
	}
}

// unfitLocked says whether a provider is left alone now.
func (l *lane) unfitLocked(name string, now time.Time) bool {
	r := l.records[name]
	return r != nil && (r.unavailable || r.resting(now) || r.doubted(now))
}

// probed takes the result of a probe like that of a request, but for the first
// place: which provider serves is the controller's decision.
func (l *lane) probed(provider string, good bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.records[provider]
	if r == nil {
		r = newRecord(provider)
		l.records[provider] = r
	}
	if good {
		// How long clients are to leave it alone is another matter than its health.
		rest := r.restUntil
		r.succeed(now)
		r.restUntil = rest
		return
	}
	l.failLocked(r, now, 0)
}
