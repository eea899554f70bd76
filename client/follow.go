package client

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// position is what a chain's requests go by. It never changes; a new one takes
// its place.
type position struct {
	active wire.Active
	// routes are the provider that serves and its fallbacks, the next one first. A
	// state none keeps those of the answer before.
	routes []route
}

// follower keeps the position of one chain up to date.
type follower struct {
	c     *Client
	chain string
	// asked is closed when the first question has ended, well or not.
	asked chan struct{}

	mu        sync.Mutex
	position  *position
	confirmed time.Time
	err       error
}

func newFollower(c *Client, chain string) *follower {
	return &follower{c: c, chain: chain, asked: make(chan struct{}), position: &position{}}
}

// end stands for the one and only question of a client that is closed.
func (f *follower) end() {
	f.err = ErrClosed
	close(f.asked)
}

// run asks until the context ends.
func (f *follower) run(ctx context.Context) {
	var ended sync.Once
	defer ended.Do(func() { close(f.asked) })
	p := newPoller(f.c, f.chain)
	wait, missing := p.wait, false
	known := map[string]wire.Provider{}
	for {
		changed, err := p.step(ctx)
		if ctx.Err() != nil {
			f.lost()
			return
		}
		// A change is in force before the addresses of the fallbacks are known, which
		// takes a second question.
		f.publish(p.held, known, err)
		ended.Do(func() { close(f.asked) })
		if err != nil || (!changed && !missing) {
			continue
		}
		if len(p.held.Fallbacks) > 0 {
			if found, err := f.addresses(ctx); err == nil {
				known = found
				f.publish(p.held, known, nil)
			}
		}
		p.wait = wait
		if missing = lacks(p.held, known); missing {
			p.wait = min(wait, retell)
		}
	}
}

// lost says why nothing comes any more, where nothing ever came.
func (f *follower) lost() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = cmp.Or(f.err, ErrClosed)
}

// publish puts the latest answer, or the lack of one, in force.
func (f *follower) publish(active wire.Active, known map[string]wire.Provider, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	if err != nil {
		return
	}
	f.confirmed = time.Now()
	routes := f.position.routes
	if active.State != wire.StateNone {
		first, err := newRoute(nameOf(active), active.Type, active.RPCHost)
		if err != nil {
			f.err = err
			return
		}
		routes = append([]route{first}, fallbacks(active, known)...)
	}
	f.position = &position{active: active, routes: routes}
}

// fallbacks are the routes to those fallbacks whose address is known.
func fallbacks(active wire.Active, known map[string]wire.Provider) []route {
	var routes []route
	for _, name := range active.Fallbacks {
		p, ok := known[name]
		if !ok || name == nameOf(active) {
			continue
		}
		if r, err := newRoute(p.Name, p.Type, p.RPCHost); err == nil {
			routes = append(routes, r)
		}
	}
	return routes
}

// lacks says whether the address of a fallback is not known.
func lacks(active wire.Active, known map[string]wire.Provider) bool {
	return slices.ContainsFunc(active.Fallbacks, func(name string) bool { _, ok := known[name]; return !ok })
}

// addresses are the providers of the chain by name.
func (f *follower) addresses(ctx context.Context) (map[string]wire.Provider, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	chain, err := f.c.askChain(ctx, f.chain)
	known := make(map[string]wire.Provider, len(chain.Providers))
	for _, p := range chain.Providers {
		known[p.Name] = p
	}
	return known, err
}

// latest is the position in force, and why the latest question failed.
func (f *follower) latest() (*position, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position, f.err
}

// status is what is told about it.
func (f *follower) status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Status{Active: f.position.active, Err: f.err}
	if !f.confirmed.IsZero() {
		s.Age = time.Since(f.confirmed)
	}
	return s
}
