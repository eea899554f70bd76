// Package selection models the choice of the provider that serves a chain.
//
// Choose is the whole of it: a pure, total function of the providers, of the
// one that serves, of what the operator wants and of the time. The package
// reads no clock, does no input or output, logs nothing and keeps nothing
// between two calls. It does not judge how providers fare: that is package
// health.
//
// Invariants:
//   - Who serves has proven its network and has no integrity fact against it,
//     whatever else is down.
//   - An unfit provider serves only while no fit one may take its place.
//   - There is no switch without a reason, and none back and forth over one
//     situation: Choose about its own choice keeps it.
//   - The order in which the candidates are given does not matter.
package selection

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/health"
)

// Situation is all that a choice depends on.
type Situation struct {
	// Candidates are the configured providers of the chain, in any order. Their
	// names differ.
	Candidates []Candidate `json:"candidates"`
	Current    Current     `json:"current"`
	Policy     Policy      `json:"policy"`
	Request    Request     `json:"request,omitzero"`
	// Pin is the provider that an operator wants to serve. "": none.
	Pin string `json:"pin,omitempty"`
	// Approved says that an operator agrees to the failback that awaits it.
	Approved bool `json:"approved,omitempty"`
	// Split says that the providers contradict each other and no majority says
	// who is right.
	Split bool      `json:"split,omitempty"`
	Now   time.Time `json:"now"`
}

// Candidate is a configured provider as the choice sees it.
type Candidate struct {
	Name string `json:"name"`
	// Priority is better the lower it is; Order, the place in the file, decides
	// between equals.
	Priority int          `json:"priority"`
	Order    int          `json:"order"`
	State    health.State `json:"state"`
	// Integrity says that a fact stands which says that it serves wrong data.
	Integrity bool `json:"integrity,omitempty"`
	// Proven says that its network is proven to be the chain's.
	Proven bool `json:"proven,omitempty"`
	// Drained says that an operator wants it not to serve.
	Drained bool `json:"drained,omitempty"`
	// Capabilities are what a consumer can ask for.
	Capabilities []string `json:"capabilities,omitempty"`
}

// Current is what serves now. The zero value is that of a chain that nothing
// has served yet.
type Current struct {
	// Provider is "" while nobody serves.
	Provider string `json:"provider,omitempty"`
	// Since is when it began to serve, or when the last one ceased to.
	Since time.Time `json:"since,omitzero"`
	// Kind is that of the last switch.
	Kind Kind `json:"kind"`
	// Last is who serves or, while nobody does, who served last.
	Last string `json:"last,omitempty"`
}

// Request narrows the choice to what one consumer asks for. Its choice is an
// answer to that consumer and not to be kept as the chain's.
type Request struct {
	// Capability is what the provider must have. "": whatever it has.
	Capability string `json:"capability,omitempty"`
}

// Policy is what the operator wants in general.
type Policy struct {
	Failback Failback `json:"failback"`
	// MinActiveTime is how long a provider serves at least before a failback. It
	// never delays leaving an unfit one, nor what an operator orders.
	MinActiveTime  time.Duration  `json:"min_active_time"`
	OnAllUnhealthy OnAllUnhealthy `json:"on_all_unhealthy"`
}

// Failback is when the work returns to a preferred provider. Any word but the
// three counts as FailbackManual, which switches least.
type Failback string

// The three ways to fail back: by itself, not while the current one is fit, or
// when an operator agrees.
const (
	FailbackAuto   Failback = "auto"
	FailbackSticky Failback = "sticky"
	FailbackManual Failback = "manual"
)

// OnAllUnhealthy is what serves while no provider is fit. Any word but the two
// counts as ServeNone.
type OnAllUnhealthy string

// Nobody, or the last one, degraded.
const (
	ServeNone OnAllUnhealthy = "none"
	ServeLast OnAllUnhealthy = "last"
)
