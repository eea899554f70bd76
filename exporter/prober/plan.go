package prober

import (
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

const (
	// firstSpread is the time per provider over which the first probes are
	// spread, so that a start with many does not open all connections at once.
	firstSpread = time.Millisecond
	// unprovenRetries is how often in a row an unproven provider is probed at
	// the suspect interval: where the network is what most providers say, the
	// first one to answer waits for the others.
	unprovenRetries = 3
	// shutOut is the back-off after a spent quota or a blocked address, which
	// nothing but time or money helps.
	shutOut = time.Hour
)

// firstDelay is how long after its start a provider is probed first, when as
// many as starting start together.
func firstDelay(t Target, starting int) time.Duration {
	return part(t.share, min(t.Interval, time.Duration(starting)*firstSpread))
}

// next is when the next probe is due: it may be past if the last one took
// longer than its interval.
//
// Slots of absolute time, at a phase by the provider's name, are the rule. While
// errors are neither confirmed nor disproved, and after a probe without a
// verdict, it is suspect_check_interval after the last start; and never before a
// provider that is to be left alone may be asked again.
func (m *memory) next(now time.Time, t Target) time.Time {
	due := slot(m.started.Add(t.Interval/2), t)
	if m.missed || m.suspect(now, t) || (m.unproven > 0 && m.unproven <= unprovenRetries) {
		due = m.started.Add(t.Policy.SuspectCheckInterval)
	}
	if m.status.RetryAfter.After(due) {
		return m.status.RetryAfter
	}
	return due
}

// replan is when the next probe is due under a new policy. What would be past is
// put off to the next slot, so that a new policy for many providers does not
// probe them all at once.
func (m *memory) replan(now time.Time, t Target) time.Time {
	due := m.next(now, t)
	if due.Before(now) {
		return slot(now, t)
	}
	return due
}

// hastened is when a provider is probed that is in doubt for reasons from
// elsewhere: at once, but no sooner after the last probe than any other suspect,
// and never while it is to be left alone.
func (m *memory) hastened(now time.Time, t Target) time.Time {
	due := m.started.Add(t.Policy.SuspectCheckInterval)
	for _, later := range []time.Time{now, m.status.RetryAfter} {
		if later.After(due) {
			due = later
		}
	}
	return due
}

// suspect says whether the provider has errors that are not confirmed yet. To
// one that limits us, asking more often would only confirm its limit.
func (m *memory) suspect(now time.Time, t Target) bool {
	s := m.status
	return s.ConsecutiveErrors > 0 && !limits(s.LastFailure.Reason) &&
		s.WindowErrors(now) < t.Policy.ErrorThreshold
}

// limits says whether a reason means that we ask too much.
func limits(r chain.Reason) bool {
	return r == chain.RateLimited || r == chain.QuotaExhausted || r == chain.IPBlocked
}

// wait is how long a provider is left alone after a failure: as long as it asks
// for; else, if it limits us, by our own measure; at most chain.MaxWait. A rate
// limit begins at the interval and doubles with each one in a row.
func (m *memory) wait(f *chain.Failure, t Target) time.Duration {
	wait := f.Wait
	if wait <= 0 && limits(f.Reason) {
		wait = shutOut
		if f.Reason == chain.RateLimited {
			wait = t.Interval
			for n := 1; n < m.limits && wait < chain.MaxWait; n++ {
				wait *= 2
			}
		}
	}
	return min(wait, chain.MaxWait)
}

// lateness is how much later than asked a provider is probed after a wait, by
// its name: up to a tenth of the wait and never more than an interval. Those
// that were told to wait in the same instant do not come back in the same one.
func lateness(wait time.Duration, t Target) time.Duration {
	return part(t.share, min(wait/10, t.Interval))
}

// slot is the first of the target's slots at or after a time. They are a whole
// interval apart in absolute time, so that they outlast a restart, and their
// phase is by the target's name.
func slot(earliest time.Time, t Target) time.Time {
	phase := part(t.share, t.Interval)
	over := (earliest.UnixNano() - int64(phase)) % int64(t.Interval)
	if over < 0 {
		over += int64(t.Interval)
	}
	if over == 0 {
		return earliest
	}
	return earliest.Add(t.Interval - time.Duration(over))
}

// part is a share of a duration, of whole nanoseconds.
func part(share float64, of time.Duration) time.Duration {
	return time.Duration(share * float64(of))
}
