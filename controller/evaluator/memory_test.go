package evaluator

import (
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// keeps is a memory that keeps some metrics that far back.
func keeps(back time.Duration, names ...string) *memory {
	m := newMemory(30*time.Second, 2*time.Second, 100)
	var r reads
	for _, n := range names {
		r.add(n, back)
	}
	m.keep(r)
	return m
}

// store writes samples, given by the value of a label, and returns the series.
func store(t testing.TB, m *memory, at int64, before []*series, values map[string]float64) []*series {
	b := m.begin()
	for chain, v := range values {
		require.NoError(t, b.add(m.metric("height"), labels.FromStrings("__name__", "height", "chain", chain), v))
	}
	now, dropped := b.commit(at, before)
	require.Zero(t, dropped)
	return now
}

func TestARingHoldsTheLatestPointsInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			r    ring
			want []point
			now  int64
		)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			now += rapid.Int64Range(1, 5).Draw(t, "gap")
			if len(want) == 0 || rapid.Bool().Draw(t, "push") {
				r.push(point{now, float64(now)})
				want = append(want, point{now, float64(now)})
			} else {
				until := want[0].t + rapid.Int64Range(-1, 20).Draw(t, "until")
				r.dropUntil(until)
				for len(want) > 1 && want[0].t <= until {
					want = want[1:]
				}
			}
			require.Equal(t, len(want), r.len())
			for i := range want {
				require.Equal(t, want[i], *r.at(i))
			}
			require.Equal(t, want[len(want)-1], *r.newest())
			at := now - rapid.Int64Range(-2, 30).Draw(t, "searched")
			found := r.search(at)
			require.True(t, found == len(want) || want[found].t >= at)
			require.True(t, found == 0 || want[found-1].t < at)
		}
	})
}

func TestAnIteratorGoesWhereTheEngineWantsIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s series
		var times []int64
		now := int64(1000)
		for range rapid.IntRange(1, 12).Draw(t, "points") {
			now += rapid.Int64Range(1, 5).Draw(t, "gap")
			s.points.push(point{now, float64(now)})
			times = append(times, now)
		}
		w := window{start: 1000, end: rapid.Int64Range(990, now+5).Draw(t, "end"), newest: rapid.Bool().Draw(t, "newest")}
		if w.newest {
			// Only the last point within the window is seen.
			var last []int64
			for _, at := range times {
				if at <= w.end && at >= w.start {
					last = []int64{at}
				}
			}
			times = last
		}
		it := (&view{&s, &w}).Iterator(nil)
		at := -1 // The index of the present point.
		for range rapid.IntRange(1, 20).Draw(t, "moves") {
			next := at + 1
			if rapid.Bool().Draw(t, "seek") {
				to := rapid.Int64Range(990, now+5).Draw(t, "to")
				if at >= 0 && at < len(times) && times[at] >= to {
					next = at
				}
				for next < len(times) && times[next] < to {
					next++
				}
				if kind := it.Seek(to); next < len(times) {
					require.Equal(t, chunkenc.ValFloat, kind)
				} else {
					require.Equal(t, chunkenc.ValNone, kind)
				}
			} else if kind := it.Next(); next < len(times) {
				require.Equal(t, chunkenc.ValFloat, kind)
			} else {
				require.Equal(t, chunkenc.ValNone, kind)
			}
			if at = next; at >= len(times) {
				require.Equal(t, chunkenc.ValNone, it.Next())
				require.Equal(t, chunkenc.ValNone, it.Seek(0))
				return
			}
			when, v := it.At()
			require.Equal(t, times[at], when)
			require.Equal(t, times[at], it.AtT())
			require.InDelta(t, float64(times[at]), v, 0)
			require.NoError(t, it.Err())
			require.Zero(t, it.AtST())
		}
	})
}

func TestPointsAreKeptAsLongAsTheyAreRead(t *testing.T) {
	t.Parallel()
	m := keeps(time.Minute, "height")
	var all []*series
	for at := int64(0); at <= 200_000; at += 5000 {
		all = store(t, m, at, all, map[string]float64{"btc": float64(at)})
	}
	p := &all[0].points
	require.Equal(t, int64(200_000), p.newest().t)
	require.Equal(t, int64(200_000-90_000+5000), p.at(0).t, "a minute and the look-back; who reads leaves out the first moment")
	require.Equal(t, p.len(), m.points)
	require.LessOrEqual(t, len(p.buf), 32)
}

func TestRoundsInQuickSuccessionDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	m := keeps(time.Minute, "height")
	var all []*series
	for at := int64(0); at <= 200_000; at += 100 {
		all = store(t, m, at, all, map[string]float64{"btc": float64(at)})
		require.Equal(t, at, all[0].points.newest().t, "the newest is always there")
	}
	p := &all[0].points
	require.LessOrEqual(t, p.len(), 90/2+2)
	require.InDelta(t, 110_000, p.at(0).t, 2000, "and so is the oldest that is read")
}

func TestOnlyTheNewestPointIsKeptIfNobodyLooksBack(t *testing.T) {
	t.Parallel()
	m := keeps(0, "height")
	var all []*series
	for at := int64(0); at <= 100_000; at += 5000 {
		all = store(t, m, at, all, map[string]float64{"btc": float64(at)})
	}
	require.Equal(t, point{100_000, 100_000}, *all[0].points.newest())
	require.Equal(t, 1, m.points)
	require.LessOrEqual(t, len(all[0].points.buf), 2)
}

func TestAnEndedSeriesIsForgottenOnceNobodyLooksThatFarBack(t *testing.T) {
	t.Parallel()
	m := keeps(time.Minute, "height")
	all := store(t, m, 0, nil, map[string]float64{"btc": 1, "eth": 2})
	all = store(t, m, 5000, all, map[string]float64{"eth": 2})
	require.Len(t, all, 1)
	require.Equal(t, 2, m.count)
	m.sweep(94_999)
	require.Equal(t, 2, m.count)
	m.sweep(95_000)
	require.Equal(t, 1, m.count, "the other was not ended, only not written to")
	require.Len(t, m.metrics["height"].series, 1)
	store(t, m, 100_000, all, nil)
	m.sweep(300_000)
	require.Zero(t, m.count)
	require.Zero(t, m.points)
	require.Empty(t, m.metrics)
	require.Empty(t, m.index)
}

func TestASeriesThatReturnsIsNotForgotten(t *testing.T) {
	t.Parallel()
	m := keeps(0, "height")
	all := store(t, m, 0, nil, map[string]float64{"btc": 1})
	all = store(t, m, 5000, all, nil)
	all = store(t, m, 10_000, all, map[string]float64{"btc": 1})
	m.sweep(1_000_000)
	require.Equal(t, 1, m.count)
	require.Empty(t, m.ended)
	store(t, m, 1_000_001, all, nil)
	m.sweep(2_000_000)
	require.Zero(t, m.count)
}

func TestWhatIsNoLongerReadIsForgottenAtOnce(t *testing.T) {
	t.Parallel()
	m := keeps(0, "height", "lag")
	all := store(t, m, 0, nil, map[string]float64{"btc": 1, "eth": 2})
	store(t, m, 5000, all, map[string]float64{"eth": 2})
	var r reads
	r.add("lag", time.Hour)
	m.keep(r)
	require.Zero(t, m.count)
	require.Zero(t, m.points)
	require.Empty(t, m.ended)
	require.Nil(t, m.metric("height"))
	require.Equal(t, (time.Hour + 30*time.Second).Milliseconds(), m.metric("lag").retention)
}

func TestABatchIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	m := keeps(0, "height")
	m.limit = 2
	all := store(t, m, 0, nil, map[string]float64{"btc": 1})
	b := m.begin()
	ofChain := func(c string) labels.Labels { return labels.FromStrings("__name__", "height", "chain", c) }
	require.NoError(t, b.add(m.metric("height"), ofChain("btc"), 5))
	require.NoError(t, b.add(m.metric("height"), ofChain("eth"), 5))
	require.ErrorIs(t, b.add(m.metric("height"), ofChain("eth"), 6), errDuplicate)
	require.EqualError(t, b.add(m.metric("height"), ofChain("ltc"), 6), "more than 2 series in memory")
	b.abandon()
	require.Equal(t, 1, m.count)
	require.InDelta(t, 1, all[0].points.newest().v, 0)
	require.Len(t, m.metrics["height"].series, 1)

	b = m.begin()
	require.NoError(t, b.add(m.metric("height"), ofChain("btc"), 5))
	_, dropped := b.commit(0, all)
	require.Equal(t, 1, dropped, "the series has a sample of that time")
}

func TestSeriesOfEqualHashAreToldApart(t *testing.T) {
	t.Parallel()
	m := keeps(0, "height")
	mt := m.metric("height")
	a, b, c := labels.FromStrings("x", "a"), labels.FromStrings("x", "b"), labels.FromStrings("x", "c")
	hash := a.Hash()
	first, second := m.link(hash, a, mt), m.link(hash, b, mt)
	require.Same(t, first, m.find(hash, a))
	require.Same(t, second, m.find(hash, b))
	require.Nil(t, m.find(hash, c))
	m.unlink(first)
	require.Nil(t, m.find(hash, a))
	require.Same(t, second, m.find(hash, b))
}

func TestTheVersionOfAMetricTellsWhetherItsValuesChanged(t *testing.T) {
	t.Parallel()
	m := keeps(time.Minute, "height")
	version := func(at int64) uint64 {
		v, ok := m.version("height", at, false)
		require.True(t, ok)
		return v
	}
	require.Zero(t, version(0), "without a series there is nothing to change")
	all := store(t, m, 0, nil, map[string]float64{"btc": 1, "eth": math.NaN()})
	first := version(0)
	all = store(t, m, 5000, all, map[string]float64{"btc": 1, "eth": math.NaN()})
	require.Equal(t, first, version(5000))
	all = store(t, m, 10_000, all, map[string]float64{"btc": 2, "eth": math.NaN()})
	second := version(10_000)
	require.NotEqual(t, first, second)
	all = store(t, m, 15_000, all, map[string]float64{"btc": 2})
	third := version(15_000)
	require.NotEqual(t, second, third, "one ended")
	all = store(t, m, 20_000, all, map[string]float64{"btc": 2})
	require.Equal(t, third, version(20_000))
	_, ok := m.version("height", 25_000, false)
	require.False(t, ok, "what was not written may be too old")
	written, ok := m.version("height", 25_000, true)
	require.True(t, ok)
	store(t, m, 25_000, all, map[string]float64{"btc": 2})
	require.Equal(t, third, version(25_000))
	again, _ := m.version("height", 25_000, true)
	require.NotEqual(t, written, again)
}
