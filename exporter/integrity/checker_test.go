package integrity

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// inBubble runs a test with a clock of its own.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

func TestHashes(t *testing.T) {
	t.Parallel()
	inBubble(t, "all agree: one block each, and no more", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.transactions())
		require.Equal(t, map[string][]uint64{"a": {998}, "b": {998}, "c": {998}}, w.requests())
		require.EqualValues(t, 1, w.checker.Asked(key("a")))
		require.EqualValues(t, 998, w.result("a").CheckedHeight)
		require.EqualValues(t, 998, w.chain().AgreedHeight)
		require.False(t, w.chain().Split)
		require.Equal(t, chain.Some(true), w.result("a").TipVerified, "equal tips are free")
	})
	inBubble(t, "one fork against two: asked again with one of the majority, then blamed", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "fork", "c", "agrees"), w.hashes())
		require.Equal(t, "unknown", w.transactions()["b"], "transactions of another block do not compare")
		require.Equal(t, map[string][]uint64{"a": {998, 998}, "b": {998, 998}, "c": {998}}, w.requests())
		require.False(t, w.chain().Split)

		w.round()
		require.Equal(t, "fork", w.hashes()["b"])
		require.Equal(t, map[string][]uint64{"a": {998}, "b": {998}, "c": {998}}, w.requests(), "a fork that goes on takes no second look")

		w.set("b", func(f *fake) { f.up = false })
		w.round()
		require.Equal(t, "fork", w.hashes()["b"], "a verdict stands while the provider is down")
		require.Equal(t, map[string][]uint64{"a": {998}, "c": {998}}, w.requests(), "nobody asks one that is down")

		w.set("b", func(f *fake) { f.up, f.fork = true, "" })
		w.round()
		require.Equal(t, "agrees", w.hashes()["b"])
	})
	inBubble(t, "one fork against one operator with two URLs is a tie", func(t *testing.T) {
		w := newWorld(t, "a1", "a", "a2", "a", "b", "b")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, is("a1", "unknown", "a2", "unknown", "b", "unknown"), w.hashes())
		require.True(t, w.chain().Split)
	})
	inBubble(t, "a URL that disagrees with its own operator and another one is blamed", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b1", "b", "b2", "b")
		w.set("b2", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, is("a", "agrees", "b1", "agrees", "b2", "fork"), w.hashes())
	})
	inBubble(t, "the second look's reference is of an operator without suspects", func(t *testing.T) {
		w := newWorld(t, "a1", "a", "a2", "a", "b", "b", "c", "c")
		w.set("a2", func(f *fake) { f.fork, f.from = "x", 990 })
		w.run()
		require.Equal(t, is("a1", "agrees", "a2", "fork", "b", "agrees", "c", "agrees"), w.hashes())
		require.Equal(t, map[string][]uint64{"a1": {998}, "a2": {998, 998}, "b": {998, 998}, "c": {998}}, w.requests())
	})
	inBubble(t, "a reorganisation that reaches everybody between the looks blames nobody", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "new", 997 })
		w.runInto()
		for _, name := range []string{"a", "c"} {
			w.set(name, func(f *fake) { f.fork, f.from = "new", 997 })
		}
		w.settle()
		require.Equal(t, is("a", "agrees", "b", "unknown", "c", "agrees"), w.hashes())
		w.round()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
	})
	inBubble(t, "a race that ends between the looks blames nobody", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "old", 997 })
		w.runInto()
		w.set("b", func(f *fake) { f.fork = "" })
		w.settle()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "agrees"), w.hashes())
	})
	inBubble(t, "a suspect that fell below the height is not asked again, nor blamed", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("b", func(f *fake) { f.fork, f.from = "x", 990 })
		w.runInto()
		w.set("b", func(f *fake) { f.height = 997 })
		w.settle()
		require.Equal(t, "unknown", w.hashes()["b"])
		require.Equal(t, []uint64{998}, w.requests()["b"])
	})
	inBubble(t, "another block than the one asked for is no vote", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.off = 1 })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
	})
	inBubble(t, "errors, pruned blocks and no verdict are no vote", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c", "d", "d", "e", "e")
		for name, err := range map[string]error{
			"c": chain.ErrPruned, "d": &chain.Failure{Reason: chain.Timeout}, "e": &chain.NoVerdict{Cause: chain.CauseNoNetwork, Err: errors.New("x")},
		} {
			w.set(name, func(f *fake) { f.answer = func(uint64) error { return err } })
		}
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown", "d", "unknown", "e", "unknown"), w.hashes())
		require.Equal(t, map[string][]uint64{"a": {998}, "b": {998}, "c": {998}, "d": {998}, "e": {998}}, w.requests())
	})
	inBubble(t, "a panic while asking is no vote", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) { f.answer = func(uint64) error { panic("a defect") } })
		w.run()
		require.Equal(t, is("a", "agrees", "b", "agrees", "c", "unknown"), w.hashes())
	})
	inBubble(t, "one that asks to be left alone is left alone", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b", "c", "c")
		w.set("c", func(f *fake) {
			f.answer = func(uint64) error { return &chain.Failure{Reason: chain.RateLimited, Wait: 3 * time.Minute} }
		})
		w.run()
		w.requests()
		w.set("c", func(f *fake) { f.answer = nil })
		w.round()
		w.round()
		require.NotContains(t, w.requests(), "c")
		w.round()
		w.round()
		require.Contains(t, w.requests(), "c")
	})
	inBubble(t, "one with a long interval of its own is asked no more often", func(t *testing.T) {
		w := newWorld(t, "a", "a", "b", "b")
		w.spec.Members[1].Interval = 3 * time.Minute
		w.run()
		for range 6 {
			w.round()
		}
		require.Len(t, w.requests()["b"], 3, "at the start and every third minute")
	})
}
