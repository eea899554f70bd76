package prober

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// deaf answers after a time, whatever becomes of the context.
func deaf(after time.Duration) func(context.Context, int) (chain.Observation, error) {
	return func(_ context.Context, n int) (chain.Observation, error) {
		time.Sleep(after)
		return goodAnswer(uint64(n) + 1000)
	}
}

func TestStatusBeforeTheFirstProbe(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		s.Apply([]Target{targetOf(local, &fakeAsker{answer: deaf(time.Second)})})
		pass(10 * time.Millisecond)
		status := statusOf(t, s, local)
		require.Equal(t, local, status.Key)
		require.Equal(t, "us", status.Operator)
		require.False(t, status.Probed || status.Up)
		require.False(t, status.HeightKnown(time.Now()))
		require.False(t, status.LatencyMS.Known)
		for _, reason := range chain.Reasons {
			require.Zero(t, status.Failures(reason))
		}
	})
}

func TestUnchangedProvidersKeepTheirStateAndTimes(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{}, time.Now()
		for range 5 {
			s.Apply([]Target{targetOf(local, asker)})
			pass(5 * time.Second)
		}
		require.Equal(t, []string{"1ms", "5.892s", "15.892s"}, asker.times(start))
		require.Equal(t, uint64(3), statusOf(t, s, local).Probes)
	})
}

func TestPolicyIsReplacedInPlace(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: script(nil, &chain.Failure{Reason: chain.DNS})}, time.Now()
		target := targetOf(local, asker)
		target.Interval = time.Hour
		target.Policy.ErrorThreshold = 1
		s.Apply([]Target{target})
		pass(time.Hour)
		require.Equal(t, []string{"1ms", "35m20.979s"}, asker.times(start))
		failed := statusOf(t, s, local)
		require.True(t, failed.HeightKnown(time.Now()), "three intervals of an hour")

		target.Interval = 10 * time.Second
		target.Operator = "them"
		s.Apply([]Target{target})
		pass(20 * time.Second)
		require.Equal(t, []string{"1ms", "35m20.979s", "1h0m5.892s", "1h0m15.892s"}, asker.times(start), "planned anew")
		status := statusOf(t, s, local)
		require.Equal(t, "them", status.Operator)
		require.Equal(t, uint64(4), status.Probes)
		require.Equal(t, uint64(1), status.Errors)
		require.False(t, failed.HeightKnown(failed.LastGood.Add(3*time.Hour+1)))
		require.False(t, status.HeightKnown(status.LastGood.Add(time.Minute+1)), "the new policy's window")
	})
}

func TestShortenedSuspectIntervalCountsAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: failsWith(chain.Failure{Reason: chain.DNS}, 0)}, time.Now()
		target := targetOf(local, asker)
		target.Policy.SuspectCheckInterval = 9 * time.Second
		s.Apply([]Target{target})
		pass(2 * time.Second)
		target.Policy.SuspectCheckInterval = 3 * time.Second
		s.Apply([]Target{target})
		pass(5 * time.Second)
		require.Equal(t, []string{"1ms", "3.001s", "6.001s"}, asker.times(start))
	})
}

func TestManyProvidersWithAShorterIntervalAreNotProbedAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		var targets []Target
		for i := range 100 {
			target := targetOf(Key{"btc", fmt.Sprint(i)}, &fakeAsker{})
			target.Interval = time.Hour
			targets = append(targets, target)
		}
		s.Apply(targets)
		pass(2*time.Hour + time.Minute)
		probes := func() (sum uint64) {
			for _, status := range s.Snapshot() {
				sum += status.Probes
			}
			return sum
		}
		before := probes()
		for i := range targets {
			targets[i].Interval = 10 * time.Second
		}
		s.Apply(targets)
		pass(time.Second)
		require.InDelta(t, 10, probes()-before, 10, "a tenth of them in a tenth of the interval")
		pass(9 * time.Second)
		require.Equal(t, uint64(100), probes()-before)
	})
}

func TestReplacedAskerStartsAfresh(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		before, after, start := &fakeAsker{answer: failsWith(chain.Failure{Reason: chain.DNS}, 0)}, &fakeAsker{}, time.Now()
		s.Apply([]Target{targetOf(local, before)})
		pass(20 * time.Second)
		require.Equal(t, uint64(6), statusOf(t, s, local).Errors)

		s.Apply([]Target{targetOf(local, after)})
		status := statusOf(t, s, local)
		require.Zero(t, status.Probes)
		require.Zero(t, status.ConsecutiveErrors)
		require.Zero(t, status.WindowErrors(time.Now()))
		require.Nil(t, status.LastFailure)
		history, ok := s.History(local)
		require.True(t, ok)
		require.Empty(t, history)

		pass(20 * time.Second)
		require.Equal(t, []string{"20.001s", "25.892s", "35.892s"}, after.times(start), "at once and then at the slots")
		require.Zero(t, statusOf(t, s, local).Errors)
		probes, _ := before.seen()
		require.Equal(t, 6, probes)
	})
}

func TestRemovedProviderIsGoneAtOnceAndItsLateResultIsDropped(t *testing.T) {
	var told []Key
	bubble(t, Options{OnResult: func(k Key) { told = append(told, k) }}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: deaf(3 * time.Second)}
		s.Apply([]Target{targetOf(local, asker)})
		pass(time.Second)
		s.Apply(nil)
		require.Empty(t, s.Snapshot())
		_, ok := s.Status(local)
		require.False(t, ok)
		_, ok = s.History(local)
		require.False(t, ok)
		_, err := s.Look(t.Context(), local)
		require.ErrorIs(t, err, ErrUnknownProvider)

		pass(time.Minute)
		probes, _ := asker.seen()
		require.Equal(t, 1, probes)
		require.Empty(t, s.Snapshot())
		require.Empty(t, told)
		require.Empty(t, s.probers, "nothing is left of it")
	})
}

func TestReturningProviderWaitsForTheProbeOfItsPredecessor(t *testing.T) {
	for _, between := range []bool{false, true} {
		t.Run(fmt.Sprintf("removed in between: %t", between), func(t *testing.T) {
			bubble(t, Options{}, func(t *testing.T, s *Set) {
				before, after, start := &fakeAsker{answer: deaf(3 * time.Second)}, &fakeAsker{}, time.Now()
				s.Apply([]Target{targetOf(local, before)})
				pass(time.Second)
				if between {
					s.Apply(nil)
				}
				s.Apply([]Target{targetOf(local, after)})
				pass(time.Second)
				require.Empty(t, after.times(start))
				pass(time.Second + 500*time.Millisecond)
				require.Equal(t, []string{"3.001s"}, after.times(start))
				status := statusOf(t, s, local)
				require.Equal(t, uint64(1), status.Probes, "the late result is not among them")
				require.Equal(t, uint64(1), status.Height)
				probes, _ := before.seen()
				require.Equal(t, 1, probes)
			})
		})
	}
}

func TestRemovalCancelsTheProbe(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		var cause error
		asker := &fakeAsker{answer: func(ctx context.Context, _ int) (chain.Observation, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return chain.Observation{}, &chain.Failure{Reason: chain.Timeout}
		}}
		s.Apply([]Target{targetOf(local, asker)})
		pass(time.Second)
		s.Apply(nil)
		synctest.Wait()
		require.ErrorIs(t, cause, errReplaced)
	})
}

func TestSnapshotFollowsTheOrderOfTheTargets(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		a, b, c := targetOf(Key{"btc", "a"}, &fakeAsker{}), targetOf(Key{"eth", "a"}, &fakeAsker{}), targetOf(Key{"btc", "b"}, &fakeAsker{})
		second := &fakeAsker{}
		twice := targetOf(a.Key, second)
		twice.Operator = "the second of two"
		keys := func() (keys []Key) {
			for _, status := range s.Snapshot() {
				keys = append(keys, status.Key)
			}
			return keys
		}
		s.Apply([]Target{c, a, b, twice, targetOf(Key{"eth", "nobody"}, nil)})
		require.Equal(t, []Key{c.Key, a.Key, b.Key}, keys())
		require.Equal(t, "us", statusOf(t, s, a.Key).Operator, "the first of two counts")
		probes, _ := second.seen()
		require.Zero(t, probes)
		s.Apply([]Target{b, c})
		require.Equal(t, []Key{b.Key, c.Key}, keys())
	})
}

func TestAHundredReloadsLeaveOneProberEach(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		const providers = 50
		askers := make([]*fakeAsker, providers)
		all := map[*fakeAsker]Key{}
		replace := func(i int) {
			askers[i] = &fakeAsker{answer: deaf(300 * time.Millisecond)}
			all[askers[i]] = Key{"btc", fmt.Sprint(i)}
		}
		apply := func(reload int) {
			var targets []Target
			for i, asker := range askers {
				target := targetOf(Key{"btc", fmt.Sprint(i)}, asker)
				target.Policy.ErrorThreshold += reload % 2
				targets = append(targets, target)
			}
			s.Apply(targets)
		}
		for i := range askers {
			replace(i)
		}
		for reload := range 100 {
			if reload%10 == 9 {
				replace(reload % providers)
			}
			apply(reload)
			pass(37 * time.Millisecond)
		}
		pass(20 * time.Second)
		counts := map[*fakeAsker]int{}
		for asker := range all {
			probes, most := asker.seen()
			require.LessOrEqual(t, most, 1, "probes of %s at once", all[asker])
			counts[asker] = probes
		}
		pass(time.Minute)
		for asker, key := range all {
			probes, _ := asker.seen()
			if asker == askers[mustIndex(t, key)] {
				require.Equal(t, 6, probes-counts[asker], "probes of %s in a minute", key)
				continue
			}
			require.Equal(t, counts[asker], probes, "the old asker of %s rests", key)
		}
		require.Len(t, s.probers, providers)
	})
}

func TestIdleProvidersHoldNoGoroutine(t *testing.T) {
	bubbleNow(t, Options{}, func(t *testing.T, s *Set) {
		before := runtime.NumGoroutine()
		var targets []Target
		for i := range 1000 {
			targets = append(targets, targetOf(Key{"btc", fmt.Sprint(i)}, &fakeAsker{}))
		}
		s.Apply(targets)
		pass(30 * time.Second)
		require.GreaterOrEqual(t, statusOf(t, s, targets[0].Key).Probes, uint64(3))
		// A few may be about to end.
		require.Less(t, runtime.NumGoroutine(), before+20)
	})
}

// mustIndex is the number in the name of a provider.
func mustIndex(t *testing.T, key Key) (i int) {
	t.Helper()
	_, err := fmt.Sscan(key.Provider, &i)
	require.NoError(t, err)
	return i
}
