package prober

import (
	"context"
	"fmt"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// Snapshot is the status of every provider of the desired set, in the order of
// its targets. It waits for no probe and holds none up.
func (s *Set) Snapshot() []Status {
	order := *s.order.Load()
	statuses := make([]Status, 0, len(order))
	for _, p := range order {
		// A provider that left since the order was read has none.
		if status := p.status.Load(); status != nil {
			statuses = append(statuses, *status)
		}
	}
	return statuses
}

// Status is the status of one provider; false if it is not in the desired set.
func (s *Set) Status(key Key) (Status, bool) {
	if p := s.prober(key); p != nil {
		if status := p.status.Load(); status != nil {
			return *status, true
		}
	}
	return Status{}, false
}

// Hasten has a provider probed as soon as may be, because somebody has reason to
// doubt it. It waits for nothing; an unknown provider is nobody.
func (s *Set) Hasten(key Key) {
	if p := s.prober(key); p != nil {
		p.hasten(time.Now())
	}
}

// History is what came of the last probes of one provider; false if it is not
// in the desired set.
func (s *Set) History(key Key) (History, bool) {
	if p := s.prober(key); p != nil {
		return p.history()
	}
	return History{}, false
}

// Look is one probe now, with every question, for people to look at. It neither
// waits for the provider's own probes, nor moves its state, nor minds that it is
// to be left alone. The observation holds what was found out also with an error,
// which is a *chain.Failure or a *chain.NoVerdict; or it is ErrUnknownProvider
// or ErrStopped and nobody was asked.
func (s *Set) Look(ctx context.Context, key Key) (chain.Observation, error) {
	p := s.prober(key)
	if p == nil {
		return chain.Observation{}, fmt.Errorf("%s: %w", key, ErrUnknownProvider)
	}
	t := p.asked()
	if t.Asker == nil {
		return chain.Observation{}, fmt.Errorf("%s: %w", key, ErrUnknownProvider)
	}
	if !s.join() {
		return chain.Observation{}, ErrStopped
	}
	defer s.flights.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.lifetime, func() { cancel(ErrStopped) })()

	var o chain.Observation
	var failure *chain.Failure
	missed := fence(func() (none *chain.NoVerdict) {
		o, failure, none = observe(ctx, t.Asker, chain.Ask{Identity: true, Hints: true, Capabilities: true}, t.Policy.RequestTimeout)
		return none
	})
	switch {
	case missed != nil:
		return o, missed
	case failure != nil:
		return o, failure
	}
	return o, nil
}

// join counts one more flight, unless the set has stopped.
func (s *Set) join() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.flights.Add(1)
	return true
}

// prober is the one of a key; nil if there is none.
func (s *Set) prober(key Key) *prober {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.probers[key]
}
