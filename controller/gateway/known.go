package gateway

import "math"

// Known is what the controller knows of a chain apart from what single providers
// say. An answer that contradicts it is not given to a client while anybody else
// has one. The zero value knows nothing.
type Known struct {
	// Network is the identity that the chain must have, in the form of
	// config.Network; "" if any will do or it is not known.
	Network string
	// Tip is the height that enough operators had reached at the last look; TipKnown
	// says whether that is known. The chain may have gone on since.
	Tip      uint64
	TipKnown bool
	// MaxLag is how many blocks behind Tip the newest block of a provider may be.
	// MaxLead is how many blocks above Tip any block may be, growth since the last
	// look included.
	MaxLag, MaxLead uint64
}

// hold holds a claim of a provider against what is known. OK: nothing speaks
// against it.
func (k *Known) hold(e *Endpoint, c claim) Outcome {
	if c.network != "" && k.Network != "" && c.network != k.Network {
		return Contradicted
	}
	if !c.tall || !k.TipKnown {
		return OK
	}
	highest := plus(plus(k.Tip, e.Lead), k.MaxLead)
	switch {
	case c.height > highest:
		return Contradicted
	case c.newest && plus(c.height, k.MaxLag) < k.Tip:
		return Stale
	}
	return OK
}

// plus adds without an overflow.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// doubtful holds an answer to a question against what is known of the chain, and
// says what it is worth then. What is held against nothing is left as it is.
func (x *exchange) doubtful(e *Endpoint, q question, raw, body []byte) Outcome {
	if x.route.Known == (Known{}) {
		return OK
	}
	c, ok := claimOf(q, raw, body)
	if !ok {
		return BadResponse
	}
	if c.empty() {
		return OK
	}
	if o := x.route.Known.hold(e, c); o != OK {
		return o
	}
	if c.hash == "" || !x.lane.blocks.hold(&x.route, e, c) {
		return OK
	}
	return Contradicted
}
