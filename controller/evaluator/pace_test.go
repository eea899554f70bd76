package evaluator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// midnight is when the tests of the pace begin.
var midnight = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestARoundAfterALongRestIsFollowedByNone(t *testing.T) {
	t.Parallel()
	var p pace
	p.begin(midnight)
	now := midnight.Add(10 * time.Millisecond)
	require.Equal(t, 40*time.Millisecond, p.end(now, 10*time.Millisecond, time.Second), "there is no credit yet")
	now = now.Add(time.Minute)
	p.begin(now)
	require.Zero(t, p.end(now, maxCredit/restFactor, time.Second))
	p.begin(now)
	require.Equal(t, 4*time.Millisecond, p.end(now, time.Millisecond, time.Second), "the credit is used up")
}

func TestOneLongRoundDoesNotStopTheOthersForLong(t *testing.T) {
	t.Parallel()
	var p pace
	p.begin(midnight)
	require.Equal(t, time.Second, p.end(midnight, time.Hour, time.Second))
	now := midnight.Add(time.Second)
	p.begin(now)
	require.Equal(t, 4*time.Millisecond, p.end(now, time.Millisecond, time.Second))
}

func TestRoundsTakeAFifthOfTheTimeAtTheMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const limit = 10 * time.Second
		var p pace
		now, busy := midnight, time.Duration(0)
		for range rapid.IntRange(1, 200).Draw(t, "rounds") {
			p.begin(now)
			took := time.Duration(rapid.IntRange(0, 300).Draw(t, "took")) * time.Millisecond
			now, busy = now.Add(took), busy+took
			now = now.Add(p.end(now, took, limit))
			now = now.Add(time.Duration(rapid.IntRange(0, 500).Draw(t, "idle")) * time.Millisecond)
		}
		all := now.Sub(midnight)
		if rest := all - busy; rest < restFactor*busy-maxCredit {
			t.Fatalf("busy for %s of %s", busy, all)
		}
	})
}
