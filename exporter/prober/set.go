package prober

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrUnknownProvider says that no provider of that name is in the set.
	ErrUnknownProvider = errors.New("no such provider")
	// ErrStopped says that the set has ended.
	ErrStopped = errors.New("the prober has stopped")
)

// Set probes the providers of a desired set. All its methods may be called at
// any time and by several goroutines. Without Run nothing is probed by itself,
// but Look works.
type Set struct {
	options Options
	// slots holds one item for each probe under way.
	slots chan struct{}
	// lifetime ends when the set stops.
	lifetime context.Context
	stop     context.CancelCauseFunc
	// flights counts the probes and the looks under way. It grows only while
	// the set has not stopped.
	flights sync.WaitGroup
	// order is the desired set in the order of its targets. The slice is never
	// changed.
	order atomic.Pointer[[]*prober]

	// mu guards what follows. Where both are held it is taken before a
	// prober's.
	mu sync.Mutex
	// probers are those of the desired set, and those that have left it while a
	// probe is under way.
	probers          map[Key]*prober
	running, stopped bool
}

// New makes an empty set.
func New(options Options) *Set {
	options = options.filled()
	s := &Set{
		options: options,
		slots:   make(chan struct{}, options.Concurrency),
		probers: map[Key]*prober{},
	}
	s.lifetime, s.stop = context.WithCancelCause(context.Background())
	s.order.Store(new([]*prober))
	return s
}

// Apply makes the targets the complete desired set: new ones start, those gone
// stop at once, the state of equal ones stays and their policy is replaced in
// place. It never fails and waits for no probe. Of two targets with the same key
// the first one counts; one without an Asker does not. Once the set has stopped,
// none is taken in.
func (s *Set) Apply(targets []Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	now := time.Now()
	wanted := make(map[Key]bool, len(targets))
	order := make([]*prober, 0, len(targets))
	var fresh []*prober
	for _, t := range targets {
		if wanted[t.Key] || t.Asker == nil {
			continue
		}
		wanted[t.Key] = true
		p := s.proberLocked(t.Key)
		if p.adopt(t.filled(), now) {
			fresh = append(fresh, p)
		}
		order = append(order, p)
	}
	s.dismissLocked(wanted)
	s.order.Store(&order)
	if s.running {
		startAll(fresh, now)
	}
}

// proberLocked is the one prober of a key.
func (s *Set) proberLocked(key Key) *prober {
	p := s.probers[key]
	if p == nil {
		p = &prober{set: s, key: key}
		s.probers[key] = p
	}
	return p
}

// dismissLocked lets go of every provider that is not wanted.
func (s *Set) dismissLocked(wanted map[Key]bool) {
	for key, p := range s.probers {
		if !wanted[key] && p.leave() {
			delete(s.probers, key)
		}
	}
}

// startAll plans the first probes of providers that start together.
func startAll(probers []*prober, now time.Time) {
	for _, p := range probers {
		p.start(now, len(probers))
	}
}

// Run probes until ctx ends. Then it cancels what is under way, waits for it and
// returns nil; what is known stays readable. A Set runs once.
func (s *Set) Run(ctx context.Context) error {
	s.mu.Lock()
	if s.running || s.stopped {
		s.mu.Unlock()
		return errors.New("the prober runs once only")
	}
	s.running = true
	startAll(slices.Collect(maps.Values(s.probers)), time.Now())
	s.mu.Unlock()

	<-ctx.Done()

	s.halt()
	return nil
}

// halt ends the set. When it returns, nothing is under way and nothing will be.
func (s *Set) halt() {
	s.mu.Lock()
	s.stopped = true
	// First of all: whatever ends from here on plans nothing new.
	s.stop(ErrStopped)
	for _, p := range s.probers {
		p.halt()
	}
	s.mu.Unlock()
	s.flights.Wait()
}

// enter waits for a place among the probes under way. It says no if ctx ended
// first.
func (s *Set) enter(ctx context.Context) bool {
	select {
	case s.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// exit gives the place back.
func (s *Set) exit() { <-s.slots }

// forget lets go of a prober whose last probe has ended, unless its key is back.
func (s *Set) forget(p *prober) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.probers[p.key] == p && p.isIdle() {
		delete(s.probers, p.key)
	}
}
