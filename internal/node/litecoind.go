package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// LitecoinNode is a litecoind in regtest mode: the provider of the Bitcoin
// Core family, with its error codes, HTTP statuses and wallet.
type LitecoinNode struct {
	coreNode
	payTo string         // Descriptor of the script that this node mines to.
	calls sync.WaitGroup // Those of Overload. They end with the node at the latest.
}

// Litecoind starts a litecoind at height 0 that knows no peer. Further arguments
// are added to its own, such as "-disablewallet" or "-rpcworkqueue=1".
func Litecoind(tb testing.TB, args ...string) *LitecoinNode {
	tb.Helper()
	n := &LitecoinNode{coreNode: coreNode{Server: Server{RPC: newSecuredRPC(tb)}, peerAddress: FreeAddress(tb)}}
	dir := tb.TempDir()
	own := []string{
		"-regtest", "-datadir=" + dir, "-server=1", "-txindex=1", "-printtoconsole=1",
		"-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1", "-rpcport=" + portOf(tb, n.address),
		"-rpcuser=" + n.user, "-rpcpassword=" + n.password,
		"-listen=1", "-listenonion=0", "-bind=" + n.peerAddress, "-bind=" + FreeAddress(tb) + "=onion",
		"-dnsseed=0", "-discover=0", "-upnp=0",
		"-fallbackfee=0.0001",
	}
	tb.Cleanup(n.calls.Wait)
	n.Process = Start(tb, Spec{
		Name:   "litecoind",
		Binary: "litecoind",
		Dir:    dir,
		Args:   append(own, args...),
		Ready:  n.answers(),
	})
	n.payTo = n.ownScript()
	return n
}

// ownScript makes up the descriptor of a script that nobody can spend from. It
// differs from node to node: two nodes that mine to the same script at the same
// second make the same block, so that their chains would not fork.
func (n *LitecoinNode) ownScript() string {
	n.tb.Helper()
	const opReturn = 0x6a
	text := rand.Text()
	script := append([]byte{opReturn, byte(len(text))}, text...)
	var info struct {
		Descriptor string `json:"descriptor"`
	}
	n.Ask(&info, "getdescriptorinfo", fmt.Sprintf("raw(%x)", script))
	return info.Descriptor
}

// Mine adds blocks to the node's chain and returns their hashes. It takes no
// wallet.
func (n *LitecoinNode) Mine(blocks int) []string {
	n.tb.Helper()
	var hashes []string
	n.Ask(&hashes, "generatetodescriptor", blocks, n.payTo)
	return hashes
}

// CreateWallet makes and loads a wallet, after which wallet calls succeed.
func (n *LitecoinNode) CreateWallet(name string) {
	n.tb.Helper()
	n.Ask(nil, "createwallet", name)
}

// Connect makes peer a peer of the node, and waits until both see it.
func (n *LitecoinNode) Connect(peer *LitecoinNode) {
	n.tb.Helper()
	n.Ask(nil, "addnode", peer.peerAddress, "onetry")
	n.awaitPeers(1)
	peer.awaitPeers(1)
}

// Disconnect ends the connection that Connect made.
func (n *LitecoinNode) Disconnect(peer *LitecoinNode) {
	n.tb.Helper()
	n.Ask(nil, "disconnectnode", peer.peerAddress)
	n.awaitPeers(0)
	peer.awaitPeers(0)
}

// Overload fills the node's RPC threads and its work queue (4 and 16 by
// default) with calls that wait for a block. It returns once the node refuses
// work: for the given time, every further call is answered with HTTP 500 and
// the text "Work queue depth exceeded". After that the queue drains, a thread
// taking the given time for each call in it, so a test that waits for the end
// starts the node with "-rpcthreads=1" and "-rpcworkqueue=1".
func (n *LitecoinNode) Overload(length time.Duration) {
	n.tb.Helper()
	ctx, endpoint := context.WithoutCancel(n.tb.Context()), n.RPC
	refused := make(chan struct{})
	refuse := sync.OnceFunc(func() { close(refused) })
	call := func() {
		err := endpoint.Call(ctx, nil, "waitfornewblock", length.Milliseconds())
		if answer, ok := errors.AsType[*RPCError](err); ok && strings.Contains(answer.Message, "Work queue depth") {
			refuse()
		}
	}
	Await(n.tb, n.spec.Name+" to refuse work", func(context.Context) error {
		n.calls.Go(call)
		select {
		case <-refused:
			return nil
		case <-time.After(pollPause):
			return errors.New("it still takes calls")
		}
	})
}
