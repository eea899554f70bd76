package prober

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// model is what a provider's status must agree with, remembered without bounds.
type model struct {
	errors  []time.Time
	heights []seenHeight
	good    bool
	failed  bool
}

// seenHeight is a height with the time at which it was told.
type seenHeight struct {
	at     time.Time
	height uint64
}

// windowErrors counts the errors of a window.
func (m *model) windowErrors(now time.Time, window time.Duration) (n int) {
	for _, at := range m.errors {
		if now.Sub(at) < window {
			n++
		}
	}
	return n
}

// jitter is the largest step back of the last minute.
func (m *model) jitter(now time.Time) (largest uint64) {
	for i := 1; i < len(m.heights); i++ {
		before, after := m.heights[i-1], m.heights[i]
		if after.height < before.height && now.Sub(after.at) < time.Minute {
			largest = max(largest, before.height-after.height)
		}
	}
	return largest
}

// drawTarget is any provider with a policy that can fire.
func drawTarget(t *rapid.T) Target {
	target := targetOf(Key{"btc", rapid.StringN(0, 8, -1).Draw(t, "name")}, nil)
	target.Interval = rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, 7 * time.Minute, 30 * time.Hour}).Draw(t, "interval")
	target.Policy.SuspectCheckInterval = min(target.Interval, 2*time.Second)
	target.Policy.ErrorThreshold = rapid.IntRange(1, 40).Draw(t, "threshold")
	target.Policy.ErrorWindow = time.Duration(rapid.IntRange(1, 600).Draw(t, "window")) * time.Second
	target.Policy.LatencyWindow = rapid.IntRange(1, 12).Draw(t, "latency window")
	return target
}

// drawResult is any result of one probe.
func drawResult(t *rapid.T, d *diary, m *model) {
	m.good, m.failed = false, false
	answered := func() chain.Observation {
		o, _ := goodAnswer(rapid.Uint64Range(1, 30).Draw(t, "height"))
		return o
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		d.take(answered(), nil, NetworkUnknown)
	case 1:
		d.take(answered(), nil, NetworkWrong)
		m.failed = true
	case 2, 3:
		o := answered()
		d.take(o, nil, NetworkRight)
		m.good = true
		m.heights = append(m.heights, seenHeight{d.now, o.Height})
	default:
		d.take(chain.Observation{}, &chain.Failure{
			Reason: rapid.SampledFrom(chain.Reasons).Draw(t, "reason"),
			Wait:   time.Duration(rapid.IntRange(-5, 100).Draw(t, "wait")) * time.Minute,
		}, rapid.SampledFrom([]Verdict{NetworkUnknown, NetworkRight}).Draw(t, "network"))
		m.failed = true
	}
	if m.failed {
		m.errors = append(m.errors, d.now)
	}
}

func TestStatusAgreesWithAnySequenceOfResults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := newDiary(drawTarget(t))
		m := &model{}
		for range rapid.IntRange(1, 80).Draw(t, "probes") {
			before := *d.status
			copied := before
			if rapid.IntRange(0, 9).Draw(t, "missed") == 0 {
				d.miss(rapid.SampledFrom(chain.Causes).Draw(t, "cause"))
			} else {
				drawResult(t, d, m)
				checkVerdict(t, d, m)
			}
			require.Equal(t, copied, before, "what was handed out never changes")
			checkCounters(t, d, m)
			checkPlan(t, d)
			d.after(time.Duration(rapid.IntRange(1, 90_000).Draw(t, "ms")) * time.Millisecond)
		}
	})
}

// checkVerdict holds after each verdict.
func checkVerdict(t *rapid.T, d *diary, m *model) {
	s := d.status
	require.Equal(t, m.good, s.Up)
	require.Equal(t, m.failed, s.ConsecutiveErrors > 0)
	require.Equal(t, m.good, s.ConsecutiveSuccesses > 0)
	require.Equal(t, d.now, s.LastProbe)
	if m.good {
		require.True(t, s.HeightKnown(d.now))
		require.Equal(t, NetworkRight, s.Network)
		require.Equal(t, m.heights[len(m.heights)-1].height, s.Height)
		require.Zero(t, s.RetryAfter)
	}
}

// checkCounters holds at any time.
func checkCounters(t *rapid.T, d *diary, m *model) {
	s := d.status
	var failures uint64
	for _, reason := range chain.Reasons {
		failures += s.Failures(reason)
	}
	require.Equal(t, s.Errors, failures)
	require.Equal(t, uint64(len(m.errors)), s.Errors)
	require.LessOrEqual(t, s.Errors, s.Probes)
	bound := max(64, 2*d.target.Policy.ErrorThreshold)
	require.Equal(t, min(bound, m.windowErrors(d.now, d.target.Policy.ErrorWindow)), s.WindowErrors(d.now))
	require.Equal(t, m.jitter(d.now), s.HeightJitter(d.now))
	require.LessOrEqual(t, len(d.history.Results), HistorySize)
	require.LessOrEqual(t, len(d.latencies), d.target.Policy.LatencyWindow)
}

// checkPlan holds for every plan: not too soon, not too late, and never before
// a provider that wants to be left alone may be asked.
func checkPlan(t *rapid.T, d *diary) {
	due, interval := d.next(d.now, d.target), d.target.Interval
	soonest := min(interval/2, d.target.Policy.SuspectCheckInterval)
	require.False(t, due.Before(d.started.Add(soonest)), "due %s after the last start", due.Sub(d.started))
	require.False(t, due.Before(d.status.RetryAfter))
	latest := d.started.Add(interval + interval/2)
	if wait := d.status.LastProbe.Add(chain.MaxWait + interval); wait.After(latest) && !d.status.RetryAfter.IsZero() {
		latest = wait
	}
	require.False(t, due.After(latest), "due %s after the last start", due.Sub(d.started))
}
