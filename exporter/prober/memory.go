package prober

import (
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// memory is everything that is remembered of one provider. It knows no clock:
// times come with the results. Its owner guards it.
type memory struct {
	// status is what others see. It is replaced and never changed, and so is
	// everything that it points to.
	status    *Status
	history   History
	latencies []time.Duration

	identity, hints, capabilities question
	// told is the start of the last probe in which the provider told its
	// identity, asked or not, or was asked and had none to tell.
	told time.Time
	// proven says that the network was found right since the last failure that
	// may have put another one behind the same address.
	proven bool

	growth growth

	// started is when the last probe started, with or without a verdict; zero
	// before one.
	started time.Time
	// missed says that the last probe ended without a verdict.
	missed bool
	// limits is the number of rate limits in a row, unproven the number of
	// unproven probes in a row.
	limits, unproven int
}

// newMemory knows nothing yet.
func newMemory(t Target) memory {
	m := memory{status: &Status{
		Key:        t.Key,
		failures:   tally[chain.Reason]{labels: chain.Reasons},
		noVerdicts: tally[string]{labels: chain.Causes},
	}}
	m.follow(t)
	return m
}

// follow takes over what a target says, so that a new policy counts at once.
func (m *memory) follow(t Target) {
	s := m.renew()
	s.Operator = t.Operator
	s.errorWindow = t.Policy.ErrorWindow
	s.freshFor = max(t.Policy.ErrorWindow, freshIntervals*t.Interval)
}

// renew puts a copy in the place of the status, which may be changed until
// others see it.
func (m *memory) renew() *Status {
	m.status = new(*m.status)
	return m.status
}

// miss counts a probe that ended on our own side. It moves nothing else but the
// schedule.
func (m *memory) miss(cause string) {
	m.missed = true
	s := m.renew()
	s.noVerdicts = s.noVerdicts.plus(cause, chain.CausePanic)
}

// record takes in a verdict.
func (m *memory) record(r result, t Target) {
	s := m.renew()
	m.missed = false
	if r.failure == nil && !r.observation.HasTip {
		r.failure = &chain.Failure{Reason: chain.BadResponse, Text: "the answer has no height"}
	}
	m.learn(r)
	if r.failure == nil {
		r.failure = wrongNetwork(s)
	}
	s.Probed = true
	s.Probes++
	s.LastProbe = r.end
	s.RetryAfter = time.Time{}
	s.Up = r.failure == nil && s.Network == NetworkRight
	var failure *chain.Failure
	switch {
	case r.failure != nil:
		failure = m.failed(r, t)
	case s.Up:
		m.good(r, t)
	default:
		s.ConsecutiveErrors, s.ConsecutiveSuccesses = 0, 0
		m.limits = 0
		m.unproven++
	}
	m.history.add(Record{
		Start: r.start, Duration: r.end.Sub(r.start), Latency: r.observation.Latency,
		Height:  chain.Optional[uint64]{Value: r.observation.Height, Known: r.observation.HasTip},
		Network: s.Network, Failure: failure,
	})
}

// learn takes over what holds whether or not the probe failed later on.
func (m *memory) learn(r result) {
	s, o := m.status, r.observation
	answered := r.failure == nil
	s.Identity, s.Network = r.identity, r.network
	if o.OffCheckpoint.Known || (r.ask.Identity && answered) {
		s.OffCheckpoint = o.OffCheckpoint
	}
	if s.OffCheckpoint.Value {
		s.Network = NetworkWrong
	}
	if o.Identity != "" || (r.ask.Identity && answered) {
		m.told = r.start
	}
	if o.Hints.Syncing.Known {
		s.Syncing = o.Hints.Syncing
	}
	if o.Hints.Peers.Known {
		s.Peers = o.Hints.Peers
	}
	if o.Capabilities != nil && answered {
		s.Capabilities = o.Capabilities
	}
	if !o.CertificateExpiry.IsZero() {
		s.CertificateExpiry = o.CertificateExpiry
	}
	m.identity.note(r.ask.Identity, r)
	m.hints.note(r.ask.Hints, r)
	m.capabilities.note(r.ask.Capabilities, r)
}

// failed takes in a failure and returns it as it is remembered.
func (m *memory) failed(r result, t Target) *chain.Failure {
	s, f := m.status, r.failure
	if !slices.Contains(chain.Reasons, f.Reason) {
		known := *f
		known.Reason, f = chain.BadResponse, &known
	}
	// A provider that repeats itself for hours takes memory once.
	if s.LastFailure != nil && *s.LastFailure == *f {
		f = s.LastFailure
	}
	s.Errors++
	s.failures = s.failures.plus(f.Reason, chain.BadResponse)
	s.ConsecutiveErrors++
	s.ConsecutiveSuccesses = 0
	s.LastFailure, s.LastFailureTime = f, r.end
	s.errorTimes = withTime(s.errorTimes, r.end, max(minErrorTimes, 2*t.Policy.ErrorThreshold))
	m.unproven = 0
	if f.Reason == chain.RateLimited {
		m.limits++
	} else {
		m.limits = 0
	}
	if mayHideAnother(f.Reason) {
		m.proven = false
	}
	if wait := m.wait(f, t); wait > 0 {
		s.RetryAfter = r.end.Add(wait + lateness(wait, t))
	}
	return f
}

// good takes in a good probe.
func (m *memory) good(r result, t Target) {
	s, o := m.status, r.observation
	s.ConsecutiveSuccesses++
	s.ConsecutiveErrors = 0
	m.limits, m.unproven = 0, 0
	m.proven = true
	if !s.LastGood.IsZero() && o.Height < s.Height {
		s.stepsBack = withStep(s.stepsBack, stepBack{at: r.end, blocks: s.Height - o.Height})
	}
	if m.growth.advanced(o.Height, r.end, max(jitterWindow, freshIntervals*t.Interval)) {
		s.LastAdvance = r.end
	}
	s.Tip, s.LastGood = o.Tip, r.end
	m.latencies = push(m.latencies, o.Latency, max(1, t.Policy.LatencyWindow))
	var sum time.Duration
	for _, l := range m.latencies {
		sum += l
	}
	average := sum.Seconds() * 1000 / float64(len(m.latencies))
	s.LatencyMS = chain.Some(average)
}

// withTime is a copy of the times with one more, at most bound.
func withTime(times []time.Time, at time.Time, bound int) []time.Time {
	times = times[max(0, len(times)+1-bound):]
	return append(append(make([]time.Time, 0, len(times)+1), times...), at)
}
