//go:build e2e

package chain

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/node"
)

// realTimeout bounds a request to a real node on a busy machine; hangTimeout
// one to a node that will not answer.
const (
	realTimeout = 20 * time.Second
	hangTimeout = 300 * time.Millisecond
)

// realProvider makes what asks a real node at an address.
func realProvider(t *testing.T, kind config.Kind, typ config.Type, address string, timeout time.Duration, capabilities ...string) *Provider {
	t.Helper()
	c, p := scriptedChain(t, kind, typ, capabilities...)
	p.RPCHost = mustURL(t, address)
	c.Failover.RequestTimeout = timeout
	made, err := New(c, p)
	require.NoError(t, err)
	return made
}

// realBitcoin asks a node of the Bitcoin family.
func realBitcoin(t *testing.T, address string, capabilities ...string) *Provider {
	t.Helper()
	return realProvider(t, config.Bitcoin, config.BitcoinRPC, address, realTimeout, capabilities...)
}

// everything asks for all that a probe can ask for.
func everything(previous Tip) Ask {
	return Ask{Identity: true, Hints: true, Capabilities: true, Previous: previous}
}

func TestRealLitecoind(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t)
	p := realBitcoin(t, n.SecretURL(), bitcoinCapabilities...)
	const genesis = "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9"

	o, err := p.Observe(t.Context(), everything(Tip{}))
	require.NoError(t, err)
	require.Zero(t, o.Height)
	require.Equal(t, genesis, o.Hash)
	require.Empty(t, o.Parent)
	require.Equal(t, map[string]bool{"wallet": false, "batch": true}, o.Capabilities, "without a block, txindex cannot be told")

	mined := n.Mine(3)
	o, err = p.Observe(t.Context(), everything(o.Tip))
	require.NoError(t, err)
	require.Equal(t, uint64(n.Height()), o.Height)
	require.Equal(t, mined[2], o.Hash)
	require.Equal(t, mined[1], o.Parent)
	require.WithinDuration(t, time.Now(), o.Time, 24*time.Hour)
	require.Equal(t, genesis, o.Identity)
	require.True(t, o.Hints.Syncing.Known)
	require.Equal(t, Some(0), o.Hints.Peers)
	require.Equal(t, map[string]bool{"wallet": false, "txindex": true, "batch": true}, o.Capabilities)

	n.CreateWallet("w")
	again, err := p.Observe(t.Context(), everything(o.Tip))
	require.NoError(t, err)
	require.Equal(t, o.Tip, again.Tip)
	require.True(t, again.Capabilities["wallet"])

	block, err := p.Block(t.Context(), 2, true)
	require.NoError(t, err)
	require.Equal(t, mined[1], block.Hash)
	require.Equal(t, mined[0], block.Parent)
	require.Equal(t, 1, block.Transactions.Value.Count)
	require.Zero(t, block.Transactions.Value.Missing)
	_, err = p.Block(t.Context(), 999, true)
	requireFailure(t, err, Missing)
}

func TestRealLitecoindRefuses(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t, "-disablewallet", "-txindex=0")
	n.Mine(2)
	o, err := realBitcoin(t, n.SecretURL(), bitcoinCapabilities...).Observe(t.Context(), everything(Tip{}))
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"wallet": false, "txindex": false, "batch": true}, o.Capabilities)

	wrong := realBitcoin(t, n.WithPassword("not-the-password").SecretURL())
	_, err = wrong.Observe(t.Context(), Ask{})
	f := requireFailure(t, err, Unauthorized)
	require.NotContains(t, f.Error(), "not-the-password")

	n.Pause()
	hanging := realProvider(t, config.Bitcoin, config.BitcoinRPC, n.SecretURL(), hangTimeout)
	_, err = hanging.Observe(t.Context(), Ask{})
	requireFailure(t, err, Timeout)
	n.Resume()
	n.Stop()
	_, err = wrong.Observe(t.Context(), Ask{})
	requireFailure(t, err, ConnectionRefused)
}

func TestRealLitecoindIsBusy(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t)
	n.Overload(3 * time.Second)
	_, err := realBitcoin(t, n.SecretURL()).Observe(t.Context(), Ask{})
	requireFailure(t, err, Busy)
}

func TestRealBtcdLagsForksAndReorganises(t *testing.T) {
	t.Parallel()
	a, b := node.Btcd(t), node.Btcd(t)
	b.Connect(a)
	shared := a.Mine(3)
	b.AwaitHash(3, shared[2])
	askA, askB := realBitcoin(t, a.SecretURL(), bitcoinCapabilities...), realBitcoin(t, b.SecretURL())

	first, err := askA.Observe(t.Context(), everything(Tip{}))
	require.NoError(t, err)
	require.Equal(t, Tip{
		Height: 3, Hash: shared[2], Parent: shared[1], Time: first.Time, Hints: Hints{Peers: Some(1)},
	}, first.Tip)
	require.False(t, first.Time.IsZero())
	require.Equal(t, "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206", first.Identity)
	require.Equal(t, map[string]bool{"wallet": false, "txindex": true, "batch": true}, first.Capabilities)

	b.Disconnect(a)
	a.Mine(4)
	lagging, err := askB.Observe(t.Context(), Ask{})
	require.NoError(t, err)
	require.Equal(t, uint64(3), lagging.Height, "without its peer it lags")

	forked := b.Mine(2)
	ahead, err := askB.Observe(t.Context(), Ask{Previous: lagging.Tip})
	require.NoError(t, err)
	require.Equal(t, forked[1], ahead.Hash)
	onA, err := askA.Block(t.Context(), 4, true)
	require.NoError(t, err)
	onB, err := askB.Block(t.Context(), 4, true)
	require.NoError(t, err)
	require.NotEqual(t, onA.Hash, onB.Hash, "the two are on a fork")
	require.NotEqual(t, onA.Transactions.Value.Digest, onB.Transactions.Value.Digest)
	require.Equal(t, shared[2], onB.Parent)

	b.Connect(a)
	b.AwaitHash(7, a.Hash(7))
	healed, err := askB.Observe(t.Context(), Ask{Previous: ahead.Tip})
	require.NoError(t, err)
	require.Equal(t, a.Hash(7), healed.Hash)
	require.Equal(t, a.Hash(6), healed.Parent)
	_, err = askB.Block(t.Context(), 8, true)
	requireFailure(t, err, Missing)
}

func TestRealBtcdHangsAndRefuses(t *testing.T) {
	t.Parallel()
	n := node.Btcd(t)
	_, err := realBitcoin(t, n.WithPassword(strings.Repeat("x", 12)).SecretURL()).Observe(t.Context(), Ask{})
	requireFailure(t, err, Unauthorized)
	p := realProvider(t, config.Bitcoin, config.BitcoinRPC, n.SecretURL(), hangTimeout)
	n.Pause()
	_, err = p.Observe(t.Context(), Ask{})
	requireFailure(t, err, Timeout)
	n.Resume()
	n.Kill()
	_, err = p.Observe(t.Context(), Ask{})
	requireFailure(t, err, ConnectionRefused, ConnectionReset)
}
