package prober

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// asking is when each question was asked, to the second.
type asking struct{ identity, hints, capabilities []int }

// askings runs one provider and notes what it is asked.
func askings(t *testing.T, during time.Duration, change func(*Target), answer func(context.Context, int) (chain.Observation, error)) (found asking) {
	t.Helper()
	bubbleNow(t, Options{}, func(_ *testing.T, s *Set) {
		asker, start := &fakeAsker{answer: answer}, time.Now()
		target := targetOf(local, asker)
		if change != nil {
			change(&target)
		}
		s.Apply([]Target{target})
		pass(during)
		for i, ask := range asker.asks {
			second := int(asker.starts[i].Sub(start) / time.Second)
			if ask.Identity {
				found.identity = append(found.identity, second)
			}
			if ask.Hints {
				found.hints = append(found.hints, second)
			}
			if ask.Capabilities {
				found.capabilities = append(found.capabilities, second)
			}
		}
	})
	return found
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	withIntegrity := func(target *Target) {
		target.Policy.Integrity.Enabled, target.Policy.Integrity.Interval = true, time.Minute
	}
	t.Run("all is well: on the first probe and hourly", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 2*time.Hour+time.Minute, nil, nil)
		hourly := []int{0, 3595, 7195}
		require.Equal(t, asking{hourly, hourly, hourly}, got)
	})
	t.Run("identity each integrity interval where it is not told for nothing", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 4*time.Minute, withIntegrity, func(_ context.Context, n int) (chain.Observation, error) {
			o, err := goodAnswer(uint64(n) + 1)
			// Of the probes at 0, 5, 15 ... 55 s and so on only those that ask
			// are told.
			if n > 0 && n%6 != 0 {
				o.Identity = ""
			}
			return o, err
		})
		require.Equal(t, []int{0, 55, 115, 175, 235}, got.identity)
	})
	t.Run("no more identity where each tip tells it", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 4*time.Minute, withIntegrity, nil)
		require.Equal(t, []int{0}, got.identity)
	})
	t.Run("no more identity than that where there is none to tell", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 4*time.Minute, withIntegrity, func(_ context.Context, n int) (chain.Observation, error) {
			o, err := goodAnswer(uint64(n) + 1)
			o.Identity = ""
			return o, err
		})
		require.Equal(t, []int{0, 55, 115, 175, 235}, got.identity)
	})
	t.Run("identity after a failure that may hide another network", func(t *testing.T) {
		t.Parallel()
		refused := &chain.Failure{Reason: chain.ConnectionRefused}
		got := askings(t, time.Minute, nil, script(nil, nil, refused, refused))
		require.Equal(t, []int{0, 17, 19}, got.identity, "while it fails and once more when it is back")
	})
	t.Run("not after a failure of another kind", func(t *testing.T) {
		t.Parallel()
		got := askings(t, time.Minute, nil, script(nil, nil, &chain.Failure{Reason: chain.Busy}))
		require.Equal(t, []int{0}, got.identity)
	})
	t.Run("hints once a minute while it says that it syncs", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 5*time.Minute, nil, func(_ context.Context, n int) (chain.Observation, error) {
			o, err := goodAnswer(uint64(n) + 1)
			if n == 0 {
				o.Hints.Syncing = chain.Some(true)
			}
			if n > 12 {
				o.Hints.Syncing = chain.Some(false)
			}
			return o, err
		})
		require.Equal(t, []int{0, 55, 115}, got.hints)
	})
	t.Run("hints once a minute while it does not grow for half the stall timeout", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 5*time.Minute, nil, func(context.Context, int) (chain.Observation, error) { return goodAnswer(7) })
		require.Equal(t, []int{0, 65, 125, 185, 245}, got.hints)
	})
	t.Run("optional questions rest for a minute when they make the probe fail", func(t *testing.T) {
		t.Parallel()
		got := askings(t, 3*time.Minute, nil, func(_ context.Context, n int) (chain.Observation, error) {
			o, err := goodAnswer(uint64(n) + 1)
			if n == 0 {
				err = &chain.Failure{Reason: chain.BadResponse}
			}
			return o, err
		})
		require.Equal(t, asking{[]int{0, 2}, []int{0, 65}, []int{0, 65}}, got)
	})
	t.Run("asked again at once when the tip was not told", func(t *testing.T) {
		t.Parallel()
		got := askings(t, time.Minute, nil, script(&chain.Failure{Reason: chain.HTTP5xx}))
		require.Equal(t, asking{[]int{0, 2}, []int{0, 2}, []int{0, 2}}, got)
	})
}

func TestPreviousIsTheLastGoodTip(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, s *Set) {
		asker := &fakeAsker{answer: script(nil, &chain.Failure{Reason: chain.DNS})}
		s.Apply([]Target{targetOf(local, asker)})
		pass(20 * time.Second)
		var heights []uint64
		for _, ask := range asker.asks {
			heights = append(heights, ask.Previous.Height)
		}
		require.Equal(t, []uint64{0, 1, 1, 3}, heights)
	})
}
