package controller

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// see takes down all that is seen of a chain now.
func (c *Controller) see(conf *configured, now time.Time) decision.Look {
	chain := conf.chain
	l := decision.Look{Now: now, Policy: conf.policy, Evidence: make(map[string]decision.Evidence, len(chain.Providers))}
	fresh := c.observations.Fresh(now)
	for _, p := range chain.Providers {
		seen := c.observations.Provider(observation.Key{Chain: chain.Name, Provider: p.Name}, now)
		if !seen.Asked.After(conf.changed[p.Name]) {
			seen = observation.Provider{}
		}
		l.Providers = append(l.Providers, decision.Provider{
			Name: p.Name, Endpoint: conf.endpoints[p.Name], Priority: p.Priority,
			Capabilities: without(p.Capabilities, seen.Refuted),
		})
		l.Evidence[p.Name] = c.evidence(chain, p, seen, fresh, now)
	}
	l.Split = c.split(chain.Name, now)
	return l
}

// split says that the providers of a chain contradict each other. What the local
// evaluator sees of that counts whoever rules: an Alertmanager that has no route
// for it must not let a provider take over whose blocks nobody confirms.
func (c *Controller) split(chain string, now time.Time) bool {
	ruling := c.facts.Ruling(now)
	for _, f := range c.facts.All(chain, now) {
		if f.Provider == "" && f.Alert == rules.AlertChainSplit && (f.Source == facts.Local || ruling.Counts(f.Source)) {
			return true
		}
	}
	return false
}

// evidence is what is known of a provider.
func (c *Controller) evidence(chain config.Chain, p config.Provider, seen observation.Provider, fresh bool, now time.Time) decision.Evidence {
	standing := c.facts.Standing(chain.Name, p.Name, now)
	e := decision.Evidence{Evidence: health.Evidence{
		Fresh: fresh, Probed: seen.Probed, Good: seen.Good, ProbedAt: seen.ProbedAt,
		// Where any network will do, whoever answers is on the right one.
		Proven: seen.Proven || (chain.Network.Any && seen.Good), Disproven: seen.Disproven,
	}}
	for _, f := range standing {
		if !slices.Contains(e.Facts, f.Alert) {
			e.Facts = append(e.Facts, f.Alert)
		}
		e.Integrity = e.Integrity || f.FailureMode == rules.ModeInconsistent
	}
	slices.Sort(e.Facts)
	e.Words = c.words(chain.Name, p.Name, standing, seen)
	return e
}

// without are the words that are not among the others.
func without(words, others []string) []string {
	if len(others) == 0 {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(others, w) })
}

// words say in a few words what speaks against a provider: the worst of it.
func (c *Controller) words(chain, provider string, standing []facts.Fact, seen observation.Provider) string {
	if len(standing) == 0 {
		if seen.Probed && !seen.Good {
			return "failed its probe" + inBrackets(seen.LastReason)
		}
		return ""
	}
	modes := rules.FailureModes()
	severity := func(f facts.Fact) int {
		if i := slices.Index(modes, f.FailureMode); i >= 0 {
			return i
		}
		return len(modes)
	}
	worst := slices.MinFunc(standing, func(a, b facts.Fact) int { return cmp.Compare(severity(a), severity(b)) })
	switch worst.FailureMode {
	case rules.ModeDown:
		return "down" + inBrackets(seen.LastReason)
	case rules.ModeErrors:
		return "failing" + inBrackets(seen.LastReason)
	case rules.ModeSlow:
		if seen.LatencyKnown {
			return fmt.Sprintf("slow (%.0f ms)", seen.LatencyMS)
		}
		return "slow"
	case rules.ModeBehind:
		if lag, ok := c.overview.Lag(chain, provider); ok && lag > 0 {
			return fmt.Sprintf("behind (%d blocks)", lag)
		}
		return "behind" + inBrackets(worst.Alert)
	case rules.ModeInconsistent:
		return "inconsistent" + inBrackets(worst.Alert)
	}
	return "has the alert " + worst.Alert
}

// inBrackets is a word in brackets after a space, if there is a word.
func inBrackets(word string) string {
	if word == "" {
		return ""
	}
	return " (" + word + ")"
}
