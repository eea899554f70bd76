// Package decision models one look at a chain: what the evidence makes of its
// providers, what the operator orders, who serves after that, and what changed.
//
// Decide is the whole of it: a pure, total function of what was remembered, of
// what is seen and of the time. It joins health.Next and selection.Choose and
// adds what operators order. The package reads no clock, does no input or
// output and logs nothing, so that a journal of its inputs can be replayed.
//
// Invariants:
//   - The same look again changes nothing.
//   - Nobody serves who has an integrity fact or an unproven network.
//   - The generation grows by one with each switch and never otherwise, but for
//     the leap over what may have been used before a crash.
//   - An order ends at its time, and with its provider.
package decision

import (
	"maps"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/selection"
)

// State is what is remembered of a chain between two looks. The zero value is
// that of a chain that was just configured. Decide never changes one; it makes
// another.
type State struct {
	// Begun is when the chain was first looked at.
	Begun time.Time `json:"begun,omitzero"`
	// Members are the configured providers by name.
	Members map[string]Member `json:"members"`
	// Current is who serves, since when, and who did before.
	Current selection.Current `json:"current"`
	// Served says how well.
	Served selection.State `json:"served"`
	// Fallbacks are the others that may serve, the next one first.
	Fallbacks []string `json:"fallbacks,omitempty"`
	// Generation is that of the last switch.
	Generation uint64 `json:"generation"`
	// Why is the sentence about the last switch.
	Why string `json:"why,omitempty"`
	// Verdict is why the last look chose what it did.
	Verdict selection.Reason `json:"verdict"`
	// Drains are by provider.
	Drains map[string]Order `json:"drains,omitempty"`
	// Pin is nil unless there is one.
	Pin *Pin `json:"pin,omitempty"`
	// Split says that the providers contradict each other; Agreed is when they
	// last did not, and zero while there is no split.
	Split  bool      `json:"split,omitempty"`
	Agreed time.Time `json:"agreed,omitzero"`
}

// Member is what is remembered of a provider.
type Member struct {
	health.Record
	// Endpoint tells whether it is still the same one: its type, and its address
	// without secrets.
	Endpoint string `json:"endpoint"`
	// Words say what spoke against it when it came into its state.
	Words string `json:"words,omitempty"`
	// Integrity says that an integrity fact stands, or stood and it has not recovered
	// since.
	Integrity bool `json:"integrity,omitempty"`
	// Capabilities are what a consumer can ask it for.
	Capabilities []string `json:"capabilities,omitempty"`
}

// Order is what an operator wants of a provider.
type Order struct {
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
	// Until is when it ends; zero: when it is taken back.
	Until time.Time `json:"until,omitzero"`
}

// over says whether the order has ended by itself.
func (o Order) over(now time.Time) bool { return !o.Until.IsZero() && !now.Before(o.Until) }

// Pin is the order that a provider is to serve.
type Pin struct {
	Provider string `json:"provider"`
	Order
}

// clone is a copy that shares nothing which a look changes.
func (s State) clone() State {
	s.Members = maps.Clone(s.Members)
	if s.Members == nil {
		s.Members = map[string]Member{}
	}
	s.Drains = maps.Clone(s.Drains)
	if s.Drains == nil {
		s.Drains = map[string]Order{}
	}
	return s
}

// Equal says whether two states say the same.
func (s State) Equal(other State) bool {
	samePin := (s.Pin == nil) == (other.Pin == nil)
	if samePin && s.Pin != nil {
		samePin = s.Pin.Provider == other.Pin.Provider && sameOrder(s.Pin.Order, other.Pin.Order)
	}
	return samePin && s.Begun.Equal(other.Begun) && maps.EqualFunc(s.Members, other.Members, sameMember) &&
		sameCurrent(s.Current, other.Current) && s.Served == other.Served &&
		slices.Equal(s.Fallbacks, other.Fallbacks) && s.Generation == other.Generation &&
		s.Why == other.Why && s.Verdict == other.Verdict &&
		maps.EqualFunc(s.Drains, other.Drains, sameOrder) &&
		s.Split == other.Split && s.Agreed.Equal(other.Agreed)
}

func sameMember(a, b Member) bool {
	return a.Record.Equal(b.Record) && a.Endpoint == b.Endpoint && a.Words == b.Words && a.Integrity == b.Integrity &&
		slices.Equal(a.Capabilities, b.Capabilities)
}

func sameOrder(a, b Order) bool {
	return a.Reason == b.Reason && a.Since.Equal(b.Since) && a.Until.Equal(b.Until)
}

func sameCurrent(a, b selection.Current) bool {
	return a.Provider == b.Provider && a.Since.Equal(b.Since) && a.Kind == b.Kind && a.Last == b.Last
}
