// Package board shows what was decided: for every chain the last decision, in
// the order of their indexes, and who waits for the next one.
//
// A decision comes here once it is in the journal, and never changes any more.
// The board decides nothing and remembers no past; what providers report from
// probe to probe is not on it.
//
// Invariants: decisions become visible in the order of their indexes, over all
// chains, so that whoever has seen an index has missed nothing before it.
// Waiting takes no goroutine of the board's.
package board

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Board holds the last decision of every chain. Make it with New; its methods
// may be called at the same time.
type Board struct {
	// current is what readers see.
	current atomic.Pointer[Sheet]

	// mu guards what follows, and the replacement of current.
	mu sync.Mutex
	// reserved is the last index that was given out.
	reserved uint64
	// early are decisions that must wait until those before them are here.
	early map[uint64]posting
}

// posting is a decision about a chain; without a decision, the chain is gone, or
// the index stays unused if there is no chain either.
type posting struct {
	chain    string
	decision *Decision
}

// Sheet is the board at a moment. It does not change any more.
type Sheet struct {
	// Index is the highest one that is visible.
	Index uint64
	// Chains are the last decisions and their indexes, by chain.
	Chains map[string]Posted
	// Gone are the last decisions of chains that were taken down since the start,
	// with the index under which they were.
	Gone map[string]Posted
	// changed is closed when the next sheet comes.
	changed chan struct{}
}

// Posted is a decision with its index.
type Posted struct {
	Index    uint64
	Decision *Decision
}

// Names are the chains in the order of their names.
func (s *Sheet) Names() []string { return slices.Sorted(maps.Keys(s.Chains)) }

// New makes an empty board whose indexes go on above last.
func New(last uint64) *Board {
	b := &Board{reserved: last, early: map[uint64]posting{}}
	b.current.Store(&Sheet{Index: last, Chains: map[string]Posted{}, Gone: map[string]Posted{}, changed: make(chan struct{})})
	return b
}

// Sheet is what the board shows now.
func (b *Board) Sheet() *Sheet { return b.current.Load() }

// Reserve gives out the next index. It must be followed by Post, Remove or
// Abandon of that index, or nothing after it becomes visible.
func (b *Board) Reserve() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved++
	return b.reserved
}

// Restore puts up a decision of before, with the index that it had. It is for
// the start, before anything is reserved or read.
func (b *Board) Restore(chain string, index uint64, decision *Decision) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.current.Load()
	next := &Sheet{Index: s.Index, Chains: maps.Clone(s.Chains), Gone: s.Gone, changed: s.changed}
	next.Chains[chain] = Posted{index, decision}
	b.current.Store(next)
}

// Post puts up a decision.
func (b *Board) Post(index uint64, chain string, decision *Decision) {
	b.put(index, posting{chain, decision})
}

// Remove takes down a chain that is no longer configured.
func (b *Board) Remove(index uint64, chain string) { b.put(index, posting{chain: chain}) }

// Abandon leaves an index unused.
func (b *Board) Abandon(index uint64) { b.put(index, posting{}) }

// put makes a posting visible as soon as those before it are.
func (b *Board) put(index uint64, p posting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.early[index] = p
	s := b.current.Load()
	if _, due := b.early[s.Index+1]; !due {
		return
	}
	next := &Sheet{Index: s.Index, Chains: maps.Clone(s.Chains), Gone: s.Gone, changed: make(chan struct{})}
	for {
		due, ok := b.early[next.Index+1]
		if !ok {
			break
		}
		next.Index++
		delete(b.early, next.Index)
		switch {
		case due.decision != nil:
			next.Chains[due.chain] = Posted{next.Index, due.decision}
			next.comeBack(due.chain)
		case due.chain != "":
			next.takeDown(due.chain)
		}
	}
	b.current.Store(next)
	close(s.changed)
}

// takeDown takes a chain off a sheet that nobody sees yet.
func (s *Sheet) takeDown(chain string) {
	if last, there := s.Chains[chain]; there {
		s.Gone = maps.Clone(s.Gone)
		s.Gone[chain] = Posted{s.Index, last.Decision}
		delete(s.Chains, chain)
	}
}

// comeBack forgets that a chain was gone.
func (s *Sheet) comeBack(chain string) {
	if _, gone := s.Gone[chain]; gone {
		s.Gone = maps.Clone(s.Gone)
		delete(s.Gone, chain)
	}
}

// Wait returns the sheet once the index of a chain is above after, or of any
// chain if chain is "", or what there is when the context ends. An index that
// was never given out does not keep anybody waiting.
func (b *Board) Wait(ctx context.Context, chain string, after uint64) *Sheet {
	for {
		s := b.current.Load()
		if s.passed(chain, after) {
			return s
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return b.current.Load()
		}
	}
}

// passed says whether a waiter has something to see.
func (s *Sheet) passed(chain string, after uint64) bool {
	if after > s.Index {
		return true
	}
	if chain == "" {
		return s.Index > after
	}
	p, ok := s.Chains[chain]
	return !ok || p.Index > after
}
