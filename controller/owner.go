package controller

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/internal/config"
)

// owner owns the state of one chain: only its goroutine changes it.
type owner struct {
	c    *Controller
	name string
	// conf is what is configured now.
	conf atomic.Pointer[configured]
	// woken holds a value while a look is due.
	woken    chan struct{}
	commands chan command
	// stop ends the goroutine; nil before it began.
	stop context.CancelFunc
	done chan struct{}

	// What follows belongs to the goroutine.
	state decision.State
	floor uint64
	// index is that of the last decision; zero before the first.
	index uint64
	// posted is the configuration by which the last decision was made.
	posted *configured
}

// configured is a chain's configuration and what of it decisions depend on.
type configured struct {
	chain     config.Chain
	endpoints map[string]string
	// changed is when a provider came or its endpoint became another one. What
	// exporters were asked before that may be about another endpoint of its name.
	changed map[string]time.Time
	policy  decision.Policy
}

// command is an order of an operator, and where to answer.
type command struct {
	decision.Command
	answer chan error
}

func (c *Controller) newOwner(name string, from remembered) *owner {
	return &owner{
		c: c, name: name, woken: make(chan struct{}, 1), commands: make(chan command),
		done: make(chan struct{}), state: from.state, floor: from.floor, index: from.index,
	}
}

// configure makes what is configured fit for decisions. Before is what was
// configured until now; nil: nothing.
func (c *Controller) configure(chain config.Chain, before *configured) *configured {
	f := chain.Failover
	conf := &configured{chain: chain, endpoints: map[string]string{}, changed: map[string]time.Time{}}
	conf.policy.Recovery.RecoveryCheckInterval = f.RecoveryCheckInterval
	conf.policy.Recovery.MinRecoveryChecks = f.MinRecoveryChecks
	conf.policy.Recovery.FlapPenalty = f.FlapPenalty
	conf.policy.Selection = selection.Policy{
		Failback: selection.Failback(f.Failback), MinActiveTime: f.MinActiveTime,
		OnAllUnhealthy: selection.OnAllUnhealthy(f.OnAllUnhealthy),
	}
	for _, p := range chain.Providers {
		conf.endpoints[p.Name] = c.fingerprints.of(p)
		conf.changed[p.Name] = time.Now()
		if before != nil && before.endpoints[p.Name] == conf.endpoints[p.Name] {
			conf.changed[p.Name] = before.changed[p.Name]
		}
	}
	return conf
}

// wake asks for a look. It never blocks.
func (o *owner) wake() {
	select {
	case o.woken <- struct{}{}:
	default:
	}
}

// run looks at the chain whenever it is woken, until the context ends.
func (o *owner) run(ctx context.Context) {
	defer close(o.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var answer chan error
		var order *decision.Command
		select {
		case <-ctx.Done():
			return
		case <-o.woken:
		case <-timer.C:
		case c := <-o.commands:
			order, answer = &c.Command, c.answer
		}
		next, err := o.look(order)
		if answer != nil {
			answer <- err
		}
		if next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(max(time.Until(next), time.Millisecond))
		}
	}
}

// look decides from all there is, and says when to look again at the latest.
func (o *owner) look(order *decision.Command) (time.Time, error) {
	conf := o.conf.Load()
	// What is decided by is what is written down, and a journal has no monotonic
	// clock.
	now := time.Now().UTC().Round(0)
	if err := o.refuse(order, conf); err != nil {
		return now, err
	}
	l := o.c.see(conf, now)
	l.Command, l.Floor = order, o.floor
	out := decision.Decide(o.state, l)
	if out.Changed || conf != o.posted {
		o.commit(conf, l, out)
	}
	return out.Wake, nil
}

// refuse says why an order cannot be carried out.
func (o *owner) refuse(order *decision.Command, conf *configured) error {
	if order == nil {
		return nil
	}
	switch order.Kind {
	case decision.Failback:
		if !o.state.AwaitsApproval() {
			return api.ErrNothingAwaits
		}
	case decision.Unpin:
	default:
		known := func(p config.Provider) bool { return p.Name == order.Provider }
		if !slices.ContainsFunc(conf.chain.Providers, known) {
			return api.ErrUnknownProvider
		}
	}
	return nil
}

// commit writes an outcome down and then shows it.
func (o *owner) commit(conf *configured, l decision.Look, out decision.Outcome) {
	started := time.Now()
	index := o.c.board.Reserve()
	shown := false
	defer func() {
		if !shown {
			o.c.board.Abandon(index)
		}
	}()
	o.c.write(o.name, index, l, out)
	o.state, o.posted, o.index = out.State, conf, index
	o.c.board.Post(index, o.name, &board.Decision{
		Config: conf.chain, Providers: l.Providers, Policy: l.Policy, State: out.State,
	})
	shown = true
	o.c.announce(o.name, out, time.Since(started))
}

// command has an order carried out by the owner of a chain.
func (c *Controller) command(ctx context.Context, chain string, order decision.Command) error {
	c.mu.Lock()
	o, ok := c.owners[chain]
	c.mu.Unlock()
	if !ok {
		return api.ErrUnknownChain
	}
	answer := make(chan error, 1)
	select {
	case o.commands <- command{order, answer}:
	case <-o.done:
		return errors.New("the controller is stopping")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
