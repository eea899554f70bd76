package health

import (
	"math"
	"time"
)

// Evidence is what is known of a provider at a moment. The zero value is that
// of a provider nobody hears of.
type Evidence struct {
	// Facts are the names of the alerts that stand against it, sorted.
	Facts []string `json:"facts,omitempty"`
	// Integrity says that one of them is about what it serves being wrong, which
	// is worse than not serving: an alert of failure mode inconsistent.
	Integrity bool `json:"integrity,omitempty"`
	// Probed says that a probe of it has ended with a verdict and been told of.
	Probed bool `json:"probed,omitempty"`
	// Good is the outcome of the last probe.
	Good bool `json:"good,omitempty"`
	// Proven says that its network is known to be the chain's, and Disproven that
	// it is known to be another. Neither is the rule when an exporter has just
	// started, and no verdict: what was proven before stays so.
	Proven    bool `json:"proven,omitempty"`
	Disproven bool `json:"disproven,omitempty"`
	// ProbedAt is the time of the last probe by the clock of the exporter.
	ProbedAt time.Time `json:"probed_at,omitzero"`
	// Fresh says that the exporter is being heard.
	Fresh bool `json:"fresh,omitempty"`
}

// condemned is why the evidence makes any state unhealthy, if it does.
func (e Evidence) condemned() (Reason, bool) {
	switch {
	case e.Disproven:
		return WrongNetwork, true
	case e.Integrity:
		return IntegrityFact, true
	case len(e.Facts) > 0:
		return FactStands, true
	}
	return NoReason, false
}

// Policy is how a provider proves itself again.
type Policy struct {
	// RecoveryCheckInterval is the time between two recovery checks, and from the
	// moment that a provider becomes unhealthy to the first of them.
	RecoveryCheckInterval time.Duration `json:"recovery_check_interval"`
	// MinRecoveryChecks is how many in a row must pass; less than one means one.
	MinRecoveryChecks int `json:"min_recovery_checks"`
	// FlapPenalty doubles MinRecoveryChecks for each failover within FlapWindow
	// from the second on.
	FlapPenalty bool `json:"flap_penalty"`
}

// FlapWindow is how long a failover counts against a provider.
const FlapWindow = time.Hour

// maxDoublings makes the penalty eightfold at most.
const maxDoublings = 3

// Required is how many recovery checks in a row a provider must pass that work
// was taken from at these times.
func (p Policy) Required(failovers []time.Time, now time.Time) int {
	required := max(p.MinRecoveryChecks, 1)
	if !p.FlapPenalty {
		return required
	}
	recent := 0
	for _, at := range failovers {
		if counts(at, now) {
			recent++
		}
	}
	doublings := min(max(recent-1, 0), maxDoublings)
	if required > math.MaxInt>>doublings {
		return math.MaxInt
	}
	return required << doublings
}

// counts says whether a failover still counts. One in the future is of before
// the clock was set back, and would otherwise count for longer than the window.
func counts(at, now time.Time) bool {
	age := now.Sub(at)
	return age >= 0 && age < FlapWindow
}
