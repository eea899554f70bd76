package node

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
)

// AnvilNode is an anvil: an EVM provider whose chain the test can bend.
type AnvilNode struct {
	Server
}

// Anvil starts an anvil with this chain id. It mines a block every blockTime
// seconds; with 0 it mines only when told to.
func Anvil(tb testing.TB, chainID uint64, blockTime int) *AnvilNode {
	tb.Helper()
	if blockTime > 0 {
		return startAnvil(tb, chainID, "--block-time", strconv.Itoa(blockTime))
	}
	return startAnvil(tb, chainID, "--no-mining")
}

// startAnvil starts an anvil with further arguments.
func startAnvil(tb testing.TB, chainID uint64, args ...string) *AnvilNode {
	tb.Helper()
	n := &AnvilNode{Server{RPC: RPC{address: FreeAddress(tb)}}}
	endpoint := n.RPC
	n.Process = Start(tb, Spec{
		Name:   "anvil",
		Binary: "anvil",
		Args: append([]string{
			"--host", "127.0.0.1", "--port", portOf(tb, n.address),
			"--chain-id", strconv.FormatUint(chainID, 10),
		}, args...),
		Ready: func(ctx context.Context) error { return endpoint.Call(ctx, nil, "eth_blockNumber") },
	})
	return n
}

// Height returns the number of the latest block.
func (n *AnvilNode) Height() int64 {
	n.tb.Helper()
	var number string
	n.Ask(&number, "eth_blockNumber")
	height, err := strconv.ParseInt(number, 0, 64)
	if err != nil {
		n.tb.Fatalf("node anvil: height: %v", err)
	}
	return height
}

// Hash returns the hash of the block at a height, which has to be there.
func (n *AnvilNode) Hash(height int64) string {
	n.tb.Helper()
	var block *struct {
		Hash string `json:"hash"`
	}
	n.Ask(&block, "eth_getBlockByNumber", hex(height), false)
	if block == nil {
		n.tb.Fatalf("node anvil: no block at height %d", height)
	}
	return block.Hash
}

// Mine adds blocks to the chain at once.
func (n *AnvilNode) Mine(blocks int64) {
	n.tb.Helper()
	n.Ask(nil, "anvil_mine", hex(blocks))
}

// Reorg replaces the last blocks by as many others: the height stays, the
// hashes change.
func (n *AnvilNode) Reorg(depth int64) {
	n.tb.Helper()
	n.Ask(nil, "anvil_reorg", depth, json.RawMessage("[]"))
}

// Rollback takes the last blocks away: the height falls.
func (n *AnvilNode) Rollback(depth int64) {
	n.tb.Helper()
	n.Ask(nil, "anvil_rollback", depth)
}

// SetIntervalMining mines a block every so many seconds from now on. With 0
// the tip stands still.
func (n *AnvilNode) SetIntervalMining(seconds int) {
	n.tb.Helper()
	n.Ask(nil, "evm_setIntervalMining", seconds)
}

// hex writes a number as the EVM's JSON-RPC wants it.
func hex(number int64) string { return fmt.Sprintf("%#x", number) }
