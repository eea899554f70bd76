package gateway

import (
	"maps"
	"time"
)

// Settings are what may differ by chain. Zero is what the Options say.
type Settings struct {
	// Off: nothing is forwarded to the chain.
	Off bool
	// AttemptTimeout and RequestTimeout are as in Options.
	AttemptTimeout, RequestTimeout time.Duration
	// HedgeAfter is as in Options.
	HedgeAfter time.Duration
	// FailureThreshold and Cooldown are as in Options.
	FailureThreshold int
	Cooldown         time.Duration
}

// SetSettings puts other settings in force, such as those of a new configuration.
// Requests under way keep theirs, and so do quarantines that have begun.
func (g *Gateway) SetSettings(all map[string]Settings) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settings = maps.Clone(all)
	for _, l := range g.lanes {
		g.tuneLocked(l)
	}
}

// tuneLocked gives a lane the settings in force.
func (g *Gateway) tuneLocked(l *lane) {
	o, s := &g.options, g.settings[l.chain]
	or(&s.AttemptTimeout, o.AttemptTimeout)
	or(&s.RequestTimeout, o.RequestTimeout)
	or(&s.HedgeAfter, o.HedgeAfter)
	or(&s.FailureThreshold, o.FailureThreshold)
	rules := quarantine{threshold: s.FailureThreshold, cooldown: o.Cooldown, after: o.ReturnAfter}
	if s.Cooldown != 0 {
		rules.cooldown = s.Cooldown
		if o.ReturnAfter == o.Cooldown {
			rules.after = s.Cooldown
		}
	}
	s.Cooldown = rules.cooldown
	l.settings.Store(&s)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rules = rules
}
