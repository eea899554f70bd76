package api

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// The kinds of events of GET /events.
const (
	// EventActive: who serves a chain has changed. The data is a wire.Active.
	EventActive = "active"
	// EventStatus: what is held of a provider has changed. The data is a
	// StatusChange.
	EventStatus = "status"
	// EventAlert: an alert began, changed or ended. The data is an AlertChange.
	EventAlert = "alert"
	// EventEnd is the last one, when the controller stops.
	EventEnd = "end"
)

// The values of AlertChange.State.
const (
	AlertFiring   = "firing"
	AlertResolved = "resolved"
)

// StatusChange is the data of an event of kind status.
type StatusChange struct {
	Chain    string        `json:"chain"`
	Provider wire.Provider `json:"provider"`
}

// AlertChange is the data of an event of kind alert.
type AlertChange struct {
	Chain string `json:"chain"`
	// Provider is empty for alerts about the chain as a whole.
	Provider string `json:"provider,omitempty"`
	// State is firing or resolved.
	State string     `json:"state"`
	Alert wire.Alert `json:"alert"`
}

// event is something that streams tell. Streams share it, and whichever needs
// its text first makes it.
type event struct {
	kind, chain, provider string
	// id is the index up to which who has read the event has seen everything.
	id uint64
	// alert tells an alert's event from others.
	alert alertKey
	// data is what it says to those who may see whole addresses and to others.
	data  func(whole bool) any
	texts [2]atomic.Pointer[[]byte]
}

func activeEvent(a wire.Active) *event {
	return &event{kind: EventActive, chain: a.Chain, id: a.Index, data: func(whole bool) any { return shownActive(a, whole) }}
}

func statusEvent(chain string, p wire.Provider) *event {
	return &event{kind: EventStatus, chain: chain, provider: p.Name, data: func(whole bool) any {
		return StatusChange{chain, shownProvider(p, whole)}
	}}
}

func alertEvent(chain, provider string, a wire.Alert, state string) *event {
	return &event{
		kind: EventAlert, chain: chain, provider: provider,
		alert: alertKey{providerKey{chain, provider}, a.Name, a.FailureMode, a.Severity, a.Source, a.Since.UnixNano()},
		data:  func(bool) any { return AlertChange{chain, provider, state, a} },
	}
}

// resolved is the event of an alert's end.
func (e *event) resolved() *event {
	change, _ := e.data(false).(AlertChange)
	return alertEvent(e.chain, e.provider, change.Alert, AlertResolved)
}

// under is the event with an index.
func (e *event) under(index uint64) *event {
	return &event{kind: e.kind, chain: e.chain, provider: e.provider, id: index, alert: e.alert, data: e.data}
}

// text is the event as it is sent. JSON has no line breaks, so that the data is
// one line.
func (e *event) text(whole bool) []byte {
	place := &e.texts[oneIf(whole)]
	if text := place.Load(); text != nil {
		return *text
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n", e.id, e.kind, encoded(e.data(whole)))
	text := b.Bytes()
	place.Store(&text)
	return text
}
