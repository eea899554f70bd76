package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// AnvilChain are several anvils with the same blocks, as nodes of one network
// have. Anvils know no peers: each is told to mine the same empty blocks at the
// same times, which gives the same hashes. A node that the test lets go stays
// behind, and one that it bends is on another fork from then on.
type AnvilChain struct {
	tb    testing.TB
	nodes []*AnvilNode

	mu      sync.Mutex
	times   []int64       // When each block was mined, in Unix seconds; the first is that of height 1.
	gone    map[int]bool  // Nodes that do not mine.
	held    bool          // Nobody mines.
	stopped chan struct{} // Closed once MineEvery has ended; nil before it began.
	err     error         // Why it ended, if not for the end of the test.
}

// Anvils starts so many anvils of one chain at height 0.
func Anvils(tb testing.TB, chainID uint64, count int) *AnvilChain {
	tb.Helper()
	c := &AnvilChain{tb: tb, gone: map[int]bool{}}
	// Blocks have to be younger than the genesis block.
	genesis := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for range count {
		c.nodes = append(c.nodes, startAnvil(tb, chainID, "--no-mining", "--timestamp", genesis))
	}
	return c
}

// Node is one of the anvils.
func (c *AnvilChain) Node(i int) *AnvilNode { return c.nodes[i] }

// MineEvery mines a block on every node that follows, again and again until the
// test ends.
func (c *AnvilChain) MineEvery(pause time.Duration) {
	c.tb.Helper()
	c.stopped = make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.tb.Context()))
	c.tb.Cleanup(func() {
		cancel()
		<-c.stopped
		if c.err != nil && !errors.Is(c.err, context.Canceled) {
			c.tb.Errorf("chain of anvils: %v", c.err)
		}
	})
	go func() {
		defer close(c.stopped)
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		for c.err == nil {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				c.err = c.mine(ctx)
			}
		}
	}()
}

// mine adds one block to every node that follows.
func (c *AnvilChain) mine(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held {
		return nil
	}
	at := time.Now().Unix()
	if n := len(c.times); n > 0 {
		at = max(at, c.times[n-1]+1)
	}
	c.times = append(c.times, at)
	for i, n := range c.nodes {
		if c.gone[i] {
			continue
		}
		if err := n.mineAt(ctx, at); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nil
}

// Hold lets the chain stand still, and returns its height, at which every node is
// that follows.
func (c *AnvilChain) Hold() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
	return int64(len(c.times))
}

// GoOn ends what Hold began.
func (c *AnvilChain) GoOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
}

// Leave lets a node mine no more: it stays behind, as one does that hangs or
// has lost its peers.
func (c *AnvilChain) Leave(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone[i] = true
}

// CatchUp lets a node that left, and was not bent, mine what it missed and
// follow again.
func (c *AnvilChain) CatchUp(i int) {
	c.tb.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	height := int(c.nodes[i].Height())
	if height > len(c.times) {
		c.tb.Fatalf("chain of anvils: node %d is at height %d, of %d", i, height, len(c.times))
	}
	for _, at := range slices.Clone(c.times[height:]) {
		if err := c.nodes[i].mineAt(c.tb.Context(), at); err != nil {
			c.tb.Fatalf("chain of anvils: node %d: %v", i, err)
		}
	}
	delete(c.gone, i)
}

// Resync starts a node from the first block on, whatever became of it, so that
// it has the blocks of the others again.
func (c *AnvilChain) Resync(i int) {
	c.tb.Helper()
	c.Leave(i)
	c.nodes[i].Restart()
	c.CatchUp(i)
}

// mineAt mines one block that says it is of this time, in Unix seconds.
func (n *AnvilNode) mineAt(ctx context.Context, at int64) error {
	return n.Call(ctx, nil, "evm_mine", map[string]int64{"timestamp": at})
}
