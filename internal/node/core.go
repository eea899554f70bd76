package node

import (
	"context"
	"fmt"
)

// coreNode is what the nodes of the Bitcoin family have in common.
type coreNode struct {
	Server
	peerAddress string // Where it listens for peers, host and port.
}

// Height returns the node's block count.
func (n *coreNode) Height() int64 {
	n.tb.Helper()
	var height int64
	n.Ask(&height, "getblockcount")
	return height
}

// Hash returns the hash of the node's block at a height.
func (n *coreNode) Hash(height int64) string {
	n.tb.Helper()
	var hash string
	n.Ask(&hash, "getblockhash", height)
	return hash
}

// Invalidate makes the node treat a block, and all that follow it, as invalid:
// its height falls until a longer chain without that block is there.
func (n *coreNode) Invalidate(hash string) {
	n.tb.Helper()
	n.Ask(nil, "invalidateblock", hash)
}

// Reconsider takes back what Invalidate did.
func (n *coreNode) Reconsider(hash string) {
	n.tb.Helper()
	n.Ask(nil, "reconsiderblock", hash)
}

// AwaitHash waits until the node has this block at this height, so that it
// agrees with the node that named it.
func (n *coreNode) AwaitHash(height int64, hash string) {
	n.tb.Helper()
	what := fmt.Sprintf("%s to have block %s at height %d", n.spec.Name, hash, height)
	Await(n.tb, what, func(ctx context.Context) error {
		var got string
		if err := n.Call(ctx, &got, "getblockhash", height); err != nil {
			return err
		}
		if got != hash {
			return fmt.Errorf("it has %s", got)
		}
		return nil
	})
}

// answers returns a look that succeeds once the node knows its height.
func (n *coreNode) answers() func(ctx context.Context) error {
	endpoint := n.RPC
	return func(ctx context.Context) error {
		return endpoint.Call(ctx, nil, "getblockcount")
	}
}

// awaitPeers waits until the node has so many connections.
func (n *coreNode) awaitPeers(want int) {
	n.tb.Helper()
	what := fmt.Sprintf("%s to have %d connections", n.spec.Name, want)
	Await(n.tb, what, func(ctx context.Context) error {
		var got int
		if err := n.Call(ctx, &got, "getconnectioncount"); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("it has %d", got)
		}
		return nil
	})
}
