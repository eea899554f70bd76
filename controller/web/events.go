package web

import (
	"strings"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// maxEvents is how many events a page lists, maxRead how many its timeline is
	// drawn from.
	maxEvents = 50
	maxRead   = 2000
	// maxCached is of how many chains the events are kept.
	maxCached = 32
)

// eventView is something that happened to a chain.
type eventView struct {
	Time moment
	Kind string
	// Class is switch, state, order or other.
	Class string
	// Provider is who it is about; "": see From and To.
	Provider, From, To string
	Reason             string
	Facts              string
}

// eventsOf are events as a page lists them.
func eventsOf(events []wire.Event, now time.Time) []eventView {
	all := make([]eventView, 0, len(events))
	for _, e := range events {
		v := eventView{
			Time: at(e.Time, now), Kind: e.Kind, Class: classOf(e), Provider: e.Provider, From: e.From, To: e.To,
			Facts: strings.Join(console.Unsaid(e), ", "),
		}
		v.Reason = strings.TrimPrefix(console.Line(e.Reason), e.Kind+": ")
		if e.Provider != "" {
			v.Reason = strings.TrimPrefix(v.Reason, e.Provider+" ")
		}
		if v.Class == classSwitch {
			v.From, v.To = orNobody(e.From), orNobody(e.To)
		}
		all = append(all, v)
	}
	return all
}

// The classes of events.
const (
	classSwitch = "switch"
	classState  = "state"
	classOrder  = "order"
	classOther  = "other"
)

// classOf is what sort of event it is.
func classOf(e wire.Event) string {
	switch e.Kind {
	case wire.EventState:
		return classState
	case wire.EventDrain, wire.EventUndrain, wire.EventPin, wire.EventUnpin:
		return classOrder
	case wire.EventConfiguration:
		return classOther
	}
	if e.Provider != "" {
		return classOther
	}
	return classSwitch
}

// orNobody is the name of a side of a switch.
func orNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// eventCache keeps the events of the chains that are looked at, which are read
// from the journal's text, until the chain's index changes.
type eventCache struct {
	view View

	mu    sync.Mutex
	known map[string]cachedEvents
}

type cachedEvents struct {
	index  uint64
	events []wire.Event
}

// of are the events of a chain, newest first. They are read after the chain, and
// so are at least as new.
func (e *eventCache) of(c wire.Chain) []wire.Event {
	e.mu.Lock()
	cached, ok := e.known[c.Chain]
	e.mu.Unlock()
	if ok && cached.index == c.Index {
		return cached.events
	}
	events := e.view.Events(c.Chain, time.Time{}, maxRead)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= maxCached && !ok {
		clear(e.known)
	}
	if e.known == nil {
		e.known = map[string]cachedEvents{}
	}
	e.known[c.Chain] = cachedEvents{c.Index, events}
	return events
}
