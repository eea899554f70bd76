package gateway

// Outcome is how one request to one provider ended; its text is the value of the
// label outcome.
type Outcome uint8

// The outcomes.
const (
	// OK: a good answer. A transaction that is known already counts as one.
	OK Outcome = iota
	// Refused: the chain itself said no, as every provider would: a revert, a
	// nonce that is too low, parameters that make no sense.
	Refused
	// Invalid: the provider could not make sense of the request.
	Invalid
	// Missing: the provider does not have what was asked for; another may.
	Missing
	// Unsupported: the provider does not offer this; another may.
	Unsupported
	// RateLimited: asked too often, or the quota is spent.
	RateLimited
	// Unauthorized: the provider does not accept our key.
	Unauthorized
	// Unavailable: the node says of itself that it is not fit: it starts, syncs, is
	// behind or too busy.
	Unavailable
	// Timeout: no answer in the time of one attempt.
	Timeout
	// Connection: no connection, or it broke.
	Connection
	// ServerError: the server, or what stands before it, failed.
	ServerError
	// BadResponse: what came is not what the protocol allows.
	BadResponse
	// Stale: the newest block that it told of is further behind the chain than is
	// allowed.
	Stale
	// Contradicted: what it told cannot be: a height that the chain has not reached,
	// another network, a block that is another one with most operators.
	Contradicted
	// Cancelled: the client went away, or another attempt was faster.
	Cancelled
	// Local: this machine could not even ask.
	Local

	outcomeCount
)

// Outcomes are all outcomes, so that each has a series from the start.
var Outcomes = []Outcome{
	OK, Refused, Invalid, Missing, Unsupported, RateLimited, Unauthorized, Unavailable,
	Timeout, Connection, ServerError, BadResponse, Stale, Contradicted, Cancelled, Local,
}

var outcomeNames = [outcomeCount]string{
	OK: "ok", Refused: "refused", Invalid: "invalid", Missing: "missing", Unsupported: "unsupported",
	RateLimited: "rate_limited", Unauthorized: "unauthorized", Unavailable: "unavailable",
	Timeout: "timeout", Connection: "connection", ServerError: "server_error",
	BadResponse: "bad_response", Stale: "stale", Contradicted: "contradicted", Cancelled: "cancelled", Local: "local",
}

var outcomeWords = [outcomeCount]string{
	OK: "answered", Refused: "the chain refused", Invalid: "did not understand the request",
	Missing: "does not have what was asked for", Unsupported: "does not offer this method",
	RateLimited: "asked too often, or the quota is spent", Unauthorized: "does not accept the configured key",
	Unavailable: "says that it is not ready", Timeout: "no answer in time",
	Connection: "connection refused or broken", ServerError: "server error",
	BadResponse: "the answer is not what the protocol allows",
	Stale:       "is behind the chain", Contradicted: "told what most others contradict", Cancelled: "cancelled",
	Local: "this machine could not connect",
}

// String is the value of the label.
func (o Outcome) String() string {
	if o < outcomeCount {
		return outcomeNames[o]
	}
	return "unknown"
}

// words say it in a sentence about a provider.
func (o Outcome) words() string {
	if o < outcomeCount {
		return outcomeWords[o]
	}
	return "unknown"
}

// verdict is what an outcome says about a provider's health.
type verdict uint8

const (
	// noVerdict moves nothing.
	noVerdict verdict = iota
	wellDone
	failed
)

func (o Outcome) verdict() verdict {
	switch o {
	case OK, Refused:
		return wellDone
	case RateLimited, Unauthorized, Unavailable, Timeout, Connection, ServerError, BadResponse, Stale, Contradicted:
		return failed
	}
	return noVerdict
}

// final says whether the client gets this answer without anybody else being
// asked.
func (o Outcome) final() bool { return o == OK || o == Refused || o == Invalid || o == Cancelled }

// worth ranks the answers of which the client gets one when nobody has a better
// one: the most meaningful, and of those the first. 0 is not worth showing: it is
// about our relation to the provider, not about the request.
func (o Outcome) worth() int {
	switch o {
	case OK, Refused:
		return 5
	case Invalid:
		return 4
	case Missing:
		return 3
	case Unsupported:
		return 2
	case Unavailable, Stale:
		return 1
	}
	return 0
}

// uncertain says whether the provider may have carried the request out
// nevertheless.
func (o Outcome) uncertain() bool {
	switch o {
	case Timeout, Connection, ServerError, BadResponse, Cancelled:
		return true
	}
	return false
}
