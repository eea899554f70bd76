package integrity

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

const (
	// startPoll is how often tips are looked at until the first round can be, and
	// while there is a provider that no round has asked. It costs no request.
	startPoll = time.Second
	// minRound is the least time that a round has, however short the interval:
	// slow providers must be compared as well.
	minRound = 30 * time.Second
)

// worker is the goroutine of one chain.
type worker struct {
	generation uint64
	stop       context.CancelFunc
}

// Run checks the chains until ctx ends, one goroutine each. It returns nil when
// all of them are done.
func (c *Checker) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := map[string]worker{}
	for {
		c.reconcile(ctx, workers, &wg)
		select {
		case <-ctx.Done():
			return nil
		case <-c.changed:
		}
	}
}

// reconcile stops the workers of chains that are gone or changed and starts
// those that are missing.
func (c *Checker) reconcile(ctx context.Context, workers map[string]worker, wg *sync.WaitGroup) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, w := range workers {
		if now := c.chains[name]; now == nil || now.generation != w.generation {
			w.stop()
			delete(workers, name)
		}
	}
	for name, now := range c.chains {
		if _, running := workers[name]; running {
			continue
		}
		own, stop := context.WithCancel(ctx)
		workers[name] = worker{now.generation, stop}
		spec, generation := now.spec, now.generation
		wg.Go(func() { c.watch(own, spec, generation) })
	}
}

// watch does the rounds of one chain: the first as soon as two providers are
// up, one more as soon as a provider is up that was in none, since it may serve
// already, and the rest at the chain's phase of the interval.
func (c *Checker) watch(ctx context.Context, spec Chain, generation uint64) {
	interval := spec.Integrity.Interval
	next := nextTick(c.now(), interval, phase(spec.Name, interval))
	if !c.awaitTwo(ctx, spec, next) {
		return
	}
	// A tick right after the first round would only repeat it.
	from := c.now().Add(interval / 2)
	for {
		c.check(ctx, spec, generation)
		if now := c.now(); now.After(from) {
			from = now
		}
		next = nextTick(from, interval, phase(spec.Name, interval))
		newcomer, ok := c.awaitNewcomer(ctx, spec, next)
		if !ok {
			return
		}
		if from = next; newcomer {
			from = c.now().Add(interval / 2)
		}
	}
}

// awaitNewcomer waits until a provider is up that was in no round, beside another
// one, and at most until a time. It says whether there is one; ok is false if ctx
// ended.
func (c *Checker) awaitNewcomer(ctx context.Context, spec Chain, until time.Time) (newcomer, ok bool) {
	for {
		asked := c.everAsked(spec)
		if len(asked) == len(spec.Members) {
			return false, sleep(ctx, until.Sub(c.now()))
		}
		if !sleep(ctx, min(until.Sub(c.now()), startPoll)) {
			return false, false
		}
		up, fresh := 0, false
		for _, t := range c.tips(spec.Name) {
			if t.Up {
				up++
				fresh = fresh || !asked[t.Key]
			}
		}
		if fresh = fresh && up >= 2; fresh || !c.now().Before(until) {
			return fresh, true
		}
	}
}

// everAsked are the providers of a chain that a round has asked.
func (c *Checker) everAsked(spec Chain) map[prober.Key]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := map[prober.Key]bool{}
	for _, m := range spec.Members {
		if r := c.recordLocked(m.Key); r != nil && !r.begun.IsZero() {
			asked[m.Key] = true
		}
	}
	return asked
}

// awaitTwo waits until two providers are up, and at most until a time. It is
// false if ctx ended.
func (c *Checker) awaitTwo(ctx context.Context, spec Chain, until time.Time) bool {
	if len(spec.Members) < 2 {
		return sleep(ctx, until.Sub(c.now()))
	}
	for {
		up := 0
		for _, t := range c.tips(spec.Name) {
			if t.Up {
				up++
			}
		}
		rest := until.Sub(c.now())
		if up >= 2 || rest <= 0 {
			return ctx.Err() == nil
		}
		if !sleep(ctx, min(rest, startPoll)) {
			return false
		}
	}
}

// check is one round with its deadline.
func (c *Checker) check(ctx context.Context, spec Chain, generation uint64) {
	ctx, cancel := context.WithTimeout(ctx, max(spec.Integrity.Interval, minRound)+spec.SuspectCheckInterval)
	defer cancel()
	r := c.newRound(spec, generation)
	if r == nil {
		return
	}
	r.run(ctx)
	r.publish(ctx)
}

// phase is where in the interval a chain has its rounds, so that the chains do
// not ask all at once, nor elsewhere after a restart.
func phase(name string, interval time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return time.Duration(h.Sum64() % uint64(interval))
}

// nextTick is the first time after now that is at the phase of the interval.
func nextTick(now time.Time, interval, phase time.Duration) time.Time {
	since := (time.Duration(now.UnixNano()) - phase) % interval
	if since < 0 {
		since += interval
	}
	return now.Add(interval - since)
}

// sleep waits, and is false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}
