//go:build e2e

package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/node"
)

// cometBFTAt asks a real node.
func cometBFTAt(tb testing.TB, n *node.CometNode, changes ...func(*config.Chain, *config.Provider)) *Provider {
	tb.Helper()
	return provider(tb, config.Cosmos, config.CometBFTRPC, n.URL(), changes...)
}

// requireSameBlock asserts that a block is what the node itself has at that
// height, by the other way to ask it.
func requireSameBlock(t *testing.T, n *node.CometNode, b Block) {
	t.Helper()
	height := int64(b.Height)
	require.Equal(t, strings.ToLower(n.Hash(height)), b.Hash)
	if height > 1 {
		require.Equal(t, strings.ToLower(n.Hash(height-1)), b.Parent)
	}
}

func TestRealCometBFTValidator(t *testing.T) {
	t.Parallel()
	n := node.CometBFT(t)
	n.AwaitHeight(3)
	p := cometBFTAt(t, n)
	began := time.Now()

	first, err := p.Observe(t.Context(), Ask{Identity: true, Hints: true, Capabilities: true})
	require.NoError(t, err)
	require.GreaterOrEqual(t, first.Height, uint64(3))
	require.Equal(t, strings.ToLower(n.Hash(int64(first.Height))), first.Hash)
	require.WithinDuration(t, began, first.Time, time.Hour)
	require.Equal(t, n.Status().Network, first.Identity)
	require.Equal(t, Hints{Syncing: Some(false), Peers: Some(0)}, first.Hints)
	require.Positive(t, first.Latency)
	require.Len(t, first.Exchanges, 2, "/status and /net_info")

	n.AwaitHeight(int64(first.Height) + 1)
	next, err := p.Observe(t.Context(), Ask{Previous: first.Tip})
	require.NoError(t, err)
	require.Greater(t, next.Height, first.Height)
	require.True(t, next.Tip.Follows(first.Tip, 1<<20))
	require.True(t, next.Time.After(first.Time))
	require.Len(t, next.Exchanges, 1)

	for _, height := range []uint64{1, 2, first.Height} {
		block, err := p.Block(t.Context(), height, true)
		require.NoError(t, err)
		require.Equal(t, height, block.Height)
		requireSameBlock(t, n, block)
		require.True(t, block.Transactions.Known)
		require.True(t, isHexHash(block.Transactions.Value.Digest))
	}
	at, err := p.Block(t.Context(), first.Height, false)
	require.NoError(t, err)
	require.Equal(t, first.Time, at.Time)

	f := requireRefusal(t, p, 99999999, Missing)
	require.Equal(t, 500, f.Status, "an error of a GET has a status")
	require.Equal(t, Some(int64(-32603)), f.Code)
}

// requireRefusal asserts the reason for which a block is not handed out.
func requireRefusal(t *testing.T, p *Provider, height uint64, reason Reason) *Failure {
	t.Helper()
	_, err := p.Block(t.Context(), height, true)
	return requireFailure(t, err, reason)
}

func TestRealCometBFTCountsTransactions(t *testing.T) {
	t.Parallel()
	n := node.CometBFT(t)
	n.AwaitHeight(1)
	var sent struct {
		Height int64 `json:"height,string"`
	}
	// The key-value application takes "key=value"; the bytes are in base64.
	n.Ask(&sent, "broadcast_tx_commit", "a2V5PXZhbHVl")
	p := cometBFTAt(t, n)
	block, err := p.Block(t.Context(), uint64(sent.Height), true)
	require.NoError(t, err)
	require.Equal(t, 1, block.Transactions.Value.Count)
	empty, err := p.Block(t.Context(), 1, true)
	require.NoError(t, err)
	require.Equal(t, 0, empty.Transactions.Value.Count)
	require.NotEqual(t, empty.Transactions.Value.Digest, block.Transactions.Value.Digest)
}

func TestRealCometBFTFollowerCatchesUpAndSeesTheChainHalt(t *testing.T) {
	t.Parallel()
	validator := node.CometBFT(t)
	validator.AwaitHeight(5)
	validator.Pause()
	follower := node.Follower(t, validator)
	p := cometBFTAt(t, follower)

	_, err := p.Observe(t.Context(), Ask{Identity: true})
	requireFailure(t, err, Starting)

	validator.Resume()
	var o Observation
	node.Await(t, "the follower's probe to be at the validator's height", func(ctx context.Context) error {
		var err error
		o, err = p.Observe(ctx, Ask{Identity: true, Hints: true})
		if err != nil {
			return err
		}
		if o.Height < 5 || o.Hints.Syncing.Value {
			return fmt.Errorf("its tip is %+v", o.Tip)
		}
		return nil
	})
	require.Equal(t, Hints{Syncing: Some(false), Peers: Some(1)}, o.Hints)
	require.Equal(t, validator.Status().Network, o.Identity)
	ours, err := p.Block(t.Context(), 3, true)
	require.NoError(t, err)
	theirs, err := cometBFTAt(t, validator).Block(t.Context(), 3, true)
	require.NoError(t, err)
	require.Equal(t, theirs, ours)

	validator.Pause()
	halted, err := p.Observe(t.Context(), Ask{})
	require.NoError(t, err)
	again, err := p.Observe(t.Context(), Ask{Previous: halted.Tip})
	require.NoError(t, err)
	require.LessOrEqual(t, again.Height, halted.Height+1, "no validator, no block")
	require.Equal(t, Some(false), again.Hints.Syncing, "a halted chain is not known from what its nodes say")
	at, err := p.Block(t.Context(), again.Height, false)
	require.NoError(t, err)
	require.Equal(t, at.Time, again.Time, "but from the age of its newest block")
}

func TestRealCometBFTThatHangsAndThatIsGone(t *testing.T) {
	t.Parallel()
	n := node.CometBFT(t)
	n.AwaitHeight(1)
	p := cometBFTAt(t, n, within(time.Second))
	before, err := p.Observe(t.Context(), Ask{Identity: true})
	require.NoError(t, err)

	n.Pause()
	_, err = p.Observe(t.Context(), Ask{Previous: before.Tip})
	requireFailure(t, err, Timeout)
	n.Resume()

	n.Stop()
	_, err = p.Observe(t.Context(), Ask{Previous: before.Tip})
	requireFailure(t, err, ConnectionRefused)

	n.Restart()
	patient := cometBFTAt(t, n)
	var after Observation
	node.Await(t, "the next block after the restart", func(ctx context.Context) error {
		var err error
		after, err = patient.Observe(ctx, Ask{Previous: before.Tip, Identity: true})
		if err == nil && after.Height <= before.Height {
			err = errors.New("no new block yet")
		}
		return err
	})
	require.Equal(t, before.Identity, after.Identity)
	block, err := patient.Block(t.Context(), before.Height, false)
	require.NoError(t, err)
	require.Equal(t, before.Hash, block.Hash)
}
