package history_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/history"
)

var dawn = time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)

// reading is one of a provider, with these figures.
func reading(provider string, latency float64, lag int64) history.Reading {
	return history.Reading{Chain: "btc", Provider: provider, Sample: history.Sample{LatencyMS: &latency, Lag: &lag, Good: true}}
}

func TestWhatIsKnownComesBackAndWhatIsNotStaysUnknown(t *testing.T) {
	t.Parallel()
	m := history.New()
	m.Take(dawn, []history.Reading{reading("a", 3.5, -2), {Chain: "btc", Provider: "b"}})

	a := m.Of("btc", "a")
	require.Len(t, a, 1)
	require.Equal(t, dawn, a[0].Time)
	require.InDelta(t, 3.5, *a[0].LatencyMS, 0)
	require.Equal(t, int64(-2), *a[0].Lag)
	require.True(t, a[0].Good)

	require.Equal(t, []history.Sample{{Time: dawn}}, m.Of("btc", "b"))
	require.Empty(t, m.Of("eth", "a"), "nobody told of it")
}

func TestReadingsBeforeTheirTimeAreDropped(t *testing.T) {
	t.Parallel()
	m := history.New()
	m.Take(dawn, []history.Reading{reading("a", 1, 0)})
	require.False(t, m.Due(dawn.Add(history.Step-1)))
	m.Take(dawn.Add(history.Step-1), []history.Reading{reading("a", 2, 0)})
	require.Len(t, m.Of("btc", "a"), 1)
	require.True(t, m.Due(dawn.Add(history.Step)))
}

func TestAProviderThatIsNotToldOfAnyMoreIsForgotten(t *testing.T) {
	t.Parallel()
	m := history.New()
	m.Take(dawn, []history.Reading{reading("a", 1, 0), reading("b", 1, 0)})
	m.Take(dawn.Add(history.Step), []history.Reading{reading("b", 1, 0)})
	require.Empty(t, m.Of("btc", "a"))
	require.Len(t, m.Of("btc", "b"), 2)
}

func TestAClockThatIsSetBackBeginsTheChartsAnew(t *testing.T) {
	t.Parallel()
	m := history.New()
	m.Take(dawn, []history.Reading{reading("a", 1, 0)})
	m.Take(dawn.Add(-time.Hour), []history.Reading{reading("a", 2, 0)})
	require.Len(t, m.Of("btc", "a"), 1, "times must not go back within a chart")
}

func TestTheLastPointsAreKeptInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := history.New()
		took := 0
		now := dawn
		for range rapid.IntRange(0, 3*history.Points).Draw(t, "readings") {
			now = now.Add(history.Step + time.Duration(rapid.IntRange(0, 3).Draw(t, "late"))*time.Second)
			m.Take(now, []history.Reading{reading("a", float64(took), int64(took))})
			took++
		}
		kept := m.Of("btc", "a")
		if len(kept) != min(took, history.Points) {
			t.Fatalf("%d kept of %d", len(kept), took)
		}
		for i, s := range kept {
			if want := int64(took - len(kept) + i); *s.Lag != want {
				t.Fatalf("place %d has %d, not %d", i, *s.Lag, want)
			}
		}
	})
}

func BenchmarkTakingReadingsOfTwoThousandProviders(b *testing.B) {
	m := history.New()
	var all []history.Reading
	for i := range 2000 {
		all = append(all, reading(fmt.Sprint(i), 1, 0))
	}
	now := dawn
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(history.Step)
		m.Take(now, all)
	}
}
