//go:build e2e

package clients

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// subscription is a program that follows the heads of a chain over a WebSocket.
type subscription struct {
	t      *testing.T
	client *ethclient.Client
	heads  chan *types.Header
	sub    interface{ Err() <-chan error }
}

// subscribe opens one.
func subscribe(t *testing.T, url string) *subscription {
	t.Helper()
	s := &subscription{t: t, heads: make(chan *types.Header)}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dialled, err := rpc.DialWebsocket(ctx, url, "")
	require.NoError(t, err)
	t.Cleanup(dialled.Close)
	s.client = ethclient.NewClient(dialled)
	s.sub, err = s.client.SubscribeNewHead(ctx, s.heads)
	require.NoError(t, err)
	return s
}

// next is the next head.
func (s *subscription) next() *types.Header {
	s.t.Helper()
	select {
	case head := <-s.heads:
		return head
	case err := <-s.sub.Err():
		require.NoError(s.t, err, "the subscription ended")
	case <-time.After(time.Minute):
		require.Fail(s.t, "no head")
	}
	return nil
}

// ended waits until the connection is closed, and gives what the client says of it.
func (s *subscription) ended() error {
	s.t.Helper()
	for deadline := time.After(2 * time.Minute); ; {
		select {
		case <-s.heads:
		case err := <-s.sub.Err():
			return err
		case <-deadline:
			require.Fail(s.t, "the subscription goes on")
		}
	}
}

func TestASubscriptionEndsWithItsProviderAndGoesOnAtTheNext(t *testing.T) {
	t.Parallel()
	chain := node.Anvils(t, 31337, 3)
	chain.MineEvery(time.Second)
	u := start(t, "eth", 3, anvils(chain), nil)
	url := "ws://" + u.address + "/rpc/eth"
	s := subscribe(t, url)
	begin := s.next().Number.Int64()
	require.Equal(t, begin+1, s.next().Number.Int64())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	block, err := s.client.BlockByNumber(ctx, big.NewInt(begin))
	require.NoError(t, err, "calls share the connection")
	require.Equal(t, begin, block.Number().Int64())
	require.ErrorContains(t, s.client.Client().CallContext(ctx, nil, "anvil_mine", "0x1"), "is not let through")

	// It hangs: nothing comes, and only the controller can tell that it is over.
	chain.Leave(0)
	chain.Node(0).Pause()
	require.ErrorContains(t, s.ended(), "another provider serves; connect again")
	s = subscribe(t, url)
	height := s.next().Number.Int64()
	require.Equal(t, chain.Node(1).Hash(height), s.next().ParentHash.Hex())

	// It goes: the connection breaks.
	chain.Leave(1)
	chain.Node(1).Stop()
	require.Error(t, s.ended())
	s = subscribe(t, url)
	height = s.next().Number.Int64()
	require.Equal(t, chain.Node(2).Hash(height), s.next().ParentHash.Hex())

	// Back to the first: the subscription is told, and goes on there.
	chain.Node(0).Resume()
	chain.CatchUp(0)
	require.ErrorContains(t, s.ended(), "another provider serves; connect again")
	u.awaitServes("a", chainCall)
	s = subscribe(t, url)
	chain.Leave(2)
	chain.Node(2).Stop()
	last := s.next().Number.Int64()
	require.Greater(t, s.next().Number.Int64(), last, "it is the first one's")
}
