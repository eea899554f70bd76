package board_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/board"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// put posts a decision about a chain under the next index.
func put(b *board.Board, chain string) uint64 {
	index := b.Reserve()
	b.Post(index, chain, &board.Decision{})
	return index
}

// waiting is a call of Wait that may not have returned yet.
type waiting struct {
	returned chan *board.Sheet
	cancel   context.CancelFunc
}

func wait(b *board.Board, chain string, after uint64) waiting {
	ctx, cancel := context.WithCancel(context.Background())
	w := waiting{make(chan *board.Sheet, 1), cancel}
	go func() { w.returned <- b.Wait(ctx, chain, after) }()
	synctest.Wait()
	return w
}

// over says whether the call has returned.
func (w waiting) over() bool {
	synctest.Wait()
	return len(w.returned) > 0
}

func TestDecisionsBecomeVisibleInTheOrderOfTheirIndexes(t *testing.T) {
	t.Parallel()
	b := board.New(40)
	first, second, third := b.Reserve(), b.Reserve(), b.Reserve()
	require.Equal(t, []uint64{41, 42, 43}, []uint64{first, second, third})
	later := &board.Decision{}
	b.Post(third, "eth", later)
	require.EqualValues(t, 40, b.Sheet().Index, "two before it are missing")
	b.Abandon(first)
	require.EqualValues(t, 41, b.Sheet().Index)
	require.Empty(t, b.Sheet().Chains)
	before := b.Sheet()
	b.Post(second, "btc", &board.Decision{})
	require.EqualValues(t, 43, b.Sheet().Index)
	require.Equal(t, []string{"btc", "eth"}, b.Sheet().Names())
	require.Equal(t, board.Posted{Index: 43, Decision: later}, b.Sheet().Chains["eth"])
	require.Empty(t, before.Chains, "a sheet does not change any more")
	b.Remove(b.Reserve(), "eth")
	require.Equal(t, []string{"btc"}, b.Sheet().Names())
	require.EqualValues(t, 44, b.Sheet().Index)
}

func TestWhoWasTakenDownIsKnownUntilItComesBack(t *testing.T) {
	t.Parallel()
	b := board.New(0)
	last := &board.Decision{}
	put(b, "btc")
	b.Post(b.Reserve(), "eth", last)
	b.Remove(b.Reserve(), "eth")
	b.Remove(b.Reserve(), "doge")
	gone := b.Sheet()
	require.Equal(t, map[string]board.Posted{"eth": {Index: 3, Decision: last}}, gone.Gone, "what was never there is not gone")
	put(b, "eth")
	require.Empty(t, b.Sheet().Gone)
	require.Len(t, gone.Gone, 1, "a sheet does not change any more")
}

func TestWhatIsRestoredHasItsIndexOfBefore(t *testing.T) {
	t.Parallel()
	b := board.New(1000)
	b.Restore("eth", 7, &board.Decision{})
	require.EqualValues(t, 1000, b.Sheet().Index, "indexes go on above what may have been used")
	require.EqualValues(t, 7, b.Sheet().Chains["eth"].Index)
	require.EqualValues(t, 1001, put(b, "eth"))
}

func TestWhoWaitsForWhat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chain string
		after uint64
		// at once says that nobody waits, and by whose decision a waiter returns.
		atOnce   bool
		eth, btc bool
	}{
		"a change of the chain":                    {chain: "eth", after: 12, eth: true},
		"a change that has been":                   {chain: "eth", after: 10, atOnce: true},
		"a change of any chain":                    {chain: "", after: 12, eth: true, btc: true},
		"one that has seen less":                   {chain: "", after: 11, atOnce: true},
		"one that has seen another chain's":        {chain: "btc", after: 12, btc: true},
		"an unknown chain":                         {chain: "doge", after: 12, atOnce: true},
		"an index that was never given out":        {chain: "eth", after: 13, atOnce: true},
		"an index of the far future, of any chain": {chain: "", after: 1 << 63, atOnce: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for chain, wakes := range map[string]bool{"eth": c.eth, "btc": c.btc} {
				synctest.Test(t, func(t *testing.T) {
					b := board.New(10)
					put(b, "eth")
					put(b, "btc")
					w := wait(b, c.chain, c.after)
					defer w.cancel()
					require.Equal(t, c.atOnce, w.over())
					index := put(b, chain)
					require.Equal(t, c.atOnce || wakes, w.over(), chain)
					if wakes {
						require.Equal(t, index, (<-w.returned).Index)
					}
				})
			}
		})
	}
}

func TestWhoWaitsForAChainIsToldThatItIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(0)
		w := wait(b, "eth", put(b, "eth"))
		defer w.cancel()
		require.False(t, w.over())
		b.Remove(b.Reserve(), "eth")
		require.True(t, w.over())
		require.Empty(t, (<-w.returned).Chains)
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(0)
		index := put(b, "eth")
		w := wait(b, "eth", index)
		require.False(t, w.over())
		w.cancel()
		require.True(t, w.over())
		require.Equal(t, index, (<-w.returned).Index)
	})
}

func TestTenThousandWaitersAreAllWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board.New(0)
		seen := put(b, "eth")
		var all sync.WaitGroup
		indexes := make([]uint64, 10_000)
		for i := range indexes {
			all.Go(func() { indexes[i] = b.Wait(context.Background(), "eth", seen).Chains["eth"].Index })
		}
		synctest.Wait()
		put(b, "btc")
		synctest.Wait()
		index := put(b, "eth")
		all.Wait()
		require.Equal(t, []uint64{index}, slices.Compact(indexes))
	})
}

// TestWhoeverHasSeenAnIndexHasMissedNothing posts in any order and compares with
// what a board must show that knows the true order.
func TestWhoeverHasSeenAnIndexHasMissedNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type posting struct {
			index    uint64
			chain    string
			decision *board.Decision
		}
		last := rapid.Uint64Range(0, 1<<40).Draw(t, "last")
		b := board.New(last)
		n := rapid.IntRange(1, 20).Draw(t, "postings")
		all := make([]posting, n)
		for i := range all {
			p := posting{index: b.Reserve(), chain: rapid.SampledFrom([]string{"", "btc", "eth"}).Draw(t, "chain")}
			if p.chain != "" && rapid.Bool().Draw(t, "there") {
				p.decision = &board.Decision{}
			}
			all[i] = p
		}
		posted := map[uint64]bool{}
		for _, i := range rapid.Permutation(indexesOf(n)).Draw(t, "order") {
			switch p := all[i]; {
			case p.decision != nil:
				b.Post(p.index, p.chain, p.decision)
			case p.chain != "":
				b.Remove(p.index, p.chain)
			default:
				b.Abandon(p.index)
			}
			posted[all[i].index] = true
			want, shown := last, map[string]board.Posted{}
			for _, p := range all {
				if !posted[p.index] {
					break
				}
				want = p.index
				if p.decision != nil {
					shown[p.chain] = board.Posted{Index: p.index, Decision: p.decision}
				} else {
					delete(shown, p.chain)
				}
			}
			s := b.Sheet()
			if s.Index != want || fmt.Sprint(s.Chains) != fmt.Sprint(shown) {
				t.Fatalf("index %d with %v, want %d with %v", s.Index, s.Chains, want, shown)
			}
		}
		if b.Sheet().Index != last+uint64(n) {
			t.Fatal("the last index is not visible")
		}
	})
}

func indexesOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestPostingAndWaitingAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := board.New(0)
	const posts = 200
	chains := []string{"btc", "eth", "sol"}
	for _, chain := range chains {
		put(b, chain)
	}
	last := uint64(len(chains) * (posts + 2))
	var all sync.WaitGroup
	for _, chain := range chains {
		all.Go(func() {
			for range posts {
				put(b, chain)
			}
			b.Remove(b.Reserve(), chain)
		})
		all.Go(func() {
			// Who waits again and again sees the end, and no index before its time.
			for seen, there := uint64(0), true; there; {
				s := b.Wait(context.Background(), chain, seen)
				var posted board.Posted
				if posted, there = s.Chains[chain]; there && (posted.Index <= seen || posted.Index > s.Index) {
					t.Errorf("index %d of %d after %d", posted.Index, s.Index, seen)
				}
				seen = posted.Index
			}
		})
	}
	all.Go(func() {
		for seen := uint64(0); seen < last; {
			seen = b.Wait(context.Background(), "", seen).Index
		}
	})
	all.Wait()
	require.Equal(t, last, b.Sheet().Index)
}
