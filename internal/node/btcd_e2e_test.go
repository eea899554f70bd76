//go:build e2e

package node_test

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// hangTime is how long a test waits for an answer that must not come.
const hangTime = 300 * time.Millisecond

// requireHang asserts that the node takes a call and leaves it unanswered.
func requireHang(t *testing.T, endpoint node.RPC, method string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangTime)
	defer cancel()
	require.ErrorIs(t, endpoint.Call(ctx, nil, method), context.DeadlineExceeded)
}

// requireStatus asserts that the node refuses a call with this HTTP status.
func requireStatus(t *testing.T, err error, status int) *node.RPCError {
	t.Helper()
	var answer *node.RPCError
	require.ErrorAs(t, err, &answer)
	require.Equal(t, status, answer.Status)
	return answer
}

func TestBtcdLagsForksAndHeals(t *testing.T) {
	t.Parallel()
	a, b := node.Btcd(t), node.Btcd(t)
	require.Equal(t, "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206", a.Hash(0), "regtest genesis")

	b.Connect(a)
	first := a.Mine(3)
	b.AwaitHash(3, first[2])

	b.Disconnect(a)
	a.Mine(4)
	require.Equal(t, int64(7), a.Height())
	require.Equal(t, int64(3), b.Height(), "without its peer, the node lags")

	b.Mine(2)
	require.NotEqual(t, a.Hash(4), b.Hash(4), "the two are on a fork")
	require.Equal(t, a.Hash(3), b.Hash(3))

	b.Connect(a)
	b.AwaitHash(7, a.Hash(7))
	require.Equal(t, a.Hash(4), b.Hash(4), "the shorter chain was given up")
}

func TestBtcdGoesBackWhenABlockIsInvalidated(t *testing.T) {
	t.Parallel()
	n := node.Btcd(t)
	hashes := n.Mine(5)
	n.Invalidate(hashes[3])
	require.Equal(t, int64(3), n.Height())
	n.Reconsider(hashes[3])
	n.AwaitHash(5, hashes[4])
}

func TestBtcdHangsRefusesAndComesBack(t *testing.T) {
	t.Parallel()
	n := node.Btcd(t)
	tip := n.Mine(2)[1]

	n.Pause()
	requireHang(t, n.RPC, "getblockcount")
	n.Resume()
	n.AwaitHash(2, tip)

	n.Stop()
	require.ErrorIs(t, n.Call(t.Context(), nil, "getblockcount"), syscall.ECONNREFUSED)
	n.Restart()
	require.Zero(t, n.Height(), "btcd begins its regtest chain anew")

	n.Kill()
	require.ErrorIs(t, n.Call(t.Context(), nil, "getblockcount"), syscall.ECONNREFUSED)
}

func TestBtcdRefusesAWrongPassword(t *testing.T) {
	t.Parallel()
	n := node.Btcd(t)
	err := n.WithPassword("guess").Call(t.Context(), nil, "getblockcount")
	requireStatus(t, err, http.StatusUnauthorized)
}
