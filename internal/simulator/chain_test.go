package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// kinds are all chain families.
var kinds = []config.Kind{
	config.Bitcoin, config.EVM, config.Cosmos, config.XRPL, config.Tron, config.Solana, config.Stellar,
}

// ticking is a chain with a block every two seconds and the clock that moves
// it.
func ticking(kind config.Kind) (*simulator.Chain, *time.Time) {
	clock := started
	return simulator.NewChain(simulator.ChainOptions{
		Name: string(kind), Kind: kind, BlockTime: 2 * time.Second, Now: func() time.Time { return clock },
	}), &clock
}

func TestChainHeightFollowsTheClock(t *testing.T) {
	t.Parallel()
	c, clock := ticking(config.EVM)
	steps := []struct {
		name   string
		after  time.Duration
		do     func()
		height uint64
	}{
		{"it starts at its base", 0, nil, 1000},
		{"nothing happens before the block time is over", 1999 * time.Millisecond, nil, 1000},
		{"a block comes with the block time", time.Millisecond, nil, 1001},
		{"and another one", 2 * time.Second, nil, 1002},
		{"it stops when halted", 0, c.Halt, 1002},
		{"it stays where it is while halted", time.Minute, nil, 1002},
		{"blocks can be made by hand while halted", 0, func() { c.Advance(5) }, 1007},
		{"it is still halted after that", time.Minute, nil, 1007},
		{"it goes on from there when resumed", 0, c.Resume, 1007},
		{"with the first block after one block time", 2 * time.Second, nil, 1008},
		{"it can be set back", 0, func() { c.SetHeight(1003) }, 1003},
		{"and goes on from there", 4 * time.Second, nil, 1005},
	}
	for _, s := range steps {
		*clock = clock.Add(s.after)
		if s.do != nil {
			s.do()
		}
		require.Equal(t, s.height, c.Height(), s.name)
	}
	require.Equal(t, uint64(1001), c.HeightAt(started.Add(3*time.Second)), "the past stays as it was")
	require.Equal(t, uint64(1000), c.HeightAt(started.Add(-time.Hour)))
}

func TestChainTimeOfABlock(t *testing.T) {
	t.Parallel()
	c, clock := ticking(config.Bitcoin)
	require.Equal(t, started, c.TimeOf(1000))
	require.Equal(t, started.Add(-20*time.Second), c.TimeOf(990), "older than the chain")
	require.Equal(t, started.Add(6*time.Second), c.TimeOf(1003), "not there yet")
	*clock = clock.Add(time.Minute)
	c.Halt()
	*clock = clock.Add(time.Minute)
	c.Advance(3)
	require.Equal(t, started.Add(2*time.Minute), c.TimeOf(1031), "made by hand")
	require.Equal(t, started.Add(time.Minute), c.TimeOf(1030), "the last one of the clock")
	c.Resume()
	*clock = clock.Add(5 * time.Second)
	require.Equal(t, started.Add(2*time.Minute+2*time.Second), c.TimeOf(1034), "after the halt")
	require.Equal(t, uint64(1035), c.Height())
	require.True(t, c.TimeOf(1<<63).After(started), "no height leads out of the calendar")
	require.True(t, simulator.NewChain(simulator.ChainOptions{BaseHeight: 1 << 63, BlockTime: time.Hour}).TimeOf(0).Before(started))
}

func TestChainBlocksAreTheSameWhateverTheRun(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			a, b := newChain(kind), newChain(kind)
			require.Equal(t, a.Block(950), b.Block(950))
			for height := uint64(1); height < 60; height++ {
				require.Equal(t, a.Hash(height-1), a.Block(height).Parent)
				require.NotEmpty(t, a.Block(height).Transactions)
				require.LessOrEqual(t, len(a.Block(height).Transactions), 5)
			}
			require.Zero(t, a.Block(0).Parent)
			other := simulator.NewChain(simulator.ChainOptions{Name: "other", Kind: kind})
			require.NotEqual(t, a.Hash(950), other.Hash(950))
		})
	}
}

func TestChainHashesLookLikeTheFamilys(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^0{8}[0-9a-f]{56}$`, newChain(config.Bitcoin).Hash(900).Hex())
	require.Regexp(t, `^0000000000000384[0-9a-f]{48}$`, newChain(config.Tron).Hash(900).Hex(), "900 is 0x384")
	require.Regexp(t, `^[1-9A-HJ-NP-Za-km-z]{43,44}$`, newChain(config.Solana).HashText(900))
	require.Regexp(t, `^[0-9a-f]{64}$`, newChain(config.EVM).HashText(900))
	require.Equal(t, "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", newChain(config.Bitcoin).HashText(0))
	require.Equal(t, "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3", newChain(config.EVM).HashText(0))
	require.Equal(t, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", newChain(config.Solana).HashText(0))
}

func TestChainReorganisesItsNewestBlocks(t *testing.T) {
	t.Parallel()
	c := newChain(config.EVM)
	before := func(height uint64) simulator.Hash { return newChain(config.EVM).Hash(height) }
	c.Reorganise("one", 3)
	require.Equal(t, uint64(1000), c.Height())
	require.Equal(t, before(997), c.Hash(997))
	require.NotEqual(t, before(998), c.Hash(998))
	require.Equal(t, c.Hash(997), c.Block(998).Parent)
	first := c.Hash(1000)
	c.Reorganise("two", 1)
	require.NotEqual(t, first, c.Hash(1000))
	require.NotEqual(t, before(999), c.Hash(999), "the first one stands below the second")
}

// Whatever is done to a chain, its blocks carry times that never go back, and
// a block is there when its time has come.
func TestChainTimesNeverGoBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		clock := started
		c := simulator.NewChain(simulator.ChainOptions{
			Kind: config.EVM, BlockTime: time.Duration(rapid.IntRange(0, 5000).Draw(t, "block time")) * time.Millisecond,
			Now: func() time.Time { return clock },
		})
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			clock = clock.Add(time.Duration(rapid.IntRange(0, 10_000).Draw(t, "wait")) * time.Millisecond)
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				c.Halt()
			case 1:
				c.Resume()
			case 2:
				c.Advance(uint64(rapid.IntRange(0, 9).Draw(t, "blocks")))
			case 3:
				c.SetHeight(c.Height() - uint64(rapid.IntRange(0, 9).Draw(t, "undone")))
			}
		}
		height := c.Height()
		for h := height - 60; h <= height; h++ {
			if c.TimeOf(h).Before(c.TimeOf(h - 1)) {
				t.Fatalf("block %d is older than the one before: %v, %v", h, c.TimeOf(h), c.TimeOf(h-1))
			}
		}
		if c.TimeOf(height).After(clock) {
			t.Fatalf("the newest block %d is of %v, and it is %v", height, c.TimeOf(height), clock)
		}
	})
}
