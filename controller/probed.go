package controller

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/observation"
)

// probed tells of probes that ended since the last look, as the exporters see them
// together. Only what evaluates uses it.
type probed struct {
	tell func(chain, provider string, good bool)
	// last is when the newest probe ended that was told of.
	last map[observation.Key]time.Time
}

// look tells of what is new, for a gateway apart from the exporters: what is in
// their samples is all that it can learn of probes. As with an exporter in the same
// process, it is not known how a probe ended that only found an unproven network.
func (p *probed) look(c *Controller, now time.Time) {
	if p.tell == nil {
		return
	}
	before := p.last
	p.last = make(map[observation.Key]time.Time, len(before))
	for _, key := range c.configuredProviders() {
		seen := c.observations.Provider(key, now)
		if !seen.Probed {
			continue
		}
		p.last[key] = seen.ProbedAt
		if !seen.ProbedAt.Equal(before[key]) && (seen.Good || seen.ConsecutiveErrors > 0) {
			p.tell(key.Chain, key.Provider, seen.Good)
		}
	}
}

// configuredProviders are those of all chains.
func (c *Controller) configuredProviders() []observation.Key {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys []observation.Key
	for chain, o := range c.owners {
		for _, p := range o.conf.Load().chain.Providers {
			keys = append(keys, observation.Key{Chain: chain, Provider: p.Name})
		}
	}
	return keys
}
