package prober

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// TestAnyUseAtOnce reloads, reads and looks from many goroutines while probes
// end in every way.
func TestAnyUseAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { useAtOnce(t, seed) })
		})
	}
}

// looked is the provider that somebody looks at now and then.
var looked = Key{"btc", "3"}

// crowd hands out Askers and watches how many probes of a key are under way.
type crowd struct {
	mu     sync.Mutex
	random *rand.Rand
	askers []*fakeAsker
	busy   map[Key]int
	most   int
	looks  int
}

// asker is a new Asker of a key. Its probes take up to twelve seconds and end in
// any way, some of them deaf to their cancellation.
func (c *crowd) asker(key Key) *fakeAsker {
	a := &fakeAsker{}
	a.answer = func(ctx context.Context, n int) (chain.Observation, error) {
		c.mu.Lock()
		c.busy[key]++
		scheduled := c.busy[key]
		if key == looked {
			scheduled -= c.looks
		}
		c.most = max(c.most, scheduled)
		takes, ends := time.Duration(c.random.IntN(12_000))*time.Millisecond, c.random.IntN(6)
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.busy[key]--
		}()
		if ends == 0 {
			time.Sleep(takes)
		} else {
			select {
			case <-time.After(takes):
			case <-ctx.Done():
			}
		}
		switch ends {
		case 1:
			return chain.Observation{}, &chain.Failure{Reason: chain.Timeout}
		case 2:
			return chain.Observation{}, &chain.Failure{Reason: chain.Busy, Wait: takes}
		case 3:
			panic("a defect")
		case 4:
			return chain.Observation{}, &chain.NoVerdict{Cause: chain.CauseNoNetwork, Err: context.Canceled}
		}
		return goodAnswer(uint64(n) + 1)
	}
	c.askers = append(c.askers, a)
	return a
}

func useAtOnce(t *testing.T, seed uint64) {
	c := &crowd{random: rand.New(rand.NewPCG(seed, 0)), busy: map[Key]int{}}
	s := New(Options{Concurrency: 5})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var users sync.WaitGroup
	use := func(every time.Duration, what func()) {
		users.Go(func() {
			for ctx.Err() == nil {
				what()
				time.Sleep(every)
			}
		})
	}
	current := map[Key]*fakeAsker{}
	use(1700*time.Millisecond, func() { s.Apply(c.reload(current)) })
	use(900*time.Millisecond, func() {
		for _, status := range s.Snapshot() {
			_, _ = s.Status(status.Key)
			_, _ = s.History(status.Key)
		}
	})
	use(7*time.Second, func() {
		c.looking(1)
		defer c.looking(-1)
		_, _ = s.Look(ctx, looked)
	})
	require.NoError(t, s.Run(ctx))
	users.Wait()
	s.Apply(nil)

	require.LessOrEqual(t, c.most, 1, "scheduled probes of one key at once")
	probes := 0
	for _, asker := range c.askers {
		n, _ := asker.seen()
		probes += n
	}
	require.Greater(t, probes, 300, "or this test tests nothing")
}

// looking notes that somebody looks, or no longer does.
func (c *crowd) looking(by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks += by
}

// reload is another desired set: some providers leave, some come, some are
// replaced and some have another policy.
func (c *crowd) reload(current map[Key]*fakeAsker) (targets []Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range 10 {
		key := Key{"btc", fmt.Sprint(i)}
		switch c.random.IntN(12) {
		case 0:
			delete(current, key)
		case 1:
			current[key] = c.asker(key)
		}
		if asker := current[key]; asker != nil {
			target := targetOf(key, asker)
			target.Interval = time.Duration(1+c.random.IntN(3)) * 5 * time.Second
			targets = append(targets, target)
		}
	}
	return targets
}
