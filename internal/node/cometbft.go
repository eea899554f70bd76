package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// CometNode is a CometBFT node with its key-value application: a cometbft-rpc
// provider, either the chain's one validator or a follower of it.
type CometNode struct {
	Server
	home        string
	peerAddress string
}

// CometStatus is what a node says about itself under "status".
type CometStatus struct {
	Network    string
	Height     int64
	Hash       string
	Time       time.Time
	CatchingUp bool
}

// CometBFT starts the only validator of a new chain, which makes about five
// blocks a second from height 1 on.
func CometBFT(tb testing.TB) *CometNode {
	tb.Helper()
	n := newCometNode(tb, "validator")
	n.start(tb)
	return n
}

// Follower starts a node that holds no vote and gets its blocks from the
// validator. While the validator is paused, it stays at height 0 and says that
// it is catching up.
func Follower(tb testing.TB, validator *CometNode) *CometNode {
	tb.Helper()
	n := newCometNode(tb, "follower")
	n.copyFrom(tb, validator, "genesis.json")
	id := cometbft(tb, validator.home, "show-node-id")
	n.start(tb, "--p2p.persistent_peers", id+"@"+validator.peerAddress)
	return n
}

// Rival starts a node in the place of another one, which was stopped, that signs
// with the validator's key and the same genesis a chain of its own: from block 2
// on, its blocks are not those of the validator. That is what a network shows that
// was forked with more than two thirds of its votes.
func Rival(tb testing.TB, validator, place *CometNode) *CometNode {
	tb.Helper()
	n := newCometNode(tb, "rival")
	n.copyFrom(tb, validator, "genesis.json", "priv_validator_key.json")
	n.RPC = place.RPC
	n.start(tb)
	return n
}

// newCometNode makes the files of a node that does not run yet.
func newCometNode(tb testing.TB, role string) *CometNode {
	tb.Helper()
	n := &CometNode{
		Server:      Server{RPC: RPC{address: FreeAddress(tb)}},
		home:        filepath.Join(tb.TempDir(), role),
		peerAddress: FreeAddress(tb),
	}
	cometbft(tb, n.home, "init")
	n.configure(tb)
	return n
}

// copyFrom takes files of another node's configuration over.
func (n *CometNode) copyFrom(tb testing.TB, other *CometNode, names ...string) {
	tb.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(other.home, "config", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(n.home, "config", name), text, 0o600)
		}
		if err != nil {
			tb.Fatalf("node cometbft: %v", err)
		}
	}
}

// configure changes what no flag can: fast blocks, and peers on loopback.
func (n *CometNode) configure(tb testing.TB) {
	tb.Helper()
	path := filepath.Join(n.home, "config", "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("node cometbft: %v", err)
	}
	config := string(text)
	for _, change := range [][2]string{
		{`timeout_commit = "1s"`, `timeout_commit = "200ms"`},
		{`addr_book_strict = true`, `addr_book_strict = false`},
		{`allow_duplicate_ip = false`, `allow_duplicate_ip = true`},
	} {
		if strings.Count(config, change[0]) != 1 {
			tb.Fatalf("node cometbft: its configuration has no line %q; another version?", change[0])
		}
		config = strings.Replace(config, change[0], change[1], 1)
	}
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		tb.Fatalf("node cometbft: %v", err)
	}
}

// start runs the node and waits until it tells its status.
func (n *CometNode) start(tb testing.TB, args ...string) {
	tb.Helper()
	endpoint := n.RPC
	own := []string{
		"node", "--home", n.home, "--proxy_app", "kvstore",
		"--rpc.laddr", "tcp://" + n.address,
		"--p2p.laddr", "tcp://" + n.peerAddress,
	}
	n.Process = Start(tb, Spec{
		Name:   "cometbft-" + filepath.Base(n.home),
		Binary: "cometbft",
		Dir:    n.home,
		Args:   append(own, args...),
		Ready:  func(ctx context.Context) error { _, err := cometStatus(ctx, endpoint); return err },
	})
}

// Status returns what the node says about itself.
func (n *CometNode) Status() CometStatus {
	n.tb.Helper()
	status, err := cometStatus(n.tb.Context(), n.RPC)
	if err != nil {
		n.tb.Fatalf("node %s: %v", n.spec.Name, err)
	}
	return status
}

// Hash returns the hash of the block at a height, which has to be there.
func (n *CometNode) Hash(height int64) string {
	n.tb.Helper()
	var block struct {
		ID struct {
			Hash string `json:"hash"`
		} `json:"block_id"`
	}
	n.Ask(&block, "block", strconv.FormatInt(height, 10))
	return block.ID.Hash
}

// AwaitHeight waits until the node has reached a height.
func (n *CometNode) AwaitHeight(height int64) {
	n.tb.Helper()
	n.AwaitStatus(fmt.Sprintf("reach height %d", height), func(s CometStatus) bool { return s.Height >= height })
}

// AwaitStatus waits until the node's status is as wanted.
func (n *CometNode) AwaitStatus(what string, wanted func(CometStatus) bool) {
	n.tb.Helper()
	Await(n.tb, n.spec.Name+" to "+what, func(ctx context.Context) error {
		status, err := cometStatus(ctx, n.RPC)
		if err != nil {
			return err
		}
		if !wanted(status) {
			return fmt.Errorf("its status is %+v", status)
		}
		return nil
	})
}

// cometStatus asks a node for its status. Its numbers are strings.
func cometStatus(ctx context.Context, endpoint RPC) (CometStatus, error) {
	var answer struct {
		NodeInfo struct {
			Network string `json:"network"`
		} `json:"node_info"`
		SyncInfo struct {
			Height     int64     `json:"latest_block_height,string"`
			Hash       string    `json:"latest_block_hash"`
			Time       time.Time `json:"latest_block_time"`
			CatchingUp bool      `json:"catching_up"`
		} `json:"sync_info"`
	}
	if err := endpoint.Call(ctx, &answer, "status"); err != nil {
		return CometStatus{}, err
	}
	sync := answer.SyncInfo
	return CometStatus{
		Network:    answer.NodeInfo.Network,
		Height:     sync.Height,
		Hash:       sync.Hash,
		Time:       sync.Time,
		CatchingUp: sync.CatchingUp,
	}, nil
}

// cometbft runs one of the program's short commands on a node's files and
// returns what it prints.
func cometbft(tb testing.TB, home, command string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), Binary(tb, "cometbft"), command, "--home", home)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("node cometbft: %s: %v\n%s", command, err, out)
	}
	return strings.TrimSpace(string(out))
}
