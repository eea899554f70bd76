package console

import (
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Prose is what Explain tells, as sentences that whoever shows them breaks into
// lines: for pages rather than terminals.
type Prose struct {
	// Verdict says who serves, since when and why.
	Verdict []string
	// Alerts are those about the chain, and Providers what is known of each.
	Alerts    []string
	Providers []Portrait
	// Judge says whose facts count, Outlook what would happen next.
	Judge   string
	Outlook []string
}

// Portrait is what is known of a provider. What there is nothing to say of is
// empty.
type Portrait struct {
	Name string
	// Figures are height, lag and latency, Probes how they went.
	Figures, Probes string
	// Orders are what operators want of it, Recovery how far it has come back.
	Orders, Recovery string
	// Facts are what is held against it.
	Facts []string
}

// Tell explains a chain in sentences.
func Tell(c wire.Chain, now time.Time) Prose {
	p := Prose{Verdict: told(c, now), Judge: judge(c.Evaluator, now), Outlook: outlook(c, now)}
	for _, a := range c.Alerts {
		p.Alerts = append(p.Alerts, fact(a, "", now))
	}
	for _, provider := range c.Providers {
		p.Providers = append(p.Providers, Sketch(c, provider, now))
	}
	return p
}

// told is who serves, since when and why.
func told(c wire.Chain, now time.Time) []string {
	text := capital(serving(c))
	if !c.Since.IsZero() {
		text += " since " + ago(c.Since, now)
	}
	all := []string{text + "."}
	if why := sentence(c.Reason); why != "" {
		all = append(all, "Why: "+why)
	}
	if kept := sentence(strings.TrimPrefix(c.Kept, "none: ")); kept != "" {
		all = append(all, "Kept: "+kept)
	}
	return all
}

// Sketch is what is known of a provider of a chain.
func Sketch(c wire.Chain, p wire.Provider, now time.Time) Portrait {
	k := Portrait{
		Name: Line(p.Name), Figures: figures(p), Probes: probes(p, now), Orders: orders(c, p, now), Recovery: recovering(p, now),
	}
	for _, a := range p.Alerts {
		k.Facts = append(k.Facts, fact(a, ", for people only", now))
	}
	return k
}

// Age is a duration for people, of two units at most: 12s, 3m12s, 2h05m, 3d04h.
func Age(d time.Duration) string { return age(d) }

// Clock is a point in time in UTC, with its date unless that is today's.
func Clock(t, now time.Time) string { return clock(t, now) }

// Latency is a number of milliseconds for people; nil is unknown.
func Latency(ms *float64) string { return latency(ms) }

// Host is scheme and host of an address; the rest may be a secret. It is empty
// if that is no address.
func Host(address string) string { return host(address) }
