package api

import (
	"context"
	"errors"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// View answers what is known and decided. The addresses in its answers are
// whole; the API hides what a caller may not know. Its methods may be called at
// the same time, and none waits for a disk or a network.
type View interface {
	// Actives are all chains, sorted by name.
	Actives() wire.ActiveList
	// Gone are the chains that left the configuration since the start, each as the
	// last answer about it, with state none and the index under which it left.
	Gone() []wire.Active
	// Active is who serves a chain; false if it is not configured. With a
	// capability it is the best healthy provider that has it.
	Active(chain, capability string) (wire.Active, bool)
	// Stamp is comparable, and another one whenever Active(chain, "") may answer
	// something else.
	Stamp(chain string) any
	// Chains are all chains, sorted by name, without events.
	Chains() []wire.Chain
	// Chain is one of them, with events; false if it is not configured.
	Chain(chain string) (wire.Chain, bool)
	// Index is the highest that was given out.
	Index() uint64
	// Wait returns when the index of a chain has passed after, or of any chain if
	// chain is "", or when the context ends. An index that was never given out
	// keeps nobody waiting, and neither does a chain that is not configured.
	Wait(ctx context.Context, chain string, after uint64)
	// Watch gives a channel that holds a value each time decisions, alerts or
	// whether an exporter answers have changed since the last one was taken, and a
	// function that ends it. The channel is never closed.
	Watch() (<-chan struct{}, func())
	// Ready says what is missing, in sentences; nil: nothing.
	Ready() []error
}

// Operator carries out what people order. An order is in force, in the journal
// and visible in the View when its method returns without an error.
type Operator interface {
	// Drain takes a provider out of service, for a time or, with zero, until
	// Undrain. Draining a drained one replaces the order.
	Drain(ctx context.Context, chain, provider string, o Order) error
	// Undrain ends that. It is no error if there was nothing to end.
	Undrain(ctx context.Context, chain, provider string) error
	// Pin wants a provider to serve, for a time or, with zero, until Unpin.
	Pin(ctx context.Context, chain, provider string, o Order) error
	// Unpin ends that. It is no error if there was nothing to end.
	Unpin(ctx context.Context, chain string) error
	// Failback agrees to the return to a preferred provider, where the policy asks
	// for that. It is ErrNothingAwaits if none waits.
	Failback(ctx context.Context, chain string) error
}

// Order is what an operator gives with it.
type Order struct {
	Reason string
	// For is how long it holds; zero: until it is taken back.
	For time.Duration
}

// Errors of an Operator that callers tell apart.
var (
	ErrUnknownChain    = errors.New("no such chain")
	ErrUnknownProvider = errors.New("no such provider")
	ErrNothingAwaits   = errors.New("no preferred provider waits for approval")
)
