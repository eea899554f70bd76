package health

import "time"

// Next is what the evidence makes of a provider at a moment, and why. It takes
// any input: a record of no known state is judged as one without a verdict.
//
// The states and what moves a provider between them:
//
//	unknown    -> healthy     the first good probe, of a provider whose network is proven
//	unknown    -> unhealthy   the first failed probe
//	any        -> unhealthy   a fact, or the proof of another network
//	unhealthy  -> recovering  the first recovery check that passes
//	recovering -> healthy     as many of them in a row as required, the first included
//	recovering -> unhealthy   a failed probe, whether a check is due or not
//
// Where a single check is required, unhealthy leads to healthy. A failed probe
// does not condemn a healthy provider: the rules say how many are a fact. A
// check is one good probe newer than that of the check before, with no fact
// standing, RecoveryCheckInterval after the check before, or for the first
// after the provider became unhealthy.
//
// While no exporter is heard a fact still condemns, as it can come by another
// way, and the absence of one says nothing.
func Next(prev Record, e Evidence, p Policy, now time.Time) (Record, Reason) {
	next := prev
	if e.Fresh {
		next.Proven = (prev.Proven || e.Proven) && !e.Disproven
	}
	if why, bad := e.condemned(); bad {
		return condemn(next, e, why, p, now)
	}
	if !e.Fresh {
		return prev, Blind
	}
	switch prev.State {
	case Healthy:
		return watch(next, e)
	case Recovering, Unhealthy:
		return check(next, e, p, now)
	default:
		return first(next, e, p, now)
	}
}

// condemn makes a provider unhealthy if it is not yet.
func condemn(r Record, e Evidence, why Reason, p Policy, now time.Time) (Record, Reason) {
	if r.State == Unhealthy {
		return r, why
	}
	return r.become(Unhealthy, why, p, now).judged(e, p, now), why
}

// first gives the first verdict.
func first(r Record, e Evidence, p Policy, now time.Time) (Record, Reason) {
	switch {
	case !e.Probed:
		return r, NotProbed
	case !e.Good:
		return condemn(r, e, FirstProbeFailed, p, now)
	case !r.Proven:
		return r, NotIdentified
	}
	return r.become(Healthy, FirstProbeGood, p, now), FirstProbeGood
}

// watch leaves a healthy provider alone that no fact stands against.
func watch(r Record, e Evidence) (Record, Reason) {
	if e.Probed && !e.Good {
		return r, FailureTolerated
	}
	return r, Steady
}

// check makes a recovery check if one is due.
func check(r Record, e Evidence, p Policy, now time.Time) (Record, Reason) {
	wait := CheckNotDue
	if now.Before(r.LastCheck) {
		r.LastCheck, wait = now, ClockSetBack
	}
	r.NextCheck = r.LastCheck.Add(p.RecoveryCheckInterval)
	switch {
	case !e.Probed:
		return r, NotProbed
	case r.State == Recovering && r.late(e, now):
		return r, ProbeAwaited
	case !e.Good && r.State == Recovering:
		return condemn(r, e, CheckFailed, p, now)
	case !e.Good:
		return r, StillFailing
	case !r.Proven:
		return r, NotIdentified
	case now.Before(r.NextCheck):
		return r, wait
	case !r.supersedes(e, now):
		return r, ProbeAwaited
	}
	return pass(r, e, p, now)
}

// pass counts a recovery check that was passed.
func pass(r Record, e Evidence, p Policy, now time.Time) (Record, Reason) {
	passed, required := r.Passed+1, r.Required
	if r.State == Unhealthy {
		passed, required = 1, p.Required(r.Failovers, now)
	}
	if passed >= required {
		return r.judged(e, p, now).become(Healthy, Recovered, p, now), Recovered
	}
	if r.State == Unhealthy {
		r = r.become(Recovering, CheckPassed, p, now)
	}
	r = r.judged(e, p, now)
	r.Passed = passed
	return r, CheckPassed
}
