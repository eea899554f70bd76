package chain

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// evmProbes are the capabilities that can be verified; each takes one request.
var evmProbes = map[string]capabilityProbe{
	config.CapabilityReceipts: evmReceipts,
	config.CapabilityArchive:  evmArchive,
	config.CapabilityBatch:    evmBatch,
}

// Capabilities verifies receipts, archive and batch.
func (evm) Capabilities(ctx context.Context, s *Session, tip Tip, declared []string) (map[string]bool, error) {
	return verifyEach(ctx, s, tip, declared, evmProbes)
}

// settled is how far below the tip a block is that every backend behind one URL
// has, also one that is a little late.
const settled = 8

// evmReceipts asks for all receipts of a recent block. Only the beginning of
// the answer counts, which may be megabytes long.
func evmReceipts(ctx context.Context, s *Session, tip Tip) error {
	s.wantBlock()
	raw, err := s.CallRaw(ctx, "eth_getBlockReceipts", []any{quantity(tip.Height - min(settled, tip.Height))})
	if err != nil {
		return err
	}
	if raw == nil {
		return s.RejectMissing("the receipts are null")
	}
	if raw[0] != '[' {
		return s.Reject("receipts that are no list")
	}
	return nil
}

// evmArchive asks for a balance in the state after block 1, which only a node
// keeps that keeps all. The others say "missing trie node", "header not found"
// or "pruned", under various codes.
func evmArchive(ctx context.Context, s *Session, tip Tip) error {
	if tip.Height == 0 {
		return errUntold
	}
	var balance string
	if err := s.Call(ctx, "eth_getBalance", []any{"0x" + strings.Repeat("0", 40), "0x1"}, &balance); err != nil {
		return err
	}
	// A balance can be larger than any Quantity here.
	digits, ok := strings.CutPrefix(balance, "0x")
	if !ok || digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return s.Reject("a balance that is no quantity")
	}
	return nil
}

// evmBatch sends the two cheapest calls in one array.
func evmBatch(ctx context.Context, s *Session, _ Tip) error {
	results, err := s.Batch(ctx, rpcCall{Method: "eth_chainId", Params: []any{}}, rpcCall{Method: "eth_blockNumber", Params: []any{}})
	if err != nil {
		return err
	}
	for _, result := range results {
		var number *Quantity
		if err := json.Unmarshal(result, &number); err != nil || number == nil {
			return s.Reject("the batch is answered with something else than quantities")
		}
	}
	return nil
}
