//go:build e2e

package node_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

func TestAnvilReorganisesAndRollsBack(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 31337, 0)
	var id string
	n.Ask(&id, "eth_chainId")
	require.Equal(t, "0x7a69", id)

	n.Mine(10)
	require.Equal(t, int64(10), n.Height())
	kept, replaced := n.Hash(7), n.Hash(8)

	n.Reorg(3)
	require.Equal(t, int64(10), n.Height(), "a reorganisation keeps the height")
	require.Equal(t, kept, n.Hash(7))
	require.NotEqual(t, replaced, n.Hash(8))

	n.Rollback(4)
	require.Equal(t, int64(6), n.Height())
}

func TestAnvilMinesByTheClockUntilToldNotTo(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 1, 1)
	awaitAnvil(t, n, 1)

	n.SetIntervalMining(0)
	stopped := n.Height()
	n.Mine(1)
	require.Equal(t, stopped+1, n.Height(), "only what is asked for is mined")

	n.SetIntervalMining(1)
	awaitAnvil(t, n, stopped+2)
}

func TestAnvilHangsAndRefuses(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 1, 0)
	n.Pause()
	requireHang(t, n.RPC, "eth_blockNumber")
	n.Resume()
	require.Equal(t, int64(0), n.Height())
	n.Stop()
	require.ErrorIs(t, n.Call(t.Context(), nil, "eth_blockNumber"), syscall.ECONNREFUSED)
}

func TestAnvilsOfOneChainHaveTheSameBlocksUnlessBent(t *testing.T) {
	t.Parallel()
	c := node.Anvils(t, 31337, 3)
	c.MineEvery(20 * time.Millisecond)
	a, bent, late := c.Node(0), c.Node(1), c.Node(2)
	awaitAnvil(t, late, 8)
	require.Equal(t, a.Hash(8), bent.Hash(8))
	require.Equal(t, a.Hash(8), late.Hash(8))

	c.Leave(2)
	stopped := late.Height()
	bent.Reorg(3)
	awaitAnvil(t, bent, stopped+8)
	require.Equal(t, stopped, late.Height(), "it mines no more")
	require.NotEqual(t, a.Hash(stopped+8), bent.Hash(stopped+8), "what follows is on the fork")

	c.CatchUp(2)
	c.Resync(1)
	awaitAnvil(t, bent, stopped+20)
	awaitAnvil(t, late, stopped+20)
	awaitAnvil(t, a, stopped+20)
	require.Equal(t, a.Hash(stopped+20), late.Hash(stopped+20))
	require.Equal(t, a.Hash(stopped+20), bent.Hash(stopped+20))
}

func TestAnvilsStandStillWhileTheirChainIsHeld(t *testing.T) {
	t.Parallel()
	c := node.Anvils(t, 31337, 2)
	c.MineEvery(20 * time.Millisecond)
	awaitAnvil(t, c.Node(1), 3)
	held := c.Hold()
	require.Equal(t, held, c.Node(0).Height())
	require.Equal(t, held, c.Node(1).Height())
	require.Equal(t, held, c.Hold(), "it stands still")
	c.GoOn()
	awaitAnvil(t, c.Node(0), held+2)
}

// awaitAnvil waits until the node has reached a height.
func awaitAnvil(t *testing.T, n *node.AnvilNode, height int64) {
	t.Helper()
	node.Await(t, "anvil to mine", func(context.Context) error {
		if n.Height() < height {
			return errors.New("it has not reached the height")
		}
		return nil
	})
}
