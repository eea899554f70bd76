package integrity

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// forked answers for two chains that differ from a height on, and counts.
type forked struct {
	from    uint64
	skipped func(uint64) bool
	asked   []uint64
}

func (f *forked) ask(height uint64) sameness {
	f.asked = append(f.asked, height)
	switch {
	case f.skipped != nil && f.skipped(height):
		return skippedByAll
	case height >= f.from:
		return otherBlocks
	}
	return sameBlock
}

func TestLastCommon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		high   uint64
		hint   chain.Optional[uint64]
		from   uint64
		want   uint64
		found  bool
		budget []uint64
	}{
		{"the block below is common: one step", 100, chain.Optional[uint64]{}, 100, 99, true, []uint64{99}},
		{"two blocks: two steps", 100, chain.Optional[uint64]{}, 99, 98, true, []uint64{99, 98}},
		{"a longer fork is halved", 100, chain.Optional[uint64]{}, 90, 89, true, []uint64{99, 98, 96, 92, 84, 88, 90, 89}},
		{"a hint that still holds takes two steps", 100, chain.Some(uint64(89)), 90, 89, true, []uint64{89, 90}},
		{"a hint that is too high goes on below it", 100, chain.Some(uint64(95)), 90, 89, true, []uint64{95, 94, 93, 91, 87, 89, 90}},
		{"a hint that is too low goes on above it", 100, chain.Some(uint64(50)), 99, 98, true, []uint64{50, 51, 75, 87, 93, 96, 98, 99}},
		{"a hint that the height has fallen below is left", 100, chain.Some(uint64(120)), 100, 99, true, []uint64{99}},
		{"nothing is common", 10, chain.Optional[uint64]{}, 0, 0, false, []uint64{9, 8, 6, 2, 0}},
		{"only the genesis block is common", 10, chain.Optional[uint64]{}, 1, 0, true, []uint64{9, 8, 6, 2, 0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &forked{from: c.from}
			got, found := lastCommon(c.high, c.hint, searchBudget, f.ask)
			require.Equal(t, c.found, found)
			if found {
				require.Equal(t, c.want, got)
			}
			require.Equal(t, c.budget, f.asked)
		})
	}
}

func TestLastCommonOverSkippedHeights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		from    uint64
		skipped []uint64
		want    uint64
		asked   []uint64
	}{
		{"below a skipped height they are the same", 100, []uint64{99, 98}, 97, []uint64{99, 98, 97}},
		{"below skipped heights they differ", 94, []uint64{99, 98, 97}, 93, []uint64{99, 98, 97, 96, 95, 94, 92, 93}},
		{"skipped heights above the common block", 95, []uint64{91, 92, 93, 94}, 90, []uint64{99, 98, 96, 92, 91, 90, 94, 93, 92, 91, 90, 95}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &forked{from: c.from, skipped: func(h uint64) bool { return slices.Contains(c.skipped, h) }}
			got, found := lastCommon(100, chain.Optional[uint64]{}, searchBudget, f.ask)
			require.True(t, found)
			require.Equal(t, c.want, got)
			require.Equal(t, c.asked, f.asked)
		})
	}
}

func TestLastCommonEndsWhereNobodyTells(t *testing.T) {
	t.Parallel()
	asked := 0
	_, found := lastCommon(1000, chain.Optional[uint64]{}, searchBudget, func(height uint64) sameness {
		asked++
		if height < 990 {
			return untold
		}
		return otherBlocks
	})
	require.False(t, found)
	require.Equal(t, 5, asked, "999, 998, 996, 992 and the first that is pruned")
}

func TestLastCommonProperties(t *testing.T) {
	t.Parallel()
	t.Run("a fork within reach is found in 2·log2 steps", rapid.MakeCheck(func(t *rapid.T) {
		high := rapid.Uint64Range(1<<16, 1<<53).Draw(t, "high")
		depth := rapid.Uint64Range(1, 1<<16).Draw(t, "depth")
		f := &forked{from: high - depth + 1}
		got, found := lastCommon(high, chain.Optional[uint64]{}, searchBudget, f.ask)
		require.True(t, found)
		require.Equal(t, high-depth, got)
		require.LessOrEqual(t, len(f.asked), max(1, 2*bits.Len64(depth-1)))
	}))
	t.Run("the budget is never exceeded, and what is found is true", rapid.MakeCheck(func(t *rapid.T) {
		high := rapid.Uint64Range(0, math.MaxUint64).Draw(t, "high")
		every := rapid.Uint64Range(0, 4).Draw(t, "every so many blocks are skipped")
		f := &forked{from: rapid.Uint64Range(0, high).Draw(t, "from")}
		f.skipped = func(h uint64) bool { return every > 1 && h%every == 1 }
		budget := rapid.IntRange(0, 40).Draw(t, "budget")
		var hint chain.Optional[uint64]
		if rapid.Bool().Draw(t, "hinted") {
			hint = chain.Some(rapid.Uint64Range(0, math.MaxUint64).Draw(t, "hint"))
		}
		got, found := lastCommon(high, hint, budget, f.ask)
		require.LessOrEqual(t, len(f.asked), budget)
		if found {
			require.Less(t, got, f.from)
			require.False(t, f.skipped(got))
			for h := got + 1; h < f.from; h++ {
				require.True(t, f.skipped(h), "%d is common and higher", h)
			}
		}
	}))
	t.Run("short forks with skipped slots are found", rapid.MakeCheck(func(t *rapid.T) {
		high := rapid.Uint64Range(200, 1<<40).Draw(t, "high")
		from := high - rapid.Uint64Range(0, 100).Draw(t, "depth")
		skips := rapid.SliceOfN(rapid.Uint64Range(high-150, high-1), 0, 5).Draw(t, "skips")
		f := &forked{from: from, skipped: func(h uint64) bool { return slices.Contains(skips, h) }}
		want := from - 1
		for f.skipped(want) {
			want--
		}
		got, found := lastCommon(high, chain.Optional[uint64]{}, searchBudget, f.ask)
		require.True(t, found)
		require.Equal(t, want, got)
	}))
}
