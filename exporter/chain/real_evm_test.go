//go:build e2e

package chain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/node"
)

// realHash is a node's hash of a block in its normal form.
func realHash(n *node.AnvilNode, height int64) string {
	return strings.TrimPrefix(n.Hash(height), "0x")
}

func TestRealAnvil(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 31337, 0)
	n.Mine(10)
	p := realProvider(t, config.EVM, config.EVMRPC, n.URL(), realTimeout, evmCapabilities...)

	o, err := p.Observe(t.Context(), everything(Tip{}))
	require.NoError(t, err)
	require.Equal(t, Tip{
		Height: 10, Hash: realHash(n, 10), Parent: realHash(n, 9), Time: o.Time, Hints: Hints{Syncing: Some(false)},
	}, o.Tip, "anvil does not tell its peers")
	require.False(t, o.Time.IsZero())
	require.Equal(t, "31337", o.Identity)
	require.Equal(t, map[string]bool{"receipts": true, "archive": true, "batch": true}, o.Capabilities)

	genesis, err := p.dialect.Identity(t.Context(), talk(t, p), strings.Repeat("0", 64))
	require.NoError(t, err)
	require.Equal(t, realHash(n, 0), genesis)

	block, err := p.Block(t.Context(), 4, true)
	require.NoError(t, err)
	require.Equal(t, realHash(n, 4), block.Hash)
	require.Equal(t, realHash(n, 3), block.Parent)
	require.Equal(t, Some(Transactions{Digest: evmEmpty}), block.Transactions)
	_, err = p.Block(t.Context(), 99, true)
	requireFailure(t, err, Missing)
}

func TestRealAnvilReorganisesAndRollsBack(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 1, 0)
	n.Mine(10)
	p := realProvider(t, config.EVM, config.EVMRPC, n.URL(), realTimeout)
	before, err := p.Observe(t.Context(), Ask{})
	require.NoError(t, err)

	n.Reorg(3)
	after, err := p.Observe(t.Context(), Ask{Previous: before.Tip})
	require.NoError(t, err)
	require.Equal(t, before.Height, after.Height)
	require.NotEqual(t, before.Hash, after.Hash)
	require.False(t, after.Follows(before.Tip, 30))
	require.Equal(t, "1", after.Identity, "a break in the chain is looked at more closely")

	n.Rollback(4)
	back, err := p.Observe(t.Context(), Ask{Previous: after.Tip})
	require.NoError(t, err)
	require.Equal(t, uint64(6), back.Height)
}

func TestRealAnvilHangsAndRefuses(t *testing.T) {
	t.Parallel()
	n := node.Anvil(t, 1, 0)
	p := realProvider(t, config.EVM, config.EVMRPC, n.URL(), hangTimeout)
	n.Pause()
	_, err := p.Observe(t.Context(), Ask{})
	requireFailure(t, err, Timeout)
	n.Resume()
	n.Stop()
	_, err = p.Observe(t.Context(), Ask{})
	requireFailure(t, err, ConnectionRefused, ConnectionReset)
}
