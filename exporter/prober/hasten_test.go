package prober

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

func TestAProviderInDoubtIsProbedAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{}, time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		s.Hasten(local)
		pass(3 * time.Second)
		require.Len(t, asker.times(start), 1, "the first probe keeps its time")
		s.Hasten(local)
		pass(0)
		require.Equal(t, "3s", asker.times(start)[1])
		pass(time.Second)
		s.Hasten(local)
		s.Hasten(local)
		pass(500 * time.Millisecond)
		require.Len(t, asker.times(start), 2, "no sooner than a suspect")
		pass(500 * time.Millisecond)
		require.Equal(t, "5s", asker.times(start)[2])
		pass(time.Minute)
		require.Len(t, asker.times(start), 3+5, "then its slots, but for one within half an interval of the last probe")
		s.Hasten(Key{"btc", "nobody"})
	})
}

func TestAProviderThatAskedToBeLeftAloneIsNotProbedForDoubts(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: failsWith(chain.Failure{Reason: chain.RateLimited, Wait: 20 * time.Second}, 0)}, time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		pass(10 * time.Second)
		s.Hasten(local)
		pass(9 * time.Second)
		require.Len(t, asker.times(start), 1)
		pass(15 * time.Second)
		require.Len(t, asker.times(start), 2)
	})
}

func TestADoubtDuringAProbeChangesNothing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: deaf(3 * time.Second)}, time.Now()
		s.Apply([]Target{targetOf(local, asker)})
		pass(time.Second)
		s.Hasten(local)
		pass(0)
		_, most := asker.seen()
		require.Equal(t, 1, most)
		require.Len(t, asker.times(start), 1)
	})
}
