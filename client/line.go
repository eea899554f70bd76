package client

import (
	"slices"
	"sync"
	"time"
)

// line is the order in which requests go to providers, of one generation. A
// request keeps the line with which it began, so that its failure is noted there
// and cannot speak against a provider chosen since.
type line struct {
	position *position
	routes   []route
	*quarantine

	// as of which time quarantines are looked at; zero: now.
	asOf time.Time
}

// quarantine says, by provider, until when it comes last. Lines of one generation
// share it. It ends by itself, so that no provider is passed over for ever.
type quarantine struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func newLine(p *position, routes []route, fixed bool) *line {
	l := &line{position: p, routes: routes, quarantine: &quarantine{until: map[string]time.Time{}}}
	l.refresh(fixed)
	return l
}

// refresh ends what has expired by now. In a line that is not fixed that happens
// all the time.
func (l *line) refresh(fixed bool) {
	if fixed {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asOf = time.Now()
	}
}

// order is the line with those in quarantine at its end. None is left out: one
// that may be back is better than nobody.
func (l *line) order() []route {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.asOf
	if now.IsZero() {
		now = time.Now()
	}
	ordered := slices.Clone(l.routes)
	rank := func(r route) int {
		if l.until[r.name].After(now) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(ordered, func(a, b route) int { return rank(a) - rank(b) })
	return ordered
}

// works ends a provider's quarantine.
func (l *line) works(r route) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.until, r.name)
}

// fails begins one.
func (l *line) fails(r route, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until[r.name] = time.Now().Add(d)
}
