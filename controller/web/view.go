package web

import (
	"net/http"
	"time"

	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// View answers what is known and decided, as for the API. The addresses in its
// answers are whole; pages show scheme and host. Its methods may be called at the
// same time, and none waits for a disk or a network.
type View interface {
	// Chains are all chains, sorted by name, without events.
	Chains() []wire.Chain
	// Chain is one of them, with events; false if it is not configured.
	Chain(chain string) (wire.Chain, bool)
	// Events are what happened to a chain since a moment, newest first, at most
	// limit of them. They change with the chain's index only.
	Events(chain string, since time.Time, limit int) []wire.Event
	// History is how a provider did in the last minutes, oldest first.
	History(chain, provider string) []history.Sample
	// Ready says what is missing, in sentences; nil: nothing.
	Ready() []error
}

// Guard says who may give orders. The API is one.
type Guard interface {
	// NeedsToken says that orders need the admin token; else it takes trust.
	NeedsToken() bool
	// IsToken says whether a text is the admin token.
	IsToken(string) bool
	// Trusts says whether a request comes from this machine or from somebody who is
	// authenticated.
	Trusts(*http.Request) bool
	// CheckOrigin refuses a request that a page of another site has made.
	CheckOrigin(*http.Request) error
}
