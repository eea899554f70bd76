package gateway

import (
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Options are what a gateway needs from its surroundings. Router is needed; for
// everything else zero is the default.
type Options struct {
	// Router says who may answer.
	Router Router
	// Chains names the configured chains, so that each has its series before its
	// first request; nil: series begin with the first request.
	Chains func() []string
	// Registerer takes the gateway's metrics; nil: they are not published.
	Registerer prometheus.Registerer
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time

	// AttemptTimeout is how long one provider may take until the beginning of its
	// answer is there. The last provider has what is left of RequestTimeout.
	AttemptTimeout time.Duration
	// RequestTimeout is how long all attempts may take together.
	RequestTimeout time.Duration
	// IdleTimeout is how long an answer that has begun may pause, and how long a
	// client may take to receive a piece of it.
	IdleTimeout time.Duration
	// HedgeAfter is how long one provider is waited for before the next one is
	// asked as well, for requests that change nothing; 0: never.
	HedgeAfter time.Duration

	// FailureThreshold is the number of consecutive failures that put a provider
	// into quarantine, Cooldown how long that lasts.
	FailureThreshold int
	Cooldown         time.Duration
	// ReturnAfter is how long after its last failure the active provider is tried
	// first again, when another one has stepped in; 0: Cooldown; below zero: not
	// before the controller's next switch.
	ReturnAfter time.Duration

	// MaxRequestBody bounds the body of a request, in bytes: it is kept for the next
	// provider. MaxBatch bounds the number of calls in one batch.
	MaxRequestBody int64
	MaxBatch       int
	// HeadSize is how much of an answer is looked at before the client gets any of
	// it, in bytes. BatchBuffer is how much of the answers to a batch is held, in
	// bytes, to give them in the order of the calls; a longer one is passed on as it
	// comes.
	HeadSize    int
	BatchBuffer int

	// WebSocketCheck is how often the route of an open WebSocket is looked at.
	WebSocketCheck time.Duration
	// MaxWebSocketMessage bounds a message of a client, in bytes.
	MaxWebSocketMessage int64

	// Methods are what is let through and refused, by chain; "" is for chains that
	// are not named.
	Methods map[string]Methods

	// Settings are what holds for single chains instead of the above, by name.
	Settings map[string]Settings

	// OnQuarantine, if set, is told when a provider is put into quarantine. It must
	// not block, and not call the gateway.
	OnQuarantine func(chain, provider string)
	// OnOutcome, if set, is told how each request to a provider ended. It must not
	// block.
	OnOutcome func(chain, provider string, o Outcome, took time.Duration)
}

// The defaults.
const (
	DefaultAttemptTimeout      = 5 * time.Second
	DefaultRequestTimeout      = 25 * time.Second
	DefaultIdleTimeout         = 30 * time.Second
	DefaultFailureThreshold    = 3
	DefaultCooldown            = 30 * time.Second
	DefaultMaxRequestBody      = 10 << 20
	DefaultMaxBatch            = 5000
	DefaultHeadSize            = 64 << 10
	DefaultBatchBuffer         = 1 << 20
	DefaultWebSocketCheck      = time.Second
	DefaultMaxWebSocketMessage = 1 << 20
)

// minHeadSize is what recognising an answer takes.
const minHeadSize = 1 << 10

// withDefaults fills in what is zero and refuses what cannot work.
func (o Options) withDefaults() (Options, error) {
	if o.Router == nil {
		return o, errors.New("gateway: a router is needed")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	or(&o.AttemptTimeout, DefaultAttemptTimeout)
	or(&o.RequestTimeout, DefaultRequestTimeout)
	or(&o.IdleTimeout, DefaultIdleTimeout)
	or(&o.FailureThreshold, DefaultFailureThreshold)
	or(&o.Cooldown, DefaultCooldown)
	or(&o.ReturnAfter, o.Cooldown)
	or(&o.MaxRequestBody, DefaultMaxRequestBody)
	or(&o.MaxBatch, DefaultMaxBatch)
	or(&o.HeadSize, DefaultHeadSize)
	or(&o.BatchBuffer, DefaultBatchBuffer)
	or(&o.WebSocketCheck, DefaultWebSocketCheck)
	or(&o.MaxWebSocketMessage, DefaultMaxWebSocketMessage)
	o.HeadSize = max(o.HeadSize, minHeadSize)
	switch {
	case o.AttemptTimeout < 0 || o.RequestTimeout < 0 || o.IdleTimeout < 0 || o.HedgeAfter < 0 || o.Cooldown < 0 || o.WebSocketCheck < 0:
		return o, errors.New("gateway: a duration is below zero")
	case o.FailureThreshold < 0 || o.MaxRequestBody < 0 || o.MaxBatch < 0 || o.BatchBuffer < 0:
		return o, errors.New("gateway: a bound is below zero")
	}
	return o, nil
}

// or gives a zero value its default.
func or[T comparable](to *T, otherwise T) {
	var zero T
	if *to == zero {
		*to = otherwise
	}
}
