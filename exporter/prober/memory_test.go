package prober

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// diary feeds a memory with results at chosen times.
type diary struct {
	memory
	target Target
	now    time.Time
}

func newDiary(target Target) *diary {
	target = target.filled()
	return &diary{memory: newMemory(target), target: target, now: time.Unix(1_000_000_000, 0)}
}

// after lets time go by.
func (d *diary) after(by time.Duration) *diary {
	d.now = d.now.Add(by)
	return d
}

// take records a result that took no time.
func (d *diary) take(o chain.Observation, failure *chain.Failure, network Verdict) {
	r := result{start: d.now, end: d.now, ask: d.ask(d.now, d.target), observation: o, failure: failure, network: network}
	r.identity = r.identityAfter(d.status.Identity)
	d.started = d.now
	d.record(r, d.target)
}

// good is a good probe, fail a failed one.
func (d *diary) good(height uint64) {
	o, _ := goodAnswer(height)
	d.take(o, nil, NetworkRight)
}

func (d *diary) fail(reason chain.Reason) {
	d.take(chain.Observation{}, &chain.Failure{Reason: reason}, NetworkUnknown)
}

func TestAGoodProbe(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	block := d.now.Add(-3 * time.Second)
	expiry := d.now.Add(time.Hour)
	d.take(chain.Observation{
		Tip:    chain.Tip{Height: 884213, Hash: "ab", Parent: "cd", Time: block, Hints: chain.Hints{Syncing: chain.Some(false), Peers: chain.Some(8)}},
		HasTip: true, Latency: 12 * time.Millisecond, Identity: "main",
		Capabilities: map[string]bool{"txindex": true}, CertificateExpiry: expiry,
	}, nil, NetworkRight)
	s := d.status
	require.True(t, s.Probed && s.Up)
	require.Equal(t, []uint64{1, 0, 0, 1}, []uint64{s.Probes, s.Errors, s.ConsecutiveErrors, s.ConsecutiveSuccesses})
	require.Equal(t, uint64(884213), s.Height)
	require.Equal(t, []string{"ab", "cd", "main"}, []string{s.Hash, s.Parent, s.Identity})
	require.Equal(t, block, s.Time)
	require.Equal(t, chain.Some(12.0), s.LatencyMS)
	require.Equal(t, []time.Time{d.now, d.now, d.now}, []time.Time{s.LastProbe, s.LastGood, s.LastAdvance})
	require.Equal(t, chain.Some(false), s.Syncing)
	require.Equal(t, chain.Some(8), s.Peers)
	require.Equal(t, NetworkRight, s.Network)
	require.Equal(t, map[string]bool{"txindex": true}, s.Capabilities)
	require.Equal(t, expiry, s.CertificateExpiry)
	require.True(t, s.HeightKnown(d.now))
}

func TestAFailedProbeKeepsWhatTheLastGoodOneTold(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.good(100)
	good := d.now
	d.after(10 * time.Second).fail(chain.HTTP5xx)
	s := d.status
	require.False(t, s.Up)
	require.True(t, s.Probed)
	require.Equal(t, []uint64{2, 1, 1, 0}, []uint64{s.Probes, s.Errors, s.ConsecutiveErrors, s.ConsecutiveSuccesses})
	require.Equal(t, uint64(1), s.Failures(chain.HTTP5xx))
	require.Equal(t, uint64(100), s.Height)
	require.Equal(t, good, s.LastGood)
	require.Equal(t, d.now, s.LastProbe)
	require.Equal(t, d.now, s.LastFailureTime)
	require.Equal(t, chain.HTTP5xx, s.LastFailure.Reason)
	require.Equal(t, "main", s.Identity)

	d.after(10 * time.Second).good(101)
	require.Equal(t, chain.HTTP5xx, d.status.LastFailure.Reason, "remembered beyond a success")
}

func TestWhatAFailedProbeFoundOutIsNotLost(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	expiry := d.now.Add(time.Hour)
	d.take(chain.Observation{
		Tip: chain.Tip{Height: 7, Hints: chain.Hints{Syncing: chain.Some(true)}}, HasTip: true,
		Identity: "test", CertificateExpiry: expiry,
	}, &chain.Failure{Reason: chain.RateLimited}, NetworkWrong)
	s := d.status
	require.Equal(t, uint64(1), s.Failures(chain.RateLimited), "the provider's failure is the reason")
	require.Equal(t, NetworkWrong, s.Network, "but its network is known to be wrong")
	require.Equal(t, "test", s.Identity)
	require.Equal(t, expiry, s.CertificateExpiry)
	require.Equal(t, chain.Some(true), s.Syncing)
	require.Zero(t, s.Height, "not the last good probe's")
}

func TestConsecutiveCountersResetEachOther(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	for day := range 30 {
		for range 4 {
			d.after(2 * time.Second).fail(chain.Timeout)
		}
		require.Equal(t, uint64(4), d.status.ConsecutiveErrors, "scattered failures do not add up on day %d", day)
		require.Zero(t, d.status.ConsecutiveSuccesses)
		for range 3 {
			d.after(8 * time.Hour).good(uint64(day) + 1)
		}
		require.Equal(t, uint64(3), d.status.ConsecutiveSuccesses, "nor do scattered successes")
		require.Zero(t, d.status.ConsecutiveErrors)
		require.Zero(t, d.status.WindowErrors(d.now))
	}
	require.Equal(t, uint64(120), d.status.Errors)
}

func TestUnprovenIsNeitherUpNorAnError(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.fail(chain.Timeout)
	o, _ := goodAnswer(5)
	d.after(time.Second).take(o, nil, NetworkUnknown)
	s := d.status
	require.True(t, s.Probed)
	require.False(t, s.Up)
	require.Equal(t, []uint64{2, 1, 0, 0}, []uint64{s.Probes, s.Errors, s.ConsecutiveErrors, s.ConsecutiveSuccesses})
	require.False(t, s.HeightKnown(d.now), "a height of who knows what")
	require.Equal(t, NetworkUnknown, s.Network)
	require.True(t, d.ask(d.now, d.target).Identity, "asked again")
}

func TestUnprovenIsAskedAgainSoonButNotForEver(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	var gaps []time.Duration
	for range 5 {
		o, _ := goodAnswer(5)
		d.take(o, nil, NetworkUnknown)
		due := d.next(d.now, d.target)
		gaps = append(gaps, due.Sub(d.now).Round(time.Millisecond))
		d.now = due
	}
	require.Equal(t, []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second, 9892 * time.Millisecond, 10 * time.Second}, gaps)
}

func TestWrongNetworkIsAFailure(t *testing.T) {
	t.Parallel()
	t.Run("by its identity", func(t *testing.T) {
		t.Parallel()
		d := newDiary(targetOf(local, nil))
		d.good(100)
		o, _ := goodAnswer(50_000_000)
		o.Identity = "test"
		d.after(time.Minute).take(o, nil, NetworkWrong)
		s := d.status
		require.False(t, s.Up)
		require.Equal(t, uint64(1), s.Failures(chain.WrongNetwork))
		require.Equal(t, `wrong_network: the provider serves the network "test"`, s.LastFailure.Error())
		require.Equal(t, NetworkWrong, s.Network)
		require.Equal(t, uint64(100), s.Height, "the height of another network is not this chain's")
		require.True(t, d.ask(d.now, d.target).Identity, "asked until it is right")
	})
	t.Run("by the block at the checkpoint", func(t *testing.T) {
		t.Parallel()
		d := newDiary(targetOf(local, nil))
		o, _ := goodAnswer(100)
		o.OffCheckpoint = chain.Some(true)
		d.take(o, nil, NetworkRight)
		require.Equal(t, uint64(1), d.status.Failures(chain.WrongNetwork))
		require.Equal(t, NetworkWrong, d.status.Network)

		o.OffCheckpoint = chain.Some(false)
		d.after(time.Minute).take(o, nil, NetworkRight)
		require.True(t, d.status.Up, "right again as soon as the block is")
	})
	t.Run("a block that can no longer be told is not held against it", func(t *testing.T) {
		t.Parallel()
		d := newDiary(targetOf(local, nil))
		o, _ := goodAnswer(100)
		o.OffCheckpoint = chain.Some(true)
		d.take(o, nil, NetworkRight)
		o.OffCheckpoint = chain.Optional[bool]{}
		d.after(time.Minute).take(o, nil, NetworkRight)
		require.True(t, d.status.Up)
	})
	t.Run("a checkpoint holds while it is not asked for again", func(t *testing.T) {
		t.Parallel()
		d := newDiary(targetOf(local, nil))
		o, _ := goodAnswer(100)
		o.OffCheckpoint = chain.Some(true)
		d.take(o, nil, NetworkRight)
		d.after(2 * time.Second).fail(chain.Timeout)
		require.Equal(t, NetworkWrong, d.status.Network)
	})
}

func TestIdentityThatCannotBeToldIsForgotten(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.good(1)
	o, _ := goodAnswer(2)
	o.Identity = ""
	d.after(10*time.Second).take(o, nil, NetworkRight)
	require.Equal(t, "main", d.status.Identity, "not asked, so it stands")
	d.after(time.Hour).take(o, nil, NetworkUnknown)
	require.Empty(t, d.status.Identity, "asked and not told")
}

func TestEndlessIdentityIsCutOff(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	o, _ := goodAnswer(1)
	o.Identity = string(make([]byte, 1<<20))
	d.take(o, nil, NetworkWrong)
	require.Len(t, d.status.Identity, 256)
}

func TestAnAnswerWithoutAHeightIsABadResponse(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.take(chain.Observation{Identity: "main"}, nil, NetworkRight)
	require.False(t, d.status.Up)
	require.Equal(t, uint64(1), d.status.Failures(chain.BadResponse))
}

func TestAReasonThatNobodyKnowsIsABadResponse(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	told := &chain.Failure{Reason: "of_its_own"}
	d.take(chain.Observation{}, told, NetworkUnknown)
	require.Equal(t, uint64(1), d.status.Failures(chain.BadResponse))
	require.Equal(t, chain.BadResponse, d.status.LastFailure.Reason)
	require.Equal(t, chain.Reason("of_its_own"), told.Reason, "what was handed in is not touched")
}

func TestNoVerdictMovesNothing(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.good(100)
	d.after(10 * time.Second).fail(chain.Timeout)
	before := *d.status
	for _, cause := range []string{chain.CauseCancelled, chain.CauseNoNetwork, chain.CauseNoNetwork, "of its own"} {
		d.miss(cause)
	}
	after := *d.status
	require.Equal(t, uint64(1), after.NoVerdicts(chain.CauseCancelled))
	require.Equal(t, uint64(2), after.NoVerdicts(chain.CauseNoNetwork))
	require.Equal(t, uint64(1), after.NoVerdicts(chain.CausePanic), "an unknown cause is a defect")
	require.Zero(t, before.NoVerdicts(chain.CauseCancelled), "what was handed out does not change")
	after.noVerdicts = before.noVerdicts
	require.Equal(t, before, after)
}

func TestLatencyIsAnAverageOverTheWindow(t *testing.T) {
	t.Parallel()
	target := targetOf(local, nil)
	target.Policy.LatencyWindow = 3
	d := newDiary(target)
	answer := func(ms int) {
		o, _ := goodAnswer(1)
		o.Latency = time.Duration(ms) * time.Millisecond
		d.after(time.Second).take(o, nil, NetworkRight)
	}
	d.fail(chain.Timeout)
	require.False(t, d.status.LatencyMS.Known, "no answer, no latency")
	for _, step := range []struct {
		ms   int
		want float64
	}{{10, 10}, {20, 15}, {60, 30}, {100, 60}} {
		answer(step.ms)
		require.InDelta(t, step.want, d.status.LatencyMS.Value, 1e-9)
	}
	d.fail(chain.Timeout)
	require.InDelta(t, 60, d.status.LatencyMS.Value, 1e-9, "a failure has no latency")
	d.target.Policy.LatencyWindow = 2
	answer(300)
	require.InDelta(t, 200, d.status.LatencyMS.Value, 1e-9, "a shorter window counts at once")
}

func TestLastAdvance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		heights []uint64
		// want is the number of the last height that is growth; the heights
		// are ten seconds apart.
		want int
	}{
		{"the first height", []uint64{100, 100, 100}, 0},
		{"growth", []uint64{100, 100, 101, 101}, 2},
		{"two stuck backends behind one URL do not advance", []uint64{104, 105, 104, 105, 104, 105, 104, 105, 104, 105, 104}, 1},
		{"a reorganisation, then growth", []uint64{105, 104, 105, 106}, 3},
		{"set back for good: growth counts after a minute", []uint64{1000, 500, 501, 502, 503, 504, 505, 506}, 7},
		{"one absurd height does not hide the honest ones for ever", []uint64{100, 50_000_000, 101, 102, 103, 104, 105, 106, 107}, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDiary(targetOf(local, nil))
			start := d.now
			for _, height := range c.heights {
				d.good(height)
				d.after(10 * time.Second)
			}
			require.Equal(t, 10*time.Second*time.Duration(c.want), d.status.LastAdvance.Sub(start))
		})
	}
}

func TestARepeatedFailureIsKeptOnce(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	for range 20 {
		d.after(10 * time.Second).fail(chain.DNS)
	}
	for _, record := range d.history.Failures {
		require.Same(t, d.status.LastFailure, record.Failure)
	}
}
