//go:build e2e

package node_test

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

func TestLitecoindForksAndHeals(t *testing.T) {
	t.Parallel()
	a, b := node.Litecoind(t), node.Litecoind(t)
	require.Equal(t, "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9", a.Hash(0), "regtest genesis")

	b.Connect(a)
	b.AwaitHash(3, a.Mine(3)[2])

	b.Disconnect(a)
	a.Mine(3)
	b.Mine(1)
	require.NotEqual(t, a.Hash(4), b.Hash(4), "the two are on a fork")

	b.Connect(a)
	b.AwaitHash(6, a.Hash(6))
}

func TestLitecoindTellsErrorsApart(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t, "-disablewallet")

	err := n.Call(t.Context(), nil, "getblockhash", 999)
	require.Equal(t, -8, requireStatus(t, err, http.StatusInternalServerError).Code)

	err = n.Call(t.Context(), nil, "listunspent")
	require.Equal(t, -32601, requireStatus(t, err, http.StatusNotFound).Code)

	err = n.WithPassword("guess").Call(t.Context(), nil, "getblockcount")
	requireStatus(t, err, http.StatusUnauthorized)
}

func TestLitecoindRefusesWorkWhileItIsOverloaded(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t, "-rpcthreads=1", "-rpcworkqueue=1")

	n.Overload(3 * time.Second)
	err := n.Call(t.Context(), nil, "getblockcount")
	require.Equal(t, "Work queue depth exceeded", requireStatus(t, err, http.StatusInternalServerError).Message)

	n.AwaitHash(0, "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9")
}

func TestLitecoindHasAWalletHangsAndComesBack(t *testing.T) {
	t.Parallel()
	n := node.Litecoind(t)
	n.CreateWallet("w")
	var unspent []any
	n.Ask(&unspent, "listunspent")
	require.Empty(t, unspent)

	tip := n.Mine(2)[1]
	n.Invalidate(tip)
	require.Equal(t, int64(1), n.Height())
	n.Reconsider(tip)
	n.AwaitHash(2, tip)

	n.Pause()
	requireHang(t, n.RPC, "getblockcount")
	n.Resume()

	n.Stop()
	require.ErrorIs(t, n.Call(t.Context(), nil, "getblockcount"), syscall.ECONNREFUSED)
	n.Restart()
	require.Equal(t, tip, n.Hash(2), "the chain outlives a restart")
}
