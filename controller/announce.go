package controller

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
)

// announce tells of a decision that is shown: to the log, the metrics and those
// who watch.
func (c *Controller) announce(chain string, out decision.Outcome, took time.Duration) {
	for _, change := range out.Changes {
		c.switches.count(chain, change)
		c.log(chain, change, out.State, took)
	}
	c.overview.Changed()
}

// log writes one line about a change: a warning if it is for the worse.
func (c *Controller) log(chain string, change decision.Change, s decision.State, took time.Duration) {
	if change.Switch() {
		level := slog.LevelInfo
		if change.Kind == selection.KindFailover.String() {
			level = slog.LevelWarn
		}
		if change.To == "" {
			level = slog.LevelError
		}
		c.logger.Log(context.Background(), level, "Active provider changed", "chain", chain, "kind", change.Kind, "from", change.From, "to", change.To,
			"reason", change.Reason, "facts", change.Facts, "generation", s.Generation, "duration", took)
		return
	}
	switch change.Kind {
	case decision.ChangeState:
		level := slog.LevelInfo
		if change.To == health.Unhealthy.String() {
			level = slog.LevelWarn
		}
		c.logger.Log(context.Background(), level, "Provider state changed", "chain", chain, "provider", change.Provider, "from", change.From, "to", change.To,
			"reason", change.Reason, "facts", change.Facts)
	case decision.ChangeConfiguration:
		c.logger.Debug("Chain configured", "chain", chain, "reason", change.Reason)
	default:
		c.logger.Warn("Operator's order", "chain", chain, "provider", change.Provider, "kind", change.Kind, "reason", change.Reason)
	}
}

// switches counts what happened since the start.
type switches struct {
	mu     sync.Mutex
	byKind map[[2]string]uint64
	states map[[3]string]uint64
}

func newSwitches() *switches {
	return &switches{byKind: map[[2]string]uint64{}, states: map[[3]string]uint64{}}
}

// count counts a change.
func (s *switches) count(chain string, c decision.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.Switch():
		s.byKind[[2]string{chain, c.Kind}]++
	case c.Kind == decision.ChangeState:
		s.states[[3]string{chain, c.Provider, c.To}]++
	}
}

// of is how often a chain was switched in a way.
func (s *switches) of(chain, kind string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byKind[[2]string{chain, kind}]
}

// transitions is how often a provider came into a state.
func (s *switches) transitions(chain, provider, state string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.states[[3]string{chain, provider, state}]
}

// forget drops the counts of a chain that is gone.
func (s *switches) forget(chain string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.byKind {
		if key[0] == chain {
			delete(s.byKind, key)
		}
	}
	for key := range s.states {
		if key[0] == chain {
			delete(s.states, key)
		}
	}
}
