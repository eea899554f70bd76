package evaluator

import "time"

const (
	// restFactor bounds what triggered rounds may cost: to each belongs a rest of as
	// many times its duration, so that they take a fifth of a core on average,
	// however many providers are probed.
	restFactor = 4
	// maxCredit is how much rest may be taken in advance. Where probes are few the
	// evaluator rests enough while there are none, and the probe that matters is
	// evaluated at once.
	maxCredit = 500 * time.Millisecond
)

// pace says how long to rest after a round. The zero value has no credit.
type pace struct {
	// credit is the rest that was had in advance; negative: what is owed.
	credit time.Duration
	// ended is when the last round did; zero before the first.
	ended time.Time
}

// begin takes in that a round begins: since the last one ended there was rest.
func (p *pace) begin(now time.Time) {
	if !p.ended.IsZero() {
		p.credit = min(p.credit+max(0, now.Sub(p.ended)), maxCredit)
	}
}

// end takes in what a round took, and says how long to rest now, at the longest
// for limit.
func (p *pace) end(now time.Time, took, limit time.Duration) time.Duration {
	p.credit, p.ended = max(p.credit-restFactor*took, -limit), now
	return max(0, -p.credit)
}
