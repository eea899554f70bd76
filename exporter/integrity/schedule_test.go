package integrity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

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
