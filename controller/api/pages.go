package api

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// pages keeps the latest pages of each chain and of the list of all, so that the
// same is not rendered for every caller. It holds configured chains only,
// whatever callers ask for.
type pages struct {
	view View
	// chains are found without a lock; mu guards the replacement of the map.
	chains atomic.Pointer[map[string]*atomic.Pointer[edition]]
	mu     sync.Mutex
	list   atomic.Pointer[listEdition]
}

// edition is what the pages of a chain say, by form and by whether addresses are
// whole. A page is made when it is first asked for.
type edition struct {
	stamp  any
	active wire.Active
	pages  [2][2]atomic.Pointer[page]
}

// of is the page about a chain; nil if it is not configured.
func (c *pages) of(chain string, as form, whole bool) *page {
	e := c.edition(chain)
	if e == nil {
		return nil
	}
	place := &e.pages[as][oneIf(whole)]
	p := place.Load()
	if p == nil {
		p = activePage(e.active, as, whole, "")
		place.Store(p)
	}
	return p
}

// edition is the newest one of a chain. The stamp is read before what it stamps:
// at worst an edition is newer than its stamp and is made once more.
func (c *pages) edition(chain string) *edition {
	stamp := c.view.Stamp(chain)
	var place *atomic.Pointer[edition]
	if known := c.chains.Load(); known != nil {
		place = (*known)[chain]
	}
	if place != nil {
		if e := place.Load(); e != nil && e.stamp == stamp {
			return e
		}
	}
	active, ok := c.view.Active(chain, "")
	if !ok {
		if place != nil {
			c.drop(chain)
		}
		return nil
	}
	e := &edition{stamp: stamp, active: active}
	if place == nil {
		place = c.place(active.Chain)
	}
	place.Store(e)
	return e
}

// place makes room for a chain.
func (c *pages) place(chain string) *atomic.Pointer[edition] {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[string]*atomic.Pointer[edition]{}
	if known := c.chains.Load(); known != nil {
		if place, ok := (*known)[chain]; ok {
			return place
		}
		next = maps.Clone(*known)
	}
	place := &atomic.Pointer[edition]{}
	next[chain] = place
	c.chains.Store(&next)
	return place
}

// drop forgets a chain that is no longer configured.
func (c *pages) drop(chain string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := maps.Clone(*c.chains.Load())
	delete(next, chain)
	c.chains.Store(&next)
}

// listEdition is what the list of all chains says.
type listEdition struct {
	index  uint64
	names  []string
	stamps []any
	// torn: chains came or went while it was made, so that it serves once.
	torn  bool
	list  wire.ActiveList
	pages [2]atomic.Pointer[page]
}

// all is the page about all chains.
func (c *pages) all(whole bool) *page {
	e := c.list.Load()
	if e == nil || !c.isCurrent(e) {
		e = c.newList()
		c.list.Store(e)
	}
	place := &e.pages[oneIf(whole)]
	p := place.Load()
	if p == nil {
		p = listPage(e.list, whole, "")
		place.Store(p)
	}
	return p
}

// isCurrent says whether nothing has changed since a list was made. A chain
// comes or goes with a new index.
func (c *pages) isCurrent(e *listEdition) bool {
	if e.torn || c.view.Index() != e.index {
		return false
	}
	for i, name := range e.names {
		if c.view.Stamp(name) != e.stamps[i] {
			return false
		}
	}
	return true
}

// newList makes the list. As for a chain, the stamps are read before
// what they stamp.
func (c *pages) newList() *listEdition {
	e := &listEdition{index: c.view.Index()}
	for _, a := range c.view.Actives().Chains {
		e.names = append(e.names, a.Chain)
		e.stamps = append(e.stamps, c.view.Stamp(a.Chain))
	}
	e.list = c.view.Actives()
	if !slices.EqualFunc(e.names, e.list.Chains, func(name string, a wire.Active) bool { return name == a.Chain }) {
		e.torn = true
	}
	return e
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
