package chain

import (
	"context"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Capabilities verifies wallet, txindex and batch.
func (b bitcoin) Capabilities(ctx context.Context, s *Session, tip Tip, declared []string) (map[string]bool, error) {
	return verifyEach(ctx, s, tip, declared, map[string]capabilityProbe{
		config.CapabilityWallet:  b.hasWallet,
		config.CapabilityTxIndex: b.hasTxIndex,
		config.CapabilityBatch:   b.takesBatches,
	})
}

// hasWallet asks about the wallet and not for its coins, which may be many.
// Bitcoin Core refuses with -32601 without wallet support, -18 without a loaded
// wallet and -19 where the URL does not say which of several (rpc/protocol.h).
func (bitcoin) hasWallet(ctx context.Context, s *Session, _ Tip) error {
	var wallet map[string]any
	if err := s.Call(ctx, "getwalletinfo", []any{}, &wallet); err != nil {
		return err
	}
	if wallet == nil {
		return s.RejectMissing("the wallet is null")
	}
	return nil
}

// hasTxIndex asks for the oldest transaction that can be had: the first of
// block 1, since the one of the genesis block is in no index. A pruned node no
// longer has that block, and cannot have an index either.
func (b bitcoin) hasTxIndex(ctx context.Context, s *Session, tip Tip) error {
	if tip.Height == 0 {
		return errUntold
	}
	hash, err := b.hash(ctx, s, 1)
	if err != nil {
		return err
	}
	var first *bitcoinBlock
	if err := s.Call(ctx, "getblock", []any{hash}, &first); err != nil {
		return err
	}
	if first == nil || len(first.Tx) == 0 {
		return s.RejectMissing("block 1 has no transactions")
	}
	var raw string
	if err := s.Call(ctx, "getrawtransaction", []any{first.Tx[0]}, &raw); err != nil {
		return err
	}
	if raw == "" || strings.Trim(raw, "0123456789abcdefABCDEF") != "" {
		return s.Reject("a transaction that is not hexadecimal")
	}
	return nil
}

// takesBatches sends the two cheapest calls in one array.
func (bitcoin) takesBatches(ctx context.Context, s *Session, _ Tip) error {
	results, err := s.Batch(ctx, rpcCall{Method: "getblockcount", Params: []any{}}, rpcCall{Method: "getbestblockhash", Params: []any{}})
	if err != nil {
		return err
	}
	for _, result := range results {
		if result == nil {
			return s.RejectMissing("a null result in the batch")
		}
	}
	return nil
}
