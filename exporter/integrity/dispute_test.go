package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	inBubble(t, "two against two: noticed after two looks, searched, and over by itself", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c", "d", "d")
		w.run()
		agreed := w.chain()
		w.requests()
		for _, name := range []string{"c", "d"} {
			w.set(name, func(f *fake) { f.fork, f.from = "x", 990 })
		}
		w.round()
		split := w.chain()
		require.True(t, split.Split)
		require.Equal(t, agreed.AgreedAt, split.AgreedAt, "the last agreement is kept")
		require.EqualValues(t, 998, split.AgreedHeight)
		require.Equal(t, chain.Some(uint64(989)), split.CommonHeight)
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees", "d", "agrees"), w.hashes(), "nobody is blamed")
		search := []uint64{997, 996, 994, 990, 982, 986, 988, 989}
		require.Equal(t, map[string][]uint64{
			"a": append([]uint64{998, 998}, search...), "b": {998, 998},
			"c": append([]uint64{998, 998}, search...), "d": {998, 998},
		}, w.requests())

		w.round()
		require.Equal(t, split.SplitSince, w.chain().SplitSince)
		require.Equal(t, chain.Some(uint64(989)), w.chain().CommonHeight)
		require.Equal(t, map[string][]uint64{
			"a": {998, 989, 990}, "b": {998}, "c": {998, 989, 990}, "d": {998},
		}, w.requests(), "what was found before is only confirmed")

		for _, name := range []string{"c", "d"} {
			w.set(name, func(f *fake) { f.fork = "" })
		}
		w.round()
		over := w.chain()
		require.False(t, over.Split)
		require.True(t, over.AgreedAt.After(split.AgreedAt))
		require.False(t, over.CommonHeight.Known)
		require.True(t, over.SplitSince.IsZero())
	})
	inBubble(t, "a tie that is over at the second look is no split", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.set("b", func(f *fake) { f.fork, f.from = "old", 997 })
		w.runInto()
		w.set("b", func(f *fake) { f.fork = "" })
		w.settle()
		require.False(t, w.chain().Split)
		require.Equal(t, is("a", "agrees", "b", "agrees"), w.hashes())
	})
	inBubble(t, "a tie that becomes a majority at the second look blames nobody yet", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		for _, name := range []string{"b", "c"} {
			w.set(name, func(f *fake) { f.fork, f.from = name, 997 })
		}
		w.runInto()
		w.set("b", func(f *fake) { f.fork = "" })
		w.settle()
		require.False(t, w.chain().Split)
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
		w.round()
		require.Equal(t, "fork", w.hashes()["c"])
	})
	inBubble(t, "three sides have their common block as well", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 996 })
		w.set("c", func(f *fake) { f.fork, f.from = "y", 900 })
		w.run()
		require.True(t, w.chain().Split)
		require.Equal(t, chain.Some(uint64(899)), w.chain().CommonHeight)
	})
	inBubble(t, "the search ends where one side is pruned, and begins anew", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.set("b", func(f *fake) {
			f.fork, f.from = "x", 900
			f.answer = func(h uint64) error {
				if h < 990 {
					return chain.ErrPruned
				}
				return nil
			}
		})
		w.run()
		require.True(t, w.chain().Split)
		require.False(t, w.chain().CommonHeight.Known)
		require.Equal(t, []uint64{998, 998, 997, 996, 994, 990, 982}, w.requests()["b"])
	})
	inBubble(t, "the search stays within its budget", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.height = 1 << 40 })
		}
		w.set("b", func(f *fake) { f.fork, f.from = "x", 1 })
		w.run()
		require.True(t, w.chain().Split)
		require.False(t, w.chain().CommonHeight.Known)
		require.Len(t, w.requests()["b"], 2+searchBudget)
	})
	inBubble(t, "while one side is down the split stays", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.True(t, w.chain().Split)
		w.set("b", func(f *fake) { f.up = false })
		w.round()
		require.True(t, w.chain().Split)
	})
	inBubble(t, "the split ends with those of one side, though only one of the other is left", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.set("c", func(f *fake) { f.up = false })
		w.run()
		agreed := w.chain().AgreedAt
		require.True(t, w.chain().Split)
		w.spec.Members = []Member{w.spec.Members[0], w.spec.Members[2]}
		w.checker.Apply([]Chain{w.spec})
		require.False(t, w.chain().Split, "nobody contradicts the one that is left")
		require.True(t, w.chain().SplitSince.IsZero())
		require.False(t, w.chain().CommonHeight.Known)
		require.Equal(t, agreed, w.chain().AgreedAt)
		w.round()
		require.False(t, w.chain().Split)
	})
	inBubble(t, "the split stays while both sides do", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.set("c", func(f *fake) { f.up = false })
		w.run()
		w.spec.Members = w.spec.Members[:2]
		w.checker.Apply([]Chain{w.spec})
		require.True(t, w.chain().Split)
	})
	inBubble(t, "the split stays while nobody has compared who came in place of one side", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		w.set("a", func(f *fake) { f.up = false })
		w.add("d", "d")
		w.set("d", func(f *fake) { f.up = false })
		w.spec.Members = w.spec.Members[1:]
		w.checker.Apply([]Chain{w.spec})
		require.True(t, w.chain().Split)
		w.set("d", func(f *fake) { f.up, f.fork, f.from = true, "x", 990 })
		w.settle()
		require.False(t, w.chain().Split)
	})
	inBubble(t, "one whose own header contradicts it is blamed in a split as well", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.set("b", func(f *fake) { f.fork, f.from, f.transactions = "x", 990, transactions(8, 1, "e") })
		w.run()
		require.True(t, w.chain().Split)
		require.Equal(t, is("a", "unknown", "b", "incomplete"), w.transactions())
		w.set("a", func(f *fake) { f.transactions = transactions(8, 1, "e") })
		w.round()
		require.Equal(t, is("a", "incomplete", "b", "incomplete"), w.transactions())
	})
}

func TestCompareCamps(t *testing.T) {
	t.Parallel()
	say := func(standing standing, hash string) statement {
		return statement{standing: standing, block: chain.Block{Hash: hash}}
	}
	for _, c := range []struct {
		name string
		says []statement
		want sameness
	}{
		{"the same block", []statement{say(told, "x"), say(told, "x")}, sameBlock},
		{"other blocks", []statement{say(told, "x"), say(told, "x"), say(told, "y")}, otherBlocks},
		{"a block where the other has none is not common", []statement{say(told, "x"), say(skipped, "")}, otherBlocks},
		{"no block on either side", []statement{say(skipped, ""), say(skipped, "")}, skippedByAll},
		{"one gives no answer", []statement{say(told, "x"), say(silent, "")}, untold},
		{"one lacks it", []statement{say(skipped, ""), say(missing, "")}, untold},
	} {
		require.Equal(t, c.want, compareCamps(c.says), c.name)
	}
}

func TestCampsOf(t *testing.T) {
	t.Parallel()
	var tellers []statement
	for _, one := range []struct{ provider, operator, hash string }{
		{"a", "a", "1"}, {"b1", "b", "2"}, {"b2", "b", "2"}, {"b3", "b", "2"},
		{"c", "c", "3"}, {"d", "d", "4"}, {"e", "e", "9"}, {"f", "f", "9"},
	} {
		s := holder(one.provider, one.operator, "", chain.Optional[chain.Transactions]{})
		s.block.Hash = one.hash
		tellers = append(tellers, s)
	}
	require.Equal(t, []string{"e", "a", "b1", "c"}, names(campsOf(tellers)), "those of most operators first, and no more than four")
}
