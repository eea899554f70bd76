package prober

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStopCancelsAndWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		polite, rude := &fakeAsker{answer: hang}, &fakeAsker{answer: deaf(3 * time.Second)}
		other := targetOf(Key{"eth", "a"}, rude)
		s.Apply([]Target{targetOf(local, polite), other})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		require.NoError(t, s.Run(ctx))
		require.Equal(t, 3*time.Second, time.Since(start).Round(10*time.Millisecond), "waits for the rude one")
		for _, asker := range []*fakeAsker{polite, rude} {
			probes, _ := asker.seen()
			require.Equal(t, 1, probes)
		}
		require.Len(t, s.Snapshot(), 2, "what is known stays readable")
		status := statusOf(t, s, local)
		require.False(t, status.Probed, "a stop is nobody's failure")

		_, err := s.Look(t.Context(), local)
		require.ErrorIs(t, err, ErrStopped)
		late := &fakeAsker{}
		s.Apply([]Target{targetOf(local, late)})
		require.Error(t, s.Run(t.Context()))
		time.Sleep(time.Hour)
		probes, _ := late.seen()
		require.Zero(t, probes)
	})
}

func TestApplyBeforeRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		asker := &fakeAsker{}
		s.Apply([]Target{targetOf(local, asker)})
		time.Sleep(time.Hour)
		probes, _ := asker.seen()
		require.Zero(t, probes, "nothing is probed before Run")
		_, err := s.Look(t.Context(), local)
		require.NoError(t, err, "but people may look")

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		require.NoError(t, s.Run(ctx))
		require.Equal(t, []string{"1ms", "5.892s"}, asker.times(start)[1:])
	})
}

func TestRunOnceOnly(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		require.Error(t, s.Run(t.Context()))
		require.NoError(t, s.lifetime.Err(), "the first goes on")
	})
}

func TestTimerOfAnOutdatedPlanDoesNothing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: deaf(time.Second)}, time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		pass(500 * time.Millisecond)
		p := s.probers[local]
		p.fire() // While a probe is under way.
		pass(time.Second)
		p.fire() // Before the time of the next one.
		pass(5 * time.Second)
		require.Equal(t, []string{"1ms", "5.892s"}, asker.times(start))
		next := &fakeAsker{}
		s.Apply([]Target{targetOf(local, next)})
		pass(100 * time.Millisecond)
		p.fire() // While the probe of its predecessor is under way.
		require.Empty(t, next.times(start))
		s.Apply(nil)
		pass(time.Second)
		p.fire() // After the provider has left.
		pass(time.Minute)
		require.Empty(t, next.times(start))
		require.Len(t, asker.times(start), 2)
	})
}

func TestWhatIsNotGivenHasADefault(t *testing.T) {
	t.Parallel()
	got := Target{Key: local}.filled()
	require.Equal(t, DefaultInterval, got.Interval)
	require.Equal(t, DefaultInterval, got.Policy.SuspectCheckInterval)
	require.Equal(t, DefaultInterval, got.Policy.RequestTimeout)
	require.Equal(t, DefaultConcurrency, cap(New(Options{}).slots))
}

func TestVerdictsInWords(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[Verdict]string{NetworkUnknown: "unknown", NetworkRight: "right", NetworkWrong: "wrong", 9: "unknown"} {
		require.Equal(t, want, verdict.String())
	}
}
