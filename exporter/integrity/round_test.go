package integrity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

func TestLaggards(t *testing.T) {
	t.Parallel()
	inBubble(t, "a laggard does not drag the height down and is compared at its own", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.height = 500 })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
		require.Equal(t, map[string][]uint64{"a": {998, 498}, "b": {998}, "c": {498}}, w.requests())
		require.EqualValues(t, 498, w.result("c").CheckedHeight)
		require.Equal(t, "unknown", w.transactions()["c"], "transactions are not compared there")
	})
	inBubble(t, "a laggard on a chain of its own is blamed after a second look with another reference", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.height, f.fork, f.from = 500, "x", 400 })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "fork"), w.hashes())
		require.Equal(t, map[string][]uint64{"a": {998, 498}, "b": {998, 498}, "c": {498, 498}}, w.requests())
	})
	inBubble(t, "a laggard whose block the others no longer have is not judged", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.height, f.fork, f.from = 500, "x", 400 })
		w.set("a", func(f *fake) {
			f.answer = func(h uint64) error {
				if h < 900 {
					return chain.ErrPruned
				}
				return nil
			}
		})
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
	})
	inBubble(t, "references that disagree about the laggard's block blame nobody", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.height = 500 })
		w.set("a", func(f *fake) { f.odd = 498 })
		w.run()
		require.Equal(t, map[string][]uint64{"a": {998, 498}, "b": {998, 498}, "c": {498, 498}}, w.requests())
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
	})
}

func TestForksSeenFromBelow(t *testing.T) {
	t.Parallel()
	// b is blamed for a fork from 990 on; then a or others fall below that.
	forked := func(t *testing.T) *world {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees"), w.hashes())
		return w
	}
	inBubble(t, "a laggard that drags the height below the fork clears nobody", func(t *testing.T) {
		w := forked(t)
		w.set("a", func(f *fake) { f.height = 985 })
		w.round()
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees"), w.hashes())
		require.EqualValues(t, 983, w.chain().AgreedHeight)
		w.rise(100)
		w.round()
		require.Equal(t, "fork", w.hashes()["b"], "it still is, and is seen again")
	})
	inBubble(t, "a laggard clears nobody when it alone is left either", func(t *testing.T) {
		w := forked(t)
		w.set("a", func(f *fake) { f.height = 985 })
		w.set("c", func(f *fake) { f.up = false })
		w.round()
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees"), w.hashes())
		require.EqualValues(t, 983, w.chain().AgreedHeight)
	})
	inBubble(t, "who is back on the right chain is cleared where it was blamed", func(t *testing.T) {
		w := forked(t)
		w.set("a", func(f *fake) { f.height = 985 })
		w.set("b", func(f *fake) { f.fork = "" })
		w.round()
		require.Equal(t, "fork", w.hashes()["b"])
		w.set("a", func(f *fake) { f.height = 1000 })
		w.round()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
	})
	inBubble(t, "where it was blamed is the lowest height of all", func(t *testing.T) {
		w := forked(t)
		w.set("a", func(f *fake) { f.height = 995 })
		w.round()
		w.set("a", func(f *fake) { f.height = 996 })
		w.set("b", func(f *fake) { f.fork = "" })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"], "994 is above 993, though below 998")
	})
	inBubble(t, "who was outvoted makes no split when only one of the others is left", func(t *testing.T) {
		w := forked(t)
		w.set("a", func(f *fake) { f.up = false })
		w.rise(10)
		w.round()
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees"), w.hashes())
		require.False(t, w.chain().Split)
		w.set("c", func(f *fake) { f.fork, f.from = "y", 990 })
		w.set("a", func(f *fake) { f.up = true })
		w.round()
		require.True(t, w.chain().Split, "two who were not outvoted do")
		w.set("a", func(f *fake) { f.fork, f.from = "x", 990 })
		w.round()
		require.False(t, w.chain().Split)
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "fork"), w.hashes(), "it has the majority by now")
	})
	inBubble(t, "when all are rolled back below the fork, it is cleared there", func(t *testing.T) {
		w := forked(t)
		for _, name := range []string{"a", "b", "c"} {
			w.set(name, func(f *fake) { f.height = 985 })
		}
		w.round()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
	})
}

func TestMissing(t *testing.T) {
	t.Parallel()
	inBubble(t, "lacking a block twice, with a newer tip in between, is inconsistent", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer = lacks(0) })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "missing", "c", "agrees"), w.hashes())
		require.Equal(t, map[string][]uint64{"a": {998}, "b": {998, 998}, "c": {998}}, w.requests(), "it needs no reference")
		w.set("b", func(f *fake) { f.answer = nil })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"])
	})
	inBubble(t, "without a newer tip it waits for the next round, which asks for the same block", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 20*time.Second })
		w.run()
		require.Equal(t, "unknown", w.hashes()["b"])
		require.Equal(t, []uint64{998}, w.requests()["b"], "asking again at once would tell nothing")
		w.rise(60)
		w.round()
		require.Equal(t, "missing", w.hashes()["b"])
		require.Equal(t, []uint64{998, 1058}, w.requests()["b"])
	})
	inBubble(t, "a block that is only late is not missing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(990), 20*time.Second })
		for height := uint64(1000); height < 1300; height += 60 {
			w.set("b", func(f *fake) { f.answer = lacks(height - 10) })
			if height == 1000 {
				w.run()
			} else {
				w.round()
			}
			require.Equal(t, "unknown", w.hashes()["b"], height)
			w.rise(60)
		}
	})
	inBubble(t, "once is nothing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 20*time.Second })
		w.run()
		w.set("b", func(f *fake) { f.answer = nil })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"])
		w.set("b", func(f *fake) { f.answer = lacks(0) })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"], "the first time in a row again")
		w.round()
		require.Equal(t, "missing", w.hashes()["b"])
	})
	inBubble(t, "a block in between ends what was before, also while the tip is old", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 5*time.Minute })
		w.run()
		w.set("b", func(f *fake) { f.answer = nil })
		w.round()
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 30*time.Second })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"])
	})
	inBubble(t, "lacking two different blocks is not lacking one twice", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 20*time.Second })
		w.run()
		w.set("b", func(f *fake) {
			f.answer = func(h uint64) error {
				if h == 998 {
					return &chain.Failure{Reason: chain.Timeout}
				}
				return &chain.Failure{Reason: chain.Missing}
			}
		})
		w.rise(60)
		w.round()
		require.Equal(t, "unknown", w.hashes()["b"])
	})
	inBubble(t, "no answer in between changes nothing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer, f.stale = lacks(0), 20*time.Second })
		w.run()
		w.set("b", func(f *fake) { f.answer = func(uint64) error { return &chain.Failure{Reason: chain.Timeout} } })
		w.round()
		require.Equal(t, "unknown", w.hashes()["b"])
		w.set("b", func(f *fake) { f.answer = lacks(0) })
		w.round()
		require.Equal(t, "missing", w.hashes()["b"])
	})
	inBubble(t, "one whose tip went back contradicts nothing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer = lacks(990) })
		w.runInto()
		w.set("b", func(f *fake) { f.height = 989 })
		w.settle()
		require.Equal(t, "unknown", w.hashes()["b"])
	})
	inBubble(t, "one whose tip is no longer deep enough above contradicts nothing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.answer = lacks(990) })
		w.runInto()
		w.set("b", func(f *fake) { f.height = 999 })
		w.settle()
		require.Equal(t, "unknown", w.hashes()["b"])
		require.Equal(t, []uint64{998}, w.requests()["b"])
	})
	inBubble(t, "alone, it contradicts itself, until it has a block", func(t *testing.T) {
		w := newWorld(t, "a", "a")
		w.set("a", func(f *fake) { f.answer = lacks(0) })
		w.start()
		w.round()
		require.Equal(t, is("a", "missing"), w.hashes())
		w.set("a", func(f *fake) { f.answer = nil })
		w.round()
		require.Equal(t, is("a", "unknown"), w.hashes(), "there is nobody to agree with")
		require.EqualValues(t, 998, w.result("a").CheckedHeight)
	})
}

func TestSkipped(t *testing.T) {
	t.Parallel()
	skips := func(from uint64) func(uint64) error {
		return func(h uint64) error {
			if h >= from {
				return chain.ErrSkipped
			}
			return nil
		}
	}
	inBubble(t, "where all say skipped, the next lower height is compared", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.answer = skips(995) })
		}
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees"), w.hashes())
		require.EqualValues(t, 994, w.chain().AgreedHeight)
		require.Equal(t, map[string][]uint64{"a": {998, 996, 994}, "b": {998, 997, 995, 994}}, w.requests(), "one after the other is asked on the way")
	})
	inBubble(t, "only so many heights are tried", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.answer = skips(0) })
		}
		w.run()
		require.Equal(t, is("a", "unknown", "b", "unknown"), w.hashes())
		requests := w.requests()
		require.Len(t, append(requests["a"], requests["b"]...), 2+maxSkips)
	})
	inBubble(t, "one that says skipped where others have a block has no vote", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.answer = skips(0) })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
	})
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	inBubble(t, "fewer than the others: asked again, then blamed, then cleared", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.transactions = transactions(8, 0, "e") })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "fewer", "c", "agrees"), w.transactions())
		require.Equal(t, "agrees", w.hashes()["b"], "its hash is right")
		require.Equal(t, map[string][]uint64{"a": {998, 998}, "b": {998, 998}, "c": {998}}, w.requests())
		w.set("b", func(f *fake) { f.transactions = transactions(9, 0, "d") })
		w.round()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.transactions())
	})
	inBubble(t, "a slip that is over at the second look is nothing", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.transactions = transactions(8, 0, "e") })
		w.runInto()
		w.set("b", func(f *fake) { f.transactions = transactions(9, 0, "d") })
		w.settle()
		require.Equal(t, "agrees", w.transactions()["b"])
	})
	inBubble(t, "fewer than its own header says, alone", func(t *testing.T) {
		w := newWorld(t, "a", "a")
		w.set("a", func(f *fake) { f.transactions = transactions(8, 1, "") })
		w.start()
		w.round()
		require.Equal(t, is("a", "incomplete"), w.transactions())
		w.set("a", func(f *fake) { f.transactions = transactions(9, 0, "") })
		w.round()
		require.Equal(t, is("a", "unknown"), w.transactions())
	})
	inBubble(t, "of two types, digests do not compare and numbers do", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.spec.Members[1].Type = config.EsploraREST
		w.set("b", func(f *fake) { f.transactions = transactions(9, 0, "e") })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.transactions())
		w.set("b", func(f *fake) { f.transactions = transactions(10, 0, "e") })
		w.round()
		require.Equal(t, "more", w.transactions()["b"])
	})
	inBubble(t, "switched off they are not asked for", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.spec.Integrity.Transactions = false
		w.set("b", func(f *fake) { f.transactions = transactions(8, 1, "") })
		w.run()
		require.Equal(t, is("a", "unknown", "b", "unknown"), w.transactions())
		require.Equal(t, is("a", "agrees", "b", "agrees"), w.hashes())
	})
}

func TestTipVerified(t *testing.T) {
	t.Parallel()
	yes, no, none := chain.Some(true), chain.Some(false), chain.Optional[bool]{}
	inBubble(t, "a leader further ahead is asked for one block; the others are not leaders", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.height = 1005 })
		w.run()
		require.Equal(t, yes, w.result("b").TipVerified)
		require.Equal(t, none, w.result("a").TipVerified)
		require.Equal(t, map[string][]uint64{"a": {998}, "b": {1000, 998}, "c": {998}}, w.requests())
		w.set("a", func(f *fake) { f.height = 1005 })
		w.round()
		require.Equal(t, yes, w.result("a").TipVerified)
		require.Equal(t, yes, w.result("b").TipVerified)
		w.set("c", func(f *fake) { f.height = 1010 })
		w.round()
		require.Equal(t, none, w.result("b").TipVerified, "it leads no longer")
	})
	inBubble(t, "a leader on another chain is not verified", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.height, f.fork, f.from = 1005, "x", 999 })
		w.run()
		require.Equal(t, no, w.result("b").TipVerified)
		require.Equal(t, "agrees", w.hashes()["b"], "below the fork it agrees")
	})
	inBubble(t, "a leader that does not answer, and one that is down, are unknown", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) {
			f.height, f.answer = 1005, func(uint64) error { return &chain.Failure{Reason: chain.Timeout} }
		})
		w.run()
		require.Equal(t, none, w.result("b").TipVerified)
		w.set("b", func(f *fake) { f.answer = nil })
		w.round()
		require.Equal(t, yes, w.result("b").TipVerified)
		w.set("b", func(f *fake) { f.up = false })
		w.round()
		require.Equal(t, none, w.result("b").TipVerified)
	})
	inBubble(t, "a leader with a long interval of its own is not asked in between", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.spec.Members[1].Interval = 3 * time.Minute
		w.set("b", func(f *fake) { f.height = 1005 })
		w.run()
		require.Equal(t, yes, w.result("b").TipVerified)
		w.requests()
		w.round()
		require.NotContains(t, w.requests(), "b")
		require.Equal(t, none, w.result("b").TipVerified)
	})
	inBubble(t, "a chain of one operator has no others", func(t *testing.T) {
		w := newWorld(t, "a1", "a", "a2", "a")
		w.run()
		require.Equal(t, none, w.result("a1").TipVerified)
		require.Equal(t, is("a1", "agrees", "a2", "agrees"), w.hashes(), "its URLs compare all the same")
	})
	inBubble(t, "others without a hash", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.noHash = true })
		}
		w.run()
		require.Equal(t, none, w.result("a").TipVerified)
	})
}
