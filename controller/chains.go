package controller

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Apply puts a configuration in force. Chains that are still there keep their
// state; those that are gone are taken down and remembered, in case they come
// back.
func (c *Controller) Apply(cfg config.Config) { c.apply(cfg, false) }

// apply puts a configuration in force. At the start it shows what was decided
// before.
func (c *Controller) apply(cfg config.Config, starting bool) {
	c.applying.Lock()
	defer c.applying.Unlock()
	if c.ended {
		return
	}
	targets := map[string][]string{}
	for _, chain := range cfg.Chains {
		for _, p := range chain.Providers {
			targets[chain.Name] = append(targets[chain.Name], p.Name)
		}
	}
	c.facts.Apply(targets)
	for _, err := range c.transports.apply(cfg) {
		c.logger.Error("The gateway will not ask a provider", "err", err)
	}
	c.routes.round.Add(1)
	c.routes.by.Clear()
	for _, o := range c.goneWithout(targets) {
		c.retire(o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, chain := range cfg.Chains {
		o, known := c.owners[chain.Name]
		if known {
			o.conf.Store(c.configure(chain, o.conf.Load()))
			o.wake()
			continue
		}
		before := c.remembered[chain.Name]
		o = c.newOwner(chain.Name, before)
		c.owners[chain.Name] = o
		o.conf.Store(c.configure(chain, nil))
		if starting {
			c.showAgain(o, before.index)
		}
		c.startLocked(o)
	}
}

// endApplying keeps further configurations from being put in force: what they lead
// to would be shown without being in the journal, which is about to be closed.
func (c *Controller) endApplying() {
	c.applying.Lock()
	defer c.applying.Unlock()
	c.ended = true
}

// goneWithout takes out the owners of chains that are not among the configured.
func (c *Controller) goneWithout(targets map[string][]string) []*owner {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gone []*owner
	for name, o := range c.owners {
		if _, configured := targets[name]; !configured {
			gone = append(gone, o)
			delete(c.owners, name)
		}
	}
	return gone
}

// retire ends an owner and takes its chain down.
func (c *Controller) retire(o *owner) {
	if o.stop != nil {
		o.stop()
		<-o.done
	}
	c.mu.Lock()
	c.remembered[o.name] = remembered{state: o.state, floor: o.floor, index: o.index}
	c.mu.Unlock()
	c.board.Remove(c.board.Reserve(), o.name)
	c.switches.forget(o.name)
	c.logger.Info("Chain no longer configured", "chain", o.name)
}

// wake lets chains be looked at.
func (c *Controller) wake(chains []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range chains {
		if o, ok := c.owners[name]; ok {
			o.wake()
		}
	}
}

// wakeAll lets every chain be looked at.
func (c *Controller) wakeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.owners {
		o.wake()
	}
}

// received takes in that a webhook was.
func (c *Controller) received(r facts.Receipt) {
	c.wake(r.Chains)
	if len(r.Chains) > 0 {
		c.overview.Changed()
	}
	if r.Read && c.reader != nil {
		c.reader.Ask()
	}
}

// reconciled takes in what a reading of Alertmanager's API changed.
func (c *Controller) reconciled(chains []string) {
	c.wake(chains)
	if len(chains) > 0 {
		c.overview.Changed()
	}
}

// sweepEvery bounds how late an expiry is noticed that was not foreseen.
const sweepEvery = time.Second

// sweep drops facts that nobody confirms, and notices when the watchdog falls
// silent.
func (c *Controller) sweep(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	ruling := c.facts.Ruling(time.Now())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := time.Now()
		touched := c.facts.Sweep(now)
		if r := c.facts.Ruling(now); r.Source != ruling.Source {
			c.logger.Warn("Other facts rule now", "source", r.Source.String(), "before", ruling.Source.String(), "watchdog_age", r.Age)
			ruling = r
			c.wakeAll()
		}
		c.wake(touched)
		if len(touched) > 0 {
			c.overview.Changed()
		}
	}
}

// Chains are the names of the configured chains, sorted.
func (c *Controller) Chains() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.owners))
}
