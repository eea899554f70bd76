package integrity

import (
	"context"
	"testing"
	"time"

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

func TestApply(t *testing.T) {
	t.Parallel()
	blamed := func(t *testing.T) *world {
		t.Helper()
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, "fork", w.hashes()["b"])
		w.requests()
		return w
	}
	inBubble(t, "the same again disturbs nothing", func(t *testing.T) {
		w := blamed(t)
		for range 100 {
			w.checker.Apply([]Chain{w.spec})
		}
		w.settle()
		require.Empty(t, w.requests())
		require.Equal(t, "fork", w.hashes()["b"])
	})
	inBubble(t, "those who stay keep their results, and a round follows soon", func(t *testing.T) {
		w := blamed(t)
		w.set("b", func(f *fake) { f.up = false })
		w.add("d", "d")
		w.checker.Apply([]Chain{w.spec})
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees", "d", "unknown"), w.hashes())
		require.EqualValues(t, 2, w.checker.Asked(key("b")))
		w.settle()
		require.Equal(t, map[string][]uint64{"a": {998}, "c": {998}, "d": {998}}, w.requests())
	})
	inBubble(t, "another source under the same name begins anew", func(t *testing.T) {
		w := blamed(t)
		w.spec.Members[1].Blocks = &fake{world: w, name: "b", up: true, height: 1000}
		w.checker.Apply([]Chain{w.spec})
		require.Equal(t, "unknown", w.hashes()["b"])
		require.EqualValues(t, 2, w.checker.Asked(key("b")), "the counter goes on")
		w.settle()
		require.Equal(t, "agrees", w.hashes()["b"])
	})
	inBubble(t, "with nobody left to compare with, what comparison found is dropped", func(t *testing.T) {
		w := blamed(t)
		w.spec.Members = w.spec.Members[1:2]
		w.checker.Apply([]Chain{w.spec})
		require.Equal(t, is("b", "unknown"), w.hashes())
		require.True(t, w.chain().AgreedAt.IsZero())
	})
	inBubble(t, "a chain that is gone, or not to be checked, has no results and is asked nothing", func(t *testing.T) {
		w := blamed(t)
		w.spec.Integrity.Enabled = false
		w.checker.Apply([]Chain{w.spec})
		_, ok := w.checker.Result(key("b"))
		require.False(t, ok)
		_, ok = w.checker.ChainResult("c")
		require.False(t, ok)
		require.Zero(t, w.checker.Asked(key("b")))
		w.round()
		require.Empty(t, w.requests())
	})
	inBubble(t, "answers from before a change are dropped", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		// The provider answers late and minds no cancellation.
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.runInto()
		old := w.spec
		w.set("b", func(f *fake) { f.up = false })
		w.spec.MaxBlockLead = 31
		w.checker.Apply([]Chain{w.spec})
		late := w.checker.newRound(old, 1)
		require.Nil(t, late, "a round of the old definition does not begin")
		w.settle()
		require.Equal(t, "unknown", w.hashes()["b"], "the second look of the old round came to nothing")
	})
	inBubble(t, "a chain that comes after the start is checked", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		spec := w.spec
		w.spec.Members = nil
		w.run()
		w.checker.Apply([]Chain{spec})
		w.settle()
		require.Len(t, w.requests(), 2)
	})
}

func TestLateRoundIsDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "a", "b", "b")
	w.checker.Apply([]Chain{w.spec})
	r := w.checker.newRound(w.spec, 1)
	require.NotNil(t, r)
	r.run(context.Background())
	w.spec.MaxBlockLead++
	w.checker.Apply([]Chain{w.spec})
	r.publish(context.Background())
	require.Equal(t, is("a", "unknown", "b", "unknown"), w.hashes())

	r = w.checker.newRound(w.spec, 2)
	r.run(context.Background())
	r.publish(context.Background())
	require.Equal(t, is("a", "agrees", "b", "agrees"), w.hashes())
}

func TestRun(t *testing.T) {
	t.Parallel()
	inBubble(t, "the first round waits for two providers", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.up = false })
		}
		w.start()
		time.Sleep(5 * time.Second)
		require.Empty(t, w.requests())
		w.set("a", func(f *fake) { f.up = true })
		time.Sleep(2 * time.Second)
		require.Equal(t, map[string][]uint64{"a": {998}, "c": {998}}, w.requests())
	})
	inBubble(t, "one that comes up after the first round is compared at once", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.up, f.fork, f.from = false, "x", 990 })
		w.run()
		w.set("c", func(f *fake) { f.up = true })
		w.settle()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "fork"), w.hashes())
		w.requests()
		w.set("c", func(f *fake) { f.up = false })
		w.settle()
		w.set("c", func(f *fake) { f.up = true })
		w.settle()
		require.Empty(t, w.requests(), "one that was compared before waits for the next round")
	})
	inBubble(t, "another source under the same name is compared as soon as it is up", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.run()
		moved := &fake{world: w, name: "c", height: 1000, fork: "x", from: 990}
		w.fakes["c"], w.spec.Members[2].Blocks = moved, moved
		w.checker.Apply([]Chain{w.spec})
		w.settle()
		require.Equal(t, "unknown", w.hashes()["c"])
		w.set("c", func(f *fake) { f.up = true })
		w.settle()
		require.Equal(t, "fork", w.hashes()["c"])
	})
	inBubble(t, "one that never tells its block causes no rounds of its own", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.answer = func(uint64) error { return chain.ErrPruned } })
		w.run()
		w.requests()
		time.Sleep(10 * interval)
		require.Len(t, w.requests()["c"], 10)
	})
	inBubble(t, "a tick right after the first round is left out", func(t *testing.T) {
		tick := nextTick(time.Now(), interval, phase("c", interval))
		time.Sleep(time.Until(tick) - 5*time.Second)
		w := newWorld(t, "a", "a", "b", "b")
		w.run()
		require.Len(t, w.requests()["a"], 1)
		w.round()
		require.Len(t, w.requests()["a"], 1)
	})
	inBubble(t, "rounds come once in each interval", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.run()
		w.requests()
		w.round()
		w.requests()
		time.Sleep(10 * interval)
		require.Len(t, w.requests()["a"], 10)
	})
	inBubble(t, "a provider that never answers does not hold the next round up for long", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.latency = time.Hour })
		w.run()
		time.Sleep(2 * interval)
		require.GreaterOrEqual(t, len(w.requests()["a"]), 2)
		require.Equal(t, "agrees", w.hashes()["a"], "the others are compared all the same")
	})
	inBubble(t, "rounds that take longer than the interval do not pile up", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.latency = time.Hour })
		w.start()
		time.Sleep(20 * interval)
		require.LessOrEqual(t, len(w.requests()["a"]), 11, "each of 62 s ends after the next tick")
	})
	inBubble(t, "slow providers are compared however short the interval", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.spec.Integrity.Interval = 100 * time.Millisecond
		for _, name := range []string{"a", "b"} {
			w.set(name, func(f *fake) { f.latency = 3 * time.Second })
		}
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees"), w.hashes())
	})
}

func TestFirstTick(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)
	for _, c := range []struct {
		name  string
		phase time.Duration
		want  time.Duration
	}{
		{"later in this interval", 40 * time.Second, 10 * time.Second},
		{"right now is the next one", 30 * time.Second, time.Minute},
		{"earlier in the next interval", 20 * time.Second, 50 * time.Second},
	} {
		require.Equal(t, c.want, nextTick(now, time.Minute, c.phase).Sub(now), c.name)
	}
	require.Equal(t, phase("btc", time.Minute), phase("btc", time.Minute))
	require.NotEqual(t, phase("btc", time.Minute), phase("eth", time.Minute))
	require.Less(t, phase("btc", time.Millisecond), time.Millisecond)
}
