package web

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// timeline shows who served and how the providers were over a window of time.
type timeline struct {
	Ticks []tick
	// Served is the lane of who served, with a mark at each switch.
	Served lane
	Marks  []mark
	Lanes  []lane
}

// lane is a bar chart of one line.
type lane struct {
	Name string
	Bars []bar
	// Summary says the same in words.
	Summary string
}

// bar is a stretch of time. Places are in per cent of the window.
type bar struct {
	X, Width string
	// Class is a state, or a provider.
	Class string
	// Odd is every second one, for neighbours to look different.
	Odd bool
	// Label is drawn inside, where there is room; Title tells all.
	Label, Title string
}

// mark is a switch.
type mark struct{ X, Title string }

// tick is a mark on the axis.
type tick struct{ X, Label string }

// windowLink leads to the same page with another window.
type windowLink struct {
	Name, Label string
	Current     bool
}

// windows are the stretches of time that there are timelines of, with the
// distance of the marks on their axes.
var windows = []struct {
	name, label string
	length      time.Duration
	tick        time.Duration
}{
	{"1h", "1 hour", time.Hour, 10 * time.Minute},
	{"6h", "6 hours", 6 * time.Hour, time.Hour},
	{"24h", "24 hours", 24 * time.Hour, 4 * time.Hour},
}

const defaultWindow = time.Hour

// windowOf is a window by name; one that is not there is the default.
func windowOf(name string) time.Duration {
	for _, w := range windows {
		if w.name == name {
			return w.length
		}
	}
	return defaultWindow
}

// windowName is the name of a window.
func windowName(length time.Duration) string {
	for _, w := range windows {
		if w.length == length {
			return w.name
		}
	}
	return ""
}

// windowLinks lead to all windows.
func windowLinks(current time.Duration) []windowLink {
	var links []windowLink
	for _, w := range windows {
		links = append(links, windowLink{w.name, w.label, w.length == current})
	}
	return links
}

// stretch is a time during which something was the same.
type stretch struct {
	from, to time.Time
	// what is a state or a provider; why began it.
	what, why string
}

// timelineOf draws what the events tell of a chain, newest first, over the
// window that ends now.
func timelineOf(c wire.Chain, events []wire.Event, window time.Duration, now time.Time) timeline {
	ordered := slices.Clone(events)
	slices.Reverse(ordered)
	s := scale{now.Add(-window), now}
	t := timeline{Ticks: s.ticks(window)}
	served := s.clip(servedBy(c, ordered, now))
	t.Served = lane{Name: "Served by", Bars: s.bars(served, now), Summary: servedSummary(served)}
	for _, e := range ordered {
		if classOf(e) == classSwitch && !e.Time.Before(s.from) && !e.Time.After(s.to) {
			t.Marks = append(t.Marks, mark{s.place(e.Time), fmt.Sprintf("%s at %s UTC: %s → %s", e.Kind, console.Clock(e.Time, now), orNobody(e.From), orNobody(e.To))})
		}
	}
	for _, p := range c.Providers {
		states := s.clip(statesOf(p, ordered, now))
		t.Lanes = append(t.Lanes, lane{p.Name, s.bars(states, now), stateSummary(p.Name, states)})
	}
	return t
}

// statesOf are the states of a provider, as far as they are known. Before the
// first event it was in the state that this event ended, for all we know.
func statesOf(p wire.Provider, events []wire.Event, now time.Time) []stretch {
	var all []stretch
	for _, e := range events {
		if e.Kind != wire.EventState || e.Provider != p.Name {
			continue
		}
		if len(all) == 0 {
			if e.From != "" && e.From != wire.StatusUnknown {
				all = append(all, stretch{what: e.From, to: e.Time})
			}
		} else {
			all[len(all)-1].to = e.Time
		}
		all = append(all, stretch{from: e.Time, to: now, what: e.To, why: console.Line(e.Reason)})
	}
	if len(all) == 0 && !p.Since.IsZero() {
		all = append(all, stretch{from: p.Since, to: now, what: p.Status, why: console.Line(p.Reason)})
	}
	return all
}

// servedBy are the providers that served a chain.
func servedBy(c wire.Chain, events []wire.Event, now time.Time) []stretch {
	var all []stretch
	for _, e := range events {
		if classOf(e) != classSwitch {
			continue
		}
		if len(all) == 0 {
			if e.From != "" {
				all = append(all, stretch{what: e.From, to: e.Time})
			}
		} else {
			all[len(all)-1].to = e.Time
		}
		all = append(all, stretch{from: e.Time, to: now, what: e.To, why: console.Line(e.Reason)})
	}
	if len(all) == 0 && c.Active != nil && !c.Since.IsZero() {
		all = append(all, stretch{from: c.Since, to: now, what: *c.Active, why: console.Line(c.Reason)})
	}
	return all
}

// stateSummary says in words what a lane shows.
func stateSummary(name string, states []stretch) string {
	var known, well time.Duration
	spells := 0
	for _, s := range states {
		length := s.to.Sub(s.from)
		if s.what == wire.StatusUnknown {
			continue
		}
		known += length
		if s.what == wire.StatusHealthy {
			well += length
		}
		if s.what == wire.StatusUnhealthy {
			spells++
		}
	}
	if known == 0 {
		return name + ": nothing is known of this time"
	}
	text := fmt.Sprintf("%s: healthy %s of the time known", name, percent(float64(well)/float64(known)))
	if spells > 0 {
		text += ", unhealthy " + plural(spells, "time")
	}
	return text
}

// percent is a share for people. What is not all is never 100 %.
func percent(share float64) string {
	if share >= 1 {
		return "100 %"
	}
	return strconv.FormatFloat(min(share*100, 99.9), 'f', 1, 64) + " %"
}

// servedSummary says in words who served.
func servedSummary(served []stretch) string {
	if len(served) == 0 {
		return "Nothing is known of who served in this time"
	}
	text := "Served by " + orNobody(served[0].what)
	for _, s := range served[1:] {
		text += ", then " + orNobody(s.what)
	}
	return text
}
