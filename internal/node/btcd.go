package node

import (
	"os"
	"path/filepath"
	"testing"
)

// regtestAddress is where btcd mines to: an address of the Bitcoin test
// networks whose key nobody needs. Its blocks differ from node to node, as each
// picks a number at random for them.
const regtestAddress = "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"

// BtcdNode is a btcd in regtest mode: a bitcoin-rpc provider with a
// transaction index, without a wallet.
type BtcdNode struct {
	coreNode
}

// Btcd starts a btcd at height 0 that knows no peer. In regtest mode btcd throws
// its chain away at each start, so after Restart it is at height 0 again.
func Btcd(tb testing.TB) *BtcdNode {
	tb.Helper()
	dir := tb.TempDir()
	// Without a configuration file of its own, btcd writes one to HOME.
	config := filepath.Join(dir, "btcd.conf")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		tb.Fatalf("node btcd: %v", err)
	}
	n := &BtcdNode{coreNode{Server: Server{RPC: newSecuredRPC(tb)}, peerAddress: FreeAddress(tb)}}
	n.Process = Start(tb, Spec{
		Name:   "btcd",
		Binary: "btcd",
		Dir:    dir,
		Args: []string{
			"--regtest", "--notls", "--nodnsseed", "--txindex",
			"--configfile=" + config,
			"--datadir=" + filepath.Join(dir, "data"),
			"--logdir=" + filepath.Join(dir, "logs"),
			"--rpccert=" + filepath.Join(dir, "rpc.cert"),
			"--rpckey=" + filepath.Join(dir, "rpc.key"),
			"--rpcuser=" + n.user,
			"--rpcpass=" + n.password,
			"--rpclisten=" + n.address,
			"--listen=" + n.peerAddress,
			"--miningaddr=" + regtestAddress,
		},
		Ready: n.answers(),
	})
	return n
}

// Mine adds blocks to the node's chain and returns their hashes.
func (n *BtcdNode) Mine(blocks int) []string {
	n.tb.Helper()
	var hashes []string
	n.Ask(&hashes, "generate", blocks)
	return hashes
}

// Connect makes peer a lasting peer of the node and waits until both see it.
// From then on the shorter chain follows the longer one.
func (n *BtcdNode) Connect(peer *BtcdNode) {
	n.tb.Helper()
	n.Ask(nil, "addnode", peer.peerAddress, "add")
	n.awaitPeers(1)
}

// Disconnect takes back what Connect did: the two no longer hear each other.
func (n *BtcdNode) Disconnect(peer *BtcdNode) {
	n.tb.Helper()
	n.Ask(nil, "addnode", peer.peerAddress, "remove")
	n.awaitPeers(0)
}
