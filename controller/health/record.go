package health

import (
	"slices"
	"time"
)

// Record is what is remembered of a provider between two looks. The zero value
// is that of a provider that was just configured, or whose URL has changed.
type Record struct {
	State State `json:"state"`
	// Since is when it came into the state.
	Since time.Time `json:"since,omitzero"`
	// Reason is what brought it there.
	Reason Reason `json:"reason"`
	// Proven says that its network was proven to be the chain's and not disproven
	// since. An exporter that starts again and has not asked yet takes it from
	// nobody.
	Proven bool `json:"proven,omitempty"`
	// Passed are the recovery checks passed in a row; not 0 only while recovering.
	Passed int `json:"passed,omitempty"`
	// Required is how many must pass, as of when it came into the state.
	Required int `json:"required,omitempty"`
	// LastCheck is when the last recovery check was judged, or when it became
	// unhealthy. Zero before that.
	LastCheck time.Time `json:"last_check,omitzero"`
	// LastProbe is the time of the probe behind LastCheck, by the exporter's
	// clock. Only a newer one can count.
	LastProbe time.Time `json:"last_probe,omitzero"`
	// NextCheck is when the next recovery check is due, and remains so once it is
	// and waits for a probe. Zero: never.
	NextCheck time.Time `json:"next_check,omitzero"`
	// Failovers are when work was taken from it because it was unfit: the newest
	// few, within FlapWindow of the last of them, oldest first.
	Failovers []time.Time `json:"failovers,omitempty"`
	// Generation grows by one at each change of State.
	Generation uint64 `json:"generation"`
}

// Equal says whether two records say the same.
func (r Record) Equal(other Record) bool {
	return r.State == other.State && r.Reason == other.Reason && r.Proven == other.Proven &&
		r.Passed == other.Passed && r.Required == other.Required && r.Generation == other.Generation &&
		r.Since.Equal(other.Since) && r.LastCheck.Equal(other.LastCheck) && r.LastProbe.Equal(other.LastProbe) &&
		r.NextCheck.Equal(other.NextCheck) && slices.EqualFunc(r.Failovers, other.Failovers, time.Time.Equal)
}

// Wait is how long until the passing of time alone can change the record. It
// says false if it cannot: whatever comes next comes with new evidence.
func (r Record) Wait(now time.Time) (time.Duration, bool) {
	wait := r.NextCheck.Sub(now)
	return wait, !r.NextCheck.IsZero() && wait > 0
}

// Failover is the record after work was taken from the provider because it was
// unfit. The next recovery may take longer for it.
func (r Record) Failover(p Policy, now time.Time) Record {
	kept := make([]time.Time, 0, maxDoublings+1)
	for _, at := range r.Failovers {
		if counts(at, now) {
			kept = append(kept, at)
		}
	}
	// No more of them can make a difference.
	if surplus := len(kept) - maxDoublings; surplus > 0 {
		kept = kept[surplus:]
	}
	r.Failovers = append(kept, now)
	r.Required = p.Required(r.Failovers, now)
	return r
}

// become is the record in another state.
func (r Record) become(s State, why Reason, p Policy, now time.Time) Record {
	r.State, r.Reason, r.Since = s, why, now
	r.Generation++
	r.Passed, r.NextCheck = 0, time.Time{}
	r.Required = p.Required(r.Failovers, now)
	return r
}

// judged is the record after a verdict on the evidence, which puts the next
// recovery check an interval away.
func (r Record) judged(e Evidence, p Policy, now time.Time) Record {
	r.LastCheck, r.NextCheck = now, now.Add(p.RecoveryCheckInterval)
	if e.Probed {
		r.LastProbe = e.ProbedAt
	}
	return r
}

// supersedes says whether the probe is newer than the last one that counted. A
// probe that counted and lies in the future is one of a clock that ran ahead:
// any other is taken as newer than that, or a clock set right would be waited
// for.
func (r Record) supersedes(e Evidence, now time.Time) bool {
	return e.ProbedAt.After(r.LastProbe) || (r.LastProbe.After(now) && !e.ProbedAt.Equal(r.LastProbe))
}

// late says whether the evidence is of before the last probe that counted.
func (r Record) late(e Evidence, now time.Time) bool {
	return !r.supersedes(e, now) && !e.ProbedAt.Equal(r.LastProbe)
}
