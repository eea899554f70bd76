package prober

import (
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

const (
	// jitterWindow is the time over which steps back of a height are looked at.
	jitterWindow = time.Minute
	// freshIntervals is the number of intervals after which what a provider
	// told no longer counts.
	freshIntervals = 3
	// minErrorTimes is the least number of errors whose times are remembered.
	minErrorTimes = 64
)

// Status is what is known about one provider: an immutable value. Its counters
// begin at zero when the provider enters the set and when its Asker is replaced.
//
// A probe with a verdict ends in one of three ways. It is good: the provider
// told a height and its network is right. It failed: the provider has an error.
// Or it is unproven: the provider answered, but its network cannot be judged
// yet; that is no error, and neither is it up.
type Status struct {
	Key
	Operator string
	// Probed says that a verdict was reached at least once.
	Probed bool
	// Probes counts the probes with a verdict, Errors those that failed.
	Probes, Errors uint64
	// Up says that the last probe was good.
	Up bool
	// ConsecutiveErrors is above zero exactly if the last probe failed,
	// ConsecutiveSuccesses exactly if it was good.
	ConsecutiveErrors, ConsecutiveSuccesses uint64
	// Tip is the newest block as the last good probe told it: Height, Hash,
	// Parent and Time. It counts only while HeightKnown.
	chain.Tip
	// LatencyMS is the average, in milliseconds, of the height requests of the
	// last good probes, as many as the policy's latency_window; unknown before
	// one. It counts only while HeightKnown.
	LatencyMS chain.Optional[float64]
	// LastProbe is when the last verdict was reached; zero before one.
	LastProbe time.Time
	// LastGood is when the last good probe ended; zero before one.
	LastGood time.Time
	// LastAdvance is when this provider was last seen to grow in height; the
	// first height seen counts as growth, a return to a height that it had
	// within the last minute (or three intervals) does not. Zero before one.
	LastAdvance time.Time
	// Syncing and Peers are what the provider last said of itself.
	Syncing chain.Optional[bool]
	Peers   chain.Optional[int]
	// Identity is the network that the provider told when it was last asked; ""
	// if it told none.
	Identity string
	// Network is the verdict about Identity, as of the last probe.
	Network Verdict
	// OffCheckpoint says whether the block at the checkpoint is another one;
	// unknown if it was not asked or could not be told.
	OffCheckpoint chain.Optional[bool]
	// Capabilities holds what was last verified; nil if nothing was. It must
	// not be changed.
	Capabilities map[string]bool
	// CertificateExpiry is the earliest end of a certificate that the provider
	// showed last; zero without TLS.
	CertificateExpiry time.Time
	// RetryAfter is the time until which the provider is left alone, because it
	// asked for it or refused to serve us; zero if it is not. It may be past:
	// the next verdict clears or renews it.
	RetryAfter time.Time
	// LastFailure is the last failure and LastFailureTime when it was found,
	// also if good probes followed; nil and zero before one. It must not be
	// changed.
	LastFailure     *chain.Failure
	LastFailureTime time.Time

	failures   tally[chain.Reason]
	noVerdicts tally[string]
	// errorTimes are the times of the last errors, oldest first.
	errorTimes []time.Time
	// stepsBack are the steps back of the height, oldest first, each larger
	// than all later ones.
	stepsBack []stepBack
	// errorWindow is the policy's.
	errorWindow time.Duration
	// freshFor is how long what a good probe told counts.
	freshFor time.Duration
}

// Failures is the number of errors of one reason. Over chain.Reasons they add up
// to Errors.
func (s *Status) Failures(reason chain.Reason) uint64 { return s.failures.of(reason) }

// NoVerdicts is the number of probes that ended on our own side for one of
// chain.Causes. They are not among Probes.
func (s *Status) NoVerdicts(cause string) uint64 { return s.noVerdicts.of(cause) }

// Missed is the number of probes that ended on our own side, for any of the causes.
func (s *Status) Missed() uint64 {
	var n uint64
	for _, c := range s.noVerdicts.counts {
		n += c
	}
	return n
}

// WindowErrors is the number of errors within the policy's error_window before
// now, the far end exclusive. It is exact up to twice the policy's
// error_threshold or 64, whichever is more, and never above.
func (s *Status) WindowErrors(now time.Time) int {
	n := 0
	for i := len(s.errorTimes) - 1; i >= 0 && now.Sub(s.errorTimes[i]) < s.errorWindow; i-- {
		n++
	}
	return n
}

// HeightJitter is the largest step back, in blocks, between two consecutive
// good probes of which the later lies within the minute before now, the far end
// exclusive. Above zero, backends behind one URL disagree, or blocks were
// reorganised.
func (s *Status) HeightJitter(now time.Time) uint64 {
	for _, step := range s.stepsBack {
		if now.Sub(step.at) < jitterWindow {
			return step.blocks
		}
	}
	return 0
}

// HeightKnown says whether what the last good probe told still counts: it is not
// older than the policy's error_window or three intervals, whichever is more.
// Without it, height, hash, tip time and latency are unknown.
func (s *Status) HeightKnown(now time.Time) bool {
	return !s.LastGood.IsZero() && now.Sub(s.LastGood) <= s.freshFor
}
