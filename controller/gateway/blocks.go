package gateway

import (
	"slices"
	"sync"
)

// Block is a block as a provider told of it. Hashes are in any case, with or
// without 0x; "" is one that is not known.
type Block struct {
	Height       uint64
	Hash, Parent string
}

// blocksKept is how many heights are remembered.
const blocksKept = 256

// blocks are the hashes of the newest blocks by those who told of them, in probes
// and in answers. They show that a provider follows another chain than the others
// before anybody has compared them on purpose. Its memory is bounded: a height
// takes the place of the one blocksKept below or above it.
type blocks struct {
	mu    sync.Mutex
	slots [blocksKept]slot
}

// slot is one height.
type slot struct {
	height uint64
	// told are few: one for each provider.
	told []told
}

type told struct{ provider, hash string }

// see remembers a block that a provider told of.
func (b *blocks) see(provider string, block Block) {
	hash, parent := normalHash(block.Hash), normalHash(block.Parent)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.putLocked(provider, block.Height, hash)
	if block.Height > 0 {
		b.putLocked(provider, block.Height-1, parent)
	}
}

func (b *blocks) putLocked(provider string, height uint64, hash string) {
	if hash == "" {
		return
	}
	s := &b.slots[height%blocksKept]
	if s.height != height {
		if s.height > height && s.height < height+2*blocksKept {
			// An old block does not take the place of a new one.
			return
		}
		s.height, s.told = height, s.told[:0]
	}
	for i := range s.told {
		if s.told[i].provider == provider {
			s.told[i].hash = hash
			return
		}
	}
	s.told = append(s.told, told{provider, hash})
}

// forget drops what a provider told, since it is another one under the same name.
func (b *blocks) forget(provider string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.slots {
		s := &b.slots[i]
		s.told = slices.DeleteFunc(s.told, func(t told) bool { return t.provider == provider })
	}
}

// hold says whether most operators told of another block at the claim's height or
// below it. What is claimed is remembered in any case, as its provider's word: so a
// reorganisation is believed as soon as enough providers have answered with it.
func (b *blocks) hold(route *Route, e *Endpoint, c claim) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.putLocked(e.Provider, c.height, c.hash)
	outvoted := b.outvotedLocked(route, e, c.height, c.hash)
	if c.height > 0 {
		b.putLocked(e.Provider, c.height-1, c.parent)
		outvoted = outvoted || b.outvotedLocked(route, e, c.height-1, c.parent)
	}
	return outvoted
}

// outvotedLocked says whether more operators told of one other block than of this
// one. Whoever may not serve has no vote.
func (b *blocks) outvotedLocked(route *Route, e *Endpoint, height uint64, hash string) bool {
	s := &b.slots[height%blocksKept]
	if hash == "" || s.height != height {
		return false
	}
	most := 0
	for i := range s.told {
		if other := s.told[i].hash; other != hash {
			most = max(most, s.operators(route, e, other))
		}
	}
	return most > 1+s.operators(route, e, hash)
}

// operators counts the operators beside the endpoint's own that told of a hash.
func (s *slot) operators(route *Route, e *Endpoint, hash string) int {
	var room [8]string
	seen := room[:0]
	for i := range s.told {
		if s.told[i].hash != hash {
			continue
		}
		if operator := route.operator(s.told[i].provider); operator != "" && operator != e.Operator && !slices.Contains(seen, operator) {
			seen = append(seen, operator)
		}
	}
	return len(seen)
}

// operator is who runs a provider that may be asked; "" for others.
func (r *Route) operator(provider string) string {
	for i := range r.Endpoints {
		if r.Endpoints[i].Provider == provider {
			return r.Endpoints[i].Operator
		}
	}
	return ""
}

// Saw takes in a block that a probe of a provider found. It costs little, and may
// be told of every probe. It is false for a chain that is not known, or not yet.
func (g *Gateway) Saw(chain, provider string, block Block) bool {
	route, ok := g.options.Router.Route(chain)
	if ok && block.Hash != "" {
		g.lane(&route).blocks.see(provider, block)
	}
	return ok
}
