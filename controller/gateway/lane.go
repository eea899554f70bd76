package gateway

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// lane is the gateway's memory of one chain: whom requests go to first, and what
// was seen of each provider.
type lane struct {
	chain string
	// onQuarantine is as in Options.
	onQuarantine func(chain, provider string)
	// settings are never nil.
	settings atomic.Pointer[Settings]

	// mu guards what follows and the records.
	mu      sync.Mutex
	rules   quarantine
	records map[string]*record
	// generation and active are those of the last route that was seen.
	generation uint64
	active     string
	seen       bool
	// first is whom requests go to first: the route's active provider, or who
	// stepped in for it.
	first    string
	events   uint64
	switches uint64
	// stamp grows with every change of first.
	stamp uint64

	blocks   blocks
	policy   atomic.Pointer[policy]
	inFlight atomic.Int64
	sockets  atomic.Int64
	results  [resultCount]atomic.Uint64
	seconds  prometheus.Observer
	attempts prometheus.Observer
}

// quarantine is when a provider is left alone, and for how long.
type quarantine struct {
	threshold int
	cooldown  time.Duration
	// after is how long after its last failure the route's active provider is
	// tried again when another one has stepped in; below zero: never.
	after time.Duration
}

// candidate is a provider that may be asked for one request.
type candidate struct {
	endpoint *Endpoint
	record   *record
	target   *target
	// returning: it is the route's active provider, which lost its place.
	returning bool
	// challenger: somebody else is first. orphaned: that one is not in the route.
	challenger, orphaned bool
	// cooling: it is in quarantine.
	cooling bool
}

// recordLocked is the record of an endpoint, with its address brought up to date.
func (l *lane) recordLocked(e *Endpoint) *record {
	r := l.records[e.Provider]
	if r == nil {
		r = newRecord(e.Provider)
		l.records[e.Provider] = r
	}
	if r.target == nil || r.target.url != e.URL {
		if r.target != nil {
			// Another address is another provider under the same name.
			r.unavailable, r.consecutive, r.restUntil, r.cooldownUntil, r.doubtUntil = false, 0, time.Time{}, time.Time{}, time.Time{}
			r.nextGeneration()
			l.blocks.forget(e.Provider)
		}
		r.target = newTarget(e.URL)
	}
	return r
}

// followLocked takes a new decision of the controller's over.
func (l *lane) followLocked(route *Route) {
	if l.seen && route.Generation == l.generation && route.Active == l.active {
		return
	}
	l.forgetLocked(route)
	l.generation, l.active = route.Generation, route.Active
	if route.Active != "" {
		l.moveLocked(route.Active)
	} else if l.first == "" && len(route.Endpoints) > 0 {
		l.first = route.Endpoints[0].Provider
	}
	l.seen = true
}

// moveLocked makes a provider the first.
func (l *lane) moveLocked(to string) {
	if l.first == to {
		return
	}
	if l.first != "" {
		l.switches++
	}
	l.first = to
	l.stamp++
}

// forgetLocked drops the records of providers that are not configured any more.
func (l *lane) forgetLocked(route *Route) {
	if len(route.Order) == 0 {
		return
	}
	known := map[string]bool{}
	for _, name := range route.Order {
		known[name] = true
	}
	for name := range l.records {
		if !known[name] {
			delete(l.records, name)
		}
	}
	if !known[l.first] {
		l.first = ""
	}
}

// order is whom to ask, one after the other: the first one, then the rest of the
// route in its order; who is in quarantine after those who are not; and who asked
// to be left alone only if there is nobody else. fits says which endpoints can
// understand the request.
func (l *lane) order(route *Route, fits func(*Endpoint) bool, now time.Time, into []candidate) []candidate {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followLocked(route)
	returning := l.returningLocked(route, now)
	orphaned := !route.has(l.first)
	ready, cooling, resting := into, []candidate(nil), []candidate(nil)
	for i := range route.Endpoints {
		e := &route.Endpoints[i]
		if !fits(e) {
			continue
		}
		r := l.recordLocked(e)
		c := candidate{endpoint: e, record: r, target: r.target, challenger: e.Provider != l.first, orphaned: orphaned}
		c.returning = c.challenger && e.Provider == returning
		switch {
		case c.record.resting(now):
			resting = append(resting, c)
		case !c.record.ready(now):
			c.cooling = true
			cooling = append(cooling, c)
		default:
			ready = append(ready, c)
		}
	}
	lead(ready)
	switch {
	case len(ready) == 0 && len(cooling) == 0:
		return resting
	case len(ready) == 0:
		return cooling
	}
	return append(ready, cooling...)
}

// has says whether a provider may answer.
func (r *Route) has(provider string) bool {
	for i := range r.Endpoints {
		if r.Endpoints[i].Provider == provider {
			return true
		}
	}
	return false
}

// lead moves the candidate that goes first to the front: the one that returns, or
// else the one that is first.
func lead(ready []candidate) {
	best := -1
	for i, c := range ready {
		if c.returning {
			best = i
			break
		}
		if !c.challenger {
			best = i
		}
	}
	for ; best > 0; best-- {
		ready[best-1], ready[best] = ready[best], ready[best-1]
	}
}

// returningLocked is the route's active provider if it lost its place and is to be
// tried again; or "".
func (l *lane) returningLocked(route *Route, now time.Time) string {
	if l.rules.after < 0 || route.Active == "" || route.Active == l.first {
		return ""
	}
	r := l.records[route.Active]
	if r == nil || r.trial || r.doubted(now) || r.unavailable && now.Before(r.cooldownUntil) || now.Before(r.lastFailure.Add(l.rules.after)) {
		return ""
	}
	return route.Active
}
