package client

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// shortest and longest are the pauses after a question that failed: they double
	// from one to the other.
	shortest = 250 * time.Millisecond
	longest  = 15 * time.Second
	// longestIdle bounds the pause after an answer without news that came sooner
	// than it should have: from a controller, or something before it, that does
	// not wait. It is how often such a controller is asked.
	longestIdle = 2 * time.Second
	// soon is what counts as sooner than it should have.
	soon = time.Second
	// retell is how often to ask for what may change without the index: the best
	// provider with a capability, and addresses of fallbacks that are missing.
	retell = 5 * time.Second
	// gap lies between any two questions.
	gap = 100 * time.Millisecond
)

// relation is how an answer stands to the one that is held.
type relation int

const (
	// relationSame: it confirms the held one, perhaps with other particulars.
	relationSame relation = iota
	// relationNewer: it replaces it.
	relationNewer
	// relationOlder: it is from before the held one, or from a controller that does
	// not know of it.
	relationOlder
)

// replaces says how an answer stands to the one that is held.
//
// Within one life of a controller index and generation only grow, restarts
// included. An answer that has a smaller one is from a replica that lags, from
// something that caches, or from a controller that has lost its journal. Since
// tells the last case apart: a choice made after the one that is held can not be
// one that it has superseded. A journal restored from a backup is not told apart
// this way; the poller gives in to it when nothing else answers for a while.
func replaces(held, got wire.Active) relation {
	switch {
	case got.Index > held.Index && got.Generation >= held.Generation:
		return relationNewer
	case got.Index == held.Index && got.Generation == held.Generation:
		return relationSame
	case !held.Since.IsZero() && got.Since.After(held.Since):
		return relationNewer
	}
	return relationOlder
}

// nameOf is the name of the provider that serves; empty if none does.
func nameOf(a wire.Active) string {
	if a.Provider == nil {
		return ""
	}
	return *a.Provider
}

// differs says whether two answers would lead requests elsewhere.
func differs(a, b wire.Active) bool {
	return a.Index != b.Index || a.Generation != b.Generation || a.State != b.State || nameOf(a) != nameOf(b) ||
		a.Type != b.Type || a.RPCHost != b.RPCHost || !slices.Equal(a.Fallbacks, b.Fallbacks)
}

// poller asks about one chain again and again and holds the last good answer. It
// belongs to one goroutine.
type poller struct {
	c     *Client
	chain string

	held wire.Active
	has  bool
	etag string
	// wait is how long the next question may stay open.
	wait time.Duration

	// pause is how long to rest before the next question.
	pause    time.Duration
	failures int
	idle     int
	// older is when the first of an unbroken run of older answers came; zero: none.
	older time.Time
}

func newPoller(c *Client, chain string) *poller {
	p := &poller{c: c, chain: chain, wait: c.o.Wait}
	if c.o.Capability != "" {
		p.wait = min(p.wait, retell)
	}
	return p
}

// step rests as long as it must, asks once, and says whether the held answer has
// changed. Its error is that of the context, once that has ended, or says why
// there was no good answer.
func (p *poller) step(ctx context.Context) (changed bool, err error) {
	if err := rest(ctx, p.pause); err != nil {
		return false, err
	}
	q := question{etag: p.etag}
	// After a failure the question is a plain one: it is answered at once, and gets
	// through where something on the way cuts long ones.
	if p.has && p.failures == 0 {
		q.index, q.wait = p.held.Index, p.wait
	}
	began := time.Now()
	asking, cancel := context.WithTimeout(ctx, q.wait+answerTime)
	defer cancel()
	r, err := p.c.askActive(asking, p.chain, q)
	now := time.Now()
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		p.failures++
		p.pause = backoff(p.failures, longest)
		return false, err
	}
	p.failures = 0
	changed = p.take(r, now)
	if changed || now.Sub(began) >= soon {
		p.idle, p.pause = 0, gap
	} else {
		p.idle++
		p.pause = backoff(p.idle, longestIdle)
	}
	return changed, nil
}

// take holds an answer if it may replace the held one.
func (p *poller) take(r reply, now time.Time) (changed bool) {
	if r.unchanged {
		p.older = time.Time{}
		return false
	}
	if p.has {
		if replaces(p.held, r.active) != relationOlder {
			p.older = time.Time{}
		} else if p.older.IsZero() {
			p.older = now
		}
		if !p.older.IsZero() && now.Sub(p.older) < p.c.o.Settle {
			return false
		}
	}
	changed = !p.has || differs(p.held, r.active)
	p.held, p.has, p.etag, p.older = r.active, true, r.etag, time.Time{}
	return changed
}

// backoff is the pause after the n-th disappointment in a row, counted from 1:
// between half of and the whole of a time that doubles up to a bound, at random,
// so that many clients do not come back at the same moment.
func backoff(n int, bound time.Duration) time.Duration {
	d := min(shortest<<min(max(n-1, 0), 10), bound)
	return d/2 + rand.N(d/2+1)
}

// rest returns early, with the context's error, when that ends.
func rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
