//go:build e2e

package node_test

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

func TestCometBFTFollowerCatchesUpAndSeesTheChainHalt(t *testing.T) {
	t.Parallel()
	validator := node.CometBFT(t)
	validator.AwaitHeight(5)

	validator.Pause()
	requireHang(t, validator.RPC, "status")
	follower := node.Follower(t, validator)
	behind := follower.Status()
	require.True(t, behind.CatchingUp, "nobody gives it blocks")
	require.Zero(t, behind.Height)

	validator.Resume()
	follower.AwaitStatus("catch up", func(s node.CometStatus) bool { return !s.CatchingUp && s.Height >= 5 })
	require.Equal(t, validator.Hash(3), follower.Hash(3))
	require.Equal(t, validator.Status().Network, follower.Status().Network)

	validator.Pause()
	halted := follower.Status()
	require.False(t, halted.CatchingUp, "a follower of a halted chain does not know that it is behind")
	again := follower.Status()
	require.LessOrEqual(t, again.Height, halted.Height+1, "no validator, no block")

	validator.Resume()
	follower.AwaitHeight(halted.Height + 3)
}

func TestARivalHasTheChainsNameAndOtherBlocks(t *testing.T) {
	t.Parallel()
	validator := node.CometBFT(t)
	follower := node.Follower(t, validator)
	follower.AwaitHeight(3)
	follower.Stop()
	rival := node.Rival(t, validator, follower)
	rival.AwaitHeight(3)
	require.Equal(t, follower.URL(), rival.URL())
	require.Equal(t, validator.Status().Network, rival.Status().Network)
	require.NotEqual(t, validator.Hash(3), rival.Hash(3))
	rival.Stop()
	follower.Restart()
	follower.AwaitHeight(4)
	require.Equal(t, validator.Hash(3), follower.Hash(3))
}

func TestCometBFTKnowsNoBlockOfTheFutureAndRefusesAfterStop(t *testing.T) {
	t.Parallel()
	n := node.CometBFT(t)
	n.AwaitHeight(2)

	answer := requireStatus(t, n.Call(t.Context(), nil, "block", "99999"), http.StatusOK)
	require.Equal(t, -32603, answer.Code)
	require.Contains(t, answer.Message, "must be less than or equal to the current blockchain height")

	n.Stop()
	require.ErrorIs(t, n.Call(t.Context(), nil, "status"), syscall.ECONNREFUSED)
	n.Restart()
	n.AwaitHeight(3)
}
