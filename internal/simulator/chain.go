package simulator

import (
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// ChainOptions describe a simulated network. Name and Kind are needed; the
// rest has a default.
type ChainOptions struct {
	// Name makes the chain's hashes its own: chains of the same name have the
	// same blocks.
	Name string `json:"name"`
	// Kind is the family, which decides the form of hashes and identities.
	Kind config.Kind `json:"kind"`
	// Identity is the network; its zero value is the family's best known one.
	Identity Identity `json:"identity,omitzero"`
	// BaseHeight is the height at the start. 0 is 1000.
	BaseHeight uint64 `json:"base_height,omitempty"`
	// BlockTime is the time from block to block. 0 is a chain that moves only
	// by hand.
	BlockTime time.Duration `json:"block_time,omitempty"`
	// Transactions is the largest number of transactions in a block; each has
	// between one and that many. 0 is 5; below zero, all blocks are empty.
	Transactions int `json:"transactions,omitempty"`
	// SkipEvery leaves the last of so many Solana slots without a block. 0
	// skips none.
	SkipEvery uint64 `json:"skip_every,omitempty"`
	// Now is the clock. Nil is time.Now, which inside a synctest bubble is the
	// bubble's clock.
	Now func() time.Time `json:"-"`
}

// Chain is one simulated network. Its methods may be called at the same time.
// It remembers every change made by hand, since the past depends on them.
type Chain struct {
	options  ChainOptions
	identity Identity
	genesis  Hash
	start    time.Time

	mu sync.RWMutex
	// course is how the height went, oldest first; never empty.
	course []stretch
	// forks are the reorganisations, oldest first.
	forks []Fork
	// submitted are transactions that providers took in; order is by age.
	submitted map[Hash]submission
	order     []Hash
}

// stretch is a time during which the height moved in one way.
type stretch struct {
	at     time.Time
	from   uint64
	halted bool
}

// NewChain starts a chain now.
func NewChain(options ChainOptions) *Chain {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.BaseHeight == 0 {
		options.BaseHeight = 1000
	}
	switch {
	case options.Transactions == 0:
		options.Transactions = 5
	case options.Transactions < 0:
		options.Transactions = 0
	}
	c := &Chain{options: options, identity: options.Identity.complete(options.Kind), start: options.Now()}
	c.genesis = c.identity.genesis()
	c.course = []stretch{{at: c.start, from: options.BaseHeight}}
	return c
}

// Name is the chain's name.
func (c *Chain) Name() string { return c.options.Name }

// Kind is the chain's family.
func (c *Chain) Kind() config.Kind { return c.options.Kind }

// Identity is the chain's network, complete.
func (c *Chain) Identity() Identity { return c.identity }

// Start is when the chain began; scripts count from it.
func (c *Chain) Start() time.Time { return c.start }

// Now is the chain's clock.
func (c *Chain) Now() time.Time { return c.options.Now() }

// Height is the number of the newest block.
func (c *Chain) Height() uint64 { return c.HeightAt(c.Now()) }

// HeightAt is the height that the chain had, or will have, at a time.
func (c *Chain) HeightAt(at time.Time) uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.heightLocked(at)
}

func (c *Chain) heightLocked(at time.Time) uint64 {
	s := c.course[0]
	for i := len(c.course) - 1; i > 0; i-- {
		if !c.course[i].at.After(at) {
			s = c.course[i]
			break
		}
	}
	return s.from + c.blocks(s, at)
}

// blocks is how many blocks a stretch has had by a time.
func (c *Chain) blocks(s stretch, at time.Time) uint64 {
	if s.halted || c.options.BlockTime <= 0 || at.Before(s.at) {
		return 0
	}
	return uint64(at.Sub(s.at) / c.options.BlockTime)
}

// TimeOf is when a block was made. Blocks that were there at the start lie one
// block time apart before it, as do those that the clock has not reached yet
// after now; blocks made by hand have the time of the call.
func (c *Chain) TimeOf(height uint64) time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i := len(c.course) - 1; i > 0; i-- {
		s, before := c.course[i], c.course[i-1]
		switch {
		case height > s.from:
			return s.at.Add(span(height-s.from, c.options.BlockTime))
		case height > before.from+c.blocks(before, s.at):
			return s.at
		}
	}
	first := c.course[0]
	if height >= first.from {
		return first.at.Add(span(height-first.from, c.options.BlockTime))
	}
	return first.at.Add(-span(first.from-height, c.spacing()))
}

// longest is the longest time that blocks are put apart, so that no height
// leads out of what a time can be.
const longest = 200 * 365 * 24 * time.Hour

// span is the time that so many blocks take.
func span(blocks uint64, each time.Duration) time.Duration {
	if each > 0 && blocks > uint64(longest/each) {
		return longest
	}
	return time.Duration(blocks) * each
}

// spacing is the time between blocks older than the chain, also for one that
// moves by hand.
func (c *Chain) spacing() time.Duration {
	if c.options.BlockTime > 0 {
		return c.options.BlockTime
	}
	return time.Second
}

// SetHeight makes a block the newest: the ones up to it are made now, the ones
// above it are undone.
func (c *Chain) SetHeight(height uint64) {
	c.turn(func(s *stretch) { s.from = height })
}

// Advance makes so many blocks now.
func (c *Chain) Advance(blocks uint64) {
	c.turn(func(s *stretch) { s.from += blocks })
}

// Halt stops the height until Resume. Advance and SetHeight still work.
func (c *Chain) Halt() { c.turn(func(s *stretch) { s.halted = true }) }

// Resume lets the height follow the clock again.
func (c *Chain) Resume() { c.turn(func(s *stretch) { s.halted = false }) }

// turn begins a new stretch where the chain stands.
func (c *Chain) turn(change func(*stretch)) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.course) - 1
	s := stretch{at: now, from: c.heightLocked(now), halted: c.course[last].halted}
	change(&s)
	c.course = append(c.course, s)
}

// Reorganise replaces the newest blocks of the whole chain by others of the
// same heights.
func (c *Chain) Reorganise(name string, blocks uint64) {
	height := c.Height()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forks = append(c.forks, Fork{Name: name, From: height + 1 - min(blocks, height)})
}
