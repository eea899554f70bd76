package prober

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// hang waits for the end of the probe's time, as a provider does that never
// answers.
func hang(ctx context.Context, _ int) (chain.Observation, error) {
	<-ctx.Done()
	return chain.Observation{}, &chain.Failure{Reason: chain.Timeout}
}

func TestTimesOfProbes(t *testing.T) {
	t.Parallel()
	refused := &chain.Failure{Reason: chain.ConnectionRefused}
	limited := chain.Failure{Reason: chain.RateLimited}
	ours := &chain.NoVerdict{Cause: chain.CauseNoNetwork, Err: errors.New("unreachable")}
	cases := []struct {
		name   string
		key    Key
		answer func(context.Context, int) (chain.Observation, error)
		during time.Duration
		want   []string
	}{
		{
			"good: at once and then at the slots of its name",
			local, nil, 45 * time.Second,
			[]string{"1ms", "5.892s", "15.892s", "25.892s", "35.892s"},
		},
		{
			"good: a slot less than half an interval after the first probe is left out",
			Key{"btc", "blockchair"}, nil, 45 * time.Second,
			[]string{"0s", "12.098s", "22.098s", "32.098s", "42.098s"},
		},
		{
			"suspect until the fifth error, confirmed from then on",
			local, failsWith(*refused, 0), 40 * time.Second,
			[]string{"1ms", "2.001s", "4.001s", "6.001s", "8.001s", "15.892s", "25.892s", "35.892s"},
		},
		{
			"suspect: counted from the start of the probe, not from its end",
			local, failsWith(*refused, 1500*time.Millisecond), 9 * time.Second,
			[]string{"1ms", "2.001s", "4.001s", "6.001s", "8.001s"},
		},
		{
			"suspect no more after a success",
			local, script(nil, refused, refused), 30 * time.Second,
			[]string{"1ms", "5.892s", "7.892s", "9.892s", "15.892s", "25.892s"},
		},
		{
			"no verdict: again after the suspect interval",
			local, script(nil, ours, ours), 30 * time.Second,
			[]string{"1ms", "5.892s", "7.892s", "9.892s", "15.892s", "25.892s"},
		},
		{
			"told to wait: left alone for that long, then back to the slots",
			local, script(&chain.Failure{Reason: chain.RateLimited, Wait: 27 * time.Second}), 50 * time.Second,
			[]string{"1ms", "28.591s", "35.892s", "45.892s"},
		},
		{
			"told to wait less than until the next probe: no change",
			local, script(&chain.Failure{Reason: chain.Busy, Wait: time.Second}), 20 * time.Second,
			[]string{"1ms", "2.001s", "15.892s"},
		},
		{
			"rate limited for less than until the next slot: not probed as a suspect",
			local, script(&chain.Failure{Reason: chain.RateLimited, Wait: time.Second}), 20 * time.Second,
			[]string{"1ms", "5.892s", "15.892s"},
		},
		{
			"told to wait longer than an hour: an hour",
			local, script(&chain.Failure{Reason: chain.Busy, Wait: 9 * time.Hour}), time.Hour + 10*time.Second,
			[]string{"1ms", "1h0m5.892s"},
		},
		{
			"rate limited without a time: the interval, doubled with each in a row",
			local, script(&limited, &limited, &limited, nil), 2 * time.Minute,
			[]string{"1ms", "10.59s", "31.768s", "1m14.125s", "1m25.892s", "1m35.892s", "1m45.892s", "1m55.892s"},
		},
		{
			"rate limited for ever: an hour in the end",
			local, failsWith(limited, 0), 6 * time.Hour,
			[]string{
				"1ms", "10.59s", "31.768s", "1m14.125s", "2m38.838s", "5m24.73s", "10m50.621s",
				"21m36.513s", "43m2.404s", "1h25m48.296s", "2h25m54.188s", "3h26m0.079s", "4h26m5.971s", "5h26m11.862s",
			},
		},
		{
			"rate limited again after another failure: from the interval again",
			local, script(&limited, &limited, refused, &limited), 46 * time.Second,
			[]string{"1ms", "10.59s", "31.768s", "33.768s", "45.892s"},
		},
		{
			"quota spent: an hour",
			local, script(&chain.Failure{Reason: chain.QuotaExhausted}), time.Hour + 10*time.Second,
			[]string{"1ms", "1h0m5.892s"},
		},
		{
			"address blocked: an hour",
			local, script(&chain.Failure{Reason: chain.IPBlocked}), time.Hour + 10*time.Second,
			[]string{"1ms", "1h0m5.892s"},
		},
		{
			"hanging: cut off after four request timeouts, then again at once",
			local, hang, time.Minute,
			[]string{"1ms", "20.001s", "40.001s"},
		},
		{
			"slower than the interval: the next one waits for the end and never runs beside it",
			local, func(_ context.Context, n int) (chain.Observation, error) {
				time.Sleep(12 * time.Second)
				return goodAnswer(uint64(n))
			}, time.Minute,
			[]string{"1ms", "12.001s", "25.892s", "37.892s", "49.892s"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, s *Set) {
				asker, start := &fakeAsker{answer: c.answer}, time.Now()
				s.Apply([]Target{targetOf(c.key, asker)})
				pass(c.during)
				require.Equal(t, c.want, asker.times(start))
				_, most := asker.seen()
				require.Equal(t, 1, most, "probes at once")
			})
		})
	}
}

func TestRetryAfterIsToldWhileItLasts(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: script(&chain.Failure{Reason: chain.Busy, Wait: 27 * time.Second})}
		start := time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		pass(20 * time.Second)
		status := statusOf(t, s, local)
		require.False(t, status.Up)
		require.Equal(t, "28.591s", status.RetryAfter.Sub(start).Round(time.Millisecond).String())
		pass(10 * time.Second)
		status = statusOf(t, s, local)
		require.True(t, status.Up)
		require.Zero(t, status.RetryAfter, "a success ends the wait")
		require.Equal(t, []string{"1ms", "28.591s"}, asker.times(start))
	})
}

func TestThoseToldToWaitTogetherComeBackApart(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		var targets []Target
		var askers []*fakeAsker
		for i := range 50 {
			asker := &fakeAsker{answer: script(&chain.Failure{Reason: chain.Busy, Wait: time.Minute})}
			askers = append(askers, asker)
			targets = append(targets, targetOf(Key{"btc", fmt.Sprint(i)}, asker))
		}
		start := time.Now()
		s.Apply(targets)
		pass(65 * time.Second)
		var returns []string
		for _, asker := range askers {
			times := asker.times(start)
			require.GreaterOrEqual(t, len(times), 1)
			returns = append(returns, times[1:]...)
		}
		require.Greater(t, len(returns), 25, "most are back after a minute and a twelfth")
		slices.Sort(returns)
		require.Len(t, slices.Compact(returns), len(returns), "no two come back in the same millisecond")
	})
}

func TestFirstProbesAreSpreadByTheirNumber(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		var targets []Target
		for i := range 4000 {
			targets = append(targets, targetOf(Key{"btc", fmt.Sprint(i)}, &fakeAsker{}))
		}
		s.Apply(targets)
		for second, want := range []int{1000, 2000, 3000, 4000} {
			pass(time.Second)
			done := 0
			for _, status := range s.Snapshot() {
				if status.Probed {
					done++
				}
			}
			require.InDelta(t, want, done, 80, "after %d s", second+1)
		}
	})
}

func TestFirstProbesOfManyTakeNoLongerThanTheInterval(t *testing.T) {
	t.Parallel()
	target := targetOf(Key{"btc", "x"}, nil).filled()
	target.share = 0.999
	require.Less(t, firstDelay(target, 1_000_000), 10*time.Second)
}

func TestPhaseIsByNameAlone(t *testing.T) {
	t.Parallel()
	// SHA-256 of "btc/local" begins with 96d33e29...; its first 53 bits, as a
	// fraction, are this. Another value would move every probe of everybody.
	require.InDelta(t, 0.5891608445000063, local.share(), 1e-16)

	const providers, bins = 10_000, 100
	var filled [bins]int
	for i := range providers {
		filled[int(Key{"eth", fmt.Sprintf("provider-%05d", i)}.share()*bins)]++
	}
	for bin, n := range filled {
		require.InDelta(t, providers/bins, n, 50, "share of the interval number %d", bin)
	}
}

func TestPhaseOutlastsARestart(t *testing.T) {
	t.Parallel()
	phases := func(after time.Duration) (found []time.Duration) {
		t.Run(after.String(), func(t *testing.T) {
			bubbleNow(t, Options{}, func(t *testing.T, s *Set) {
				pass(after)
				asker := &fakeAsker{}
				s.Apply([]Target{targetOf(local, asker)})
				pass(time.Minute)
				for _, start := range asker.starts[1:] {
					found = append(found, time.Duration(start.UnixNano())%(10*time.Second))
				}
			})
		})
		return slices.Compact(found)
	}
	first := phases(0)
	require.Len(t, first, 1, "one phase")
	for _, after := range []time.Duration{1234567 * time.Microsecond, time.Hour + 7*time.Second} {
		require.Equal(t, first, phases(after), "started %s later", after)
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	target := Target{Interval: 10 * time.Second, share: 0.25}
	at := func(seconds float64) time.Time { return time.UnixMicro(int64(seconds * 1e6)) }
	for _, c := range []struct {
		name           string
		earliest, want float64
	}{
		{"on a slot: this one", 102.5, 102.5},
		{"just after a slot: the next one", 102.500001, 112.5},
		{"before the first of its ten seconds", 101, 102.5},
		{"before 1970", -101, -97.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, at(c.want), slot(at(c.earliest), target))
		})
	}
}
