package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/journal"
)

// remembered is what is known of a chain from before.
type remembered struct {
	state decision.State
	index uint64
	// floor is the highest generation that may have been used.
	floor uint64
}

// restore opens the journal and takes up what it holds.
func (c *Controller) restore(dir string) error {
	j, recovered, err := journal.Open(dir, journal.Options{Logger: c.logger.With("part", "journal")})
	if errors.Is(err, journal.ErrLocked) {
		return fmt.Errorf("--storage.path %s: %w: is another controller running there?", dir, err)
	}
	if err != nil {
		return fmt.Errorf("--storage.path %s: %w", dir, err)
	}
	c.journal = j
	c.fingerprints = newFingerprints(dir, c.logger)
	c.board = board.New(recovered.Reserved.Index)
	if err := c.recall(recovered); err != nil {
		// What was decided before is lost, not what is decided from now on.
		c.logger.Error("The snapshot of the journal cannot be used", "err", err)
	}
	if n := recovered.DroppedTotal; n > 0 {
		c.logger.Warn("Parts of the journal cannot be used", "pieces", n, "first", recovered.Dropped[0].Error())
	}
	return nil
}

// snapshot is the state that is kept for a fast start.
type snapshot struct {
	Chains map[string]savedChain `json:"chains"`
	Facts  facts.State           `json:"facts"`
}

// savedChain is a chain in a snapshot.
type savedChain struct {
	Index uint64         `json:"index"`
	State decision.State `json:"state"`
}

// recall takes up what the journal holds.
func (c *Controller) recall(r journal.Recovered) error {
	var saved snapshot
	var err error
	if r.Snapshot != nil {
		err = json.Unmarshal(r.Snapshot, &saved)
	}
	if err != nil {
		saved = snapshot{}
	}
	for name, chain := range saved.Chains {
		c.remembered[name] = remembered{state: chain.State, index: chain.Index}
	}
	for _, e := range r.Entries {
		var data entryData
		if json.Unmarshal(e.Data, &data) == nil && e.Chain != "" {
			c.remembered[e.Chain] = remembered{state: data.State, index: e.Index}
		}
	}
	for name, m := range c.remembered {
		m.floor = r.Reserved.Generations[name]
		c.remembered[name] = m
	}
	c.recalledFacts = saved.Facts
	return err
}

// showAgain puts up what was decided of a chain before the restart, so that it is
// answered at once; the first look corrects it. Who is another endpoint by now,
// or none, is not shown.
func (c *Controller) showAgain(o *owner, index uint64) {
	conf := o.conf.Load()
	active := o.state.Current.Provider
	if index == 0 || (active != "" && conf.endpoints[active] != o.state.Members[active].Endpoint) {
		return
	}
	var providers []decision.Provider
	for _, p := range conf.chain.Providers {
		providers = append(providers, decision.Provider{
			Name: p.Name, Endpoint: conf.endpoints[p.Name], Priority: p.Priority, Capabilities: p.Capabilities,
		})
	}
	c.board.Restore(o.name, index, &board.Decision{
		Config: conf.chain, Providers: providers, Policy: conf.policy, State: ofThese(o.state, conf.endpoints),
	})
}

// ofThese is a state without the providers that are other endpoints by now, or none:
// what is known of them is not known of whom their names stand for.
func ofThese(s decision.State, endpoints map[string]string) decision.State {
	s.Members = maps.Clone(s.Members)
	maps.DeleteFunc(s.Members, func(name string, m decision.Member) bool { return endpoints[name] != m.Endpoint })
	s.Fallbacks = slices.DeleteFunc(slices.Clone(s.Fallbacks), func(name string) bool {
		_, known := s.Members[name]
		return !known
	})
	return s
}
