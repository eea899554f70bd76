package integrity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

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
