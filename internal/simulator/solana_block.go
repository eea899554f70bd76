package simulator

import (
	"fmt"
	"strings"
)

// solanaSlot is the slot that is asked for, if its block can be had.
func solanaSlot(v *view, a args, newest uint64) (uint64, *rpcError) {
	slot, ok := a.number(0, "")
	switch {
	case !ok:
		return 0, &rpcError{Code: -32602, Message: "Invalid params: invalid type, expected u64."}
	case v.pruned(slot):
		return 0, &rpcError{Code: -32001, Message: fmt.Sprintf("Block %d cleaned up, does not exist on node. First available block: %d", slot, v.lowest())}
	case slot > newest || !v.has(slot):
		return 0, &rpcError{Code: -32004, Message: fmt.Sprintf("Block not available for slot %d", slot)}
	case v.skipped(slot):
		return 0, &rpcError{Code: -32007, Message: fmt.Sprintf("Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot)}
	}
	return slot, nil
}

func solanaBlock(v *view, a args) (any, *rpcError) {
	newest, config, err := solanaAt(v, a, 1)
	if err != nil {
		return nil, err
	}
	if config.Commitment == "processed" {
		return nil, &rpcError{Code: -32602, Message: "Method does not support commitment below `confirmed`"}
	}
	slot, err := solanaSlot(v, a, newest)
	if err != nil {
		return nil, err
	}
	b := v.block(slot)
	parent := solanaSettled(v, slot-min(1, slot))
	out := map[string]any{
		"blockhash": b.Hash.Base58(), "previousBlockhash": v.hash(parent).Base58(), "parentSlot": parent,
		"blockHeight": solanaBlocksBelow(v, slot), "blockTime": b.Time.Unix(),
	}
	if config.Rewards == nil || *config.Rewards {
		out["rewards"] = []struct{}{}
	}
	switch config.TransactionDetails {
	case "none":
	case "signatures":
		signatures := make([]string, len(b.Transactions))
		for i, id := range b.Transactions {
			signatures[i] = solanaSignature(id)
		}
		out["signatures"] = signatures
	default:
		whole := make([]map[string]any, len(b.Transactions))
		for i, id := range b.Transactions {
			whole[i] = solanaTransfer(b, id)
		}
		out["transactions"] = whole
	}
	return out, nil
}

// solanaSignature is the name of a transaction: its id and as many bytes again.
func solanaSignature(id Hash) string {
	rest := derived("signature", id)
	return base58(append(id[:], rest[:]...))
}

func solanaTransfer(b Block, id Hash) map[string]any {
	from, to := derived("from", id).Base58(), derived("to", id).Base58()
	return map[string]any{
		"version": "legacy",
		"meta": map[string]any{
			"err": nil, "fee": 5000, "status": map[string]any{"Ok": nil}, "preBalances": []int{1000000000, 0, 1},
			"postBalances": []int{998995000, 1000000, 1}, "innerInstructions": []struct{}{}, "logMessages": []string{},
			"preTokenBalances": []struct{}{}, "postTokenBalances": []struct{}{}, "rewards": []struct{}{},
		},
		"transaction": map[string]any{
			"signatures": []string{solanaSignature(id)},
			"message": map[string]any{
				"accountKeys": []string{from, to, strings.Repeat("1", 32)}, "recentBlockhash": b.Parent.Base58(),
				"header":       map[string]int{"numRequiredSignatures": 1, "numReadonlySignedAccounts": 0, "numReadonlyUnsignedAccounts": 1},
				"instructions": []map[string]any{{"programIdIndex": 2, "accounts": []int{0, 1}, "data": "3Bxs4h24hBtQy9rw"}},
			},
		},
	}
}

// solanaBlocks are the slots with a block between two, at most 500,000 apart.
func solanaBlocks(v *view, a args) (any, *rpcError) {
	from, ok := a.number(0, "")
	to, bounded := a.number(1, "")
	place := 1
	if bounded {
		place = 2
	}
	newest, _, err := solanaAt(v, a, place)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, &rpcError{Code: -32602, Message: "Invalid params: invalid type, expected u64."}
	case !bounded || to > newest:
		to = newest
	}
	if to >= from && to-from > 500_000 {
		return nil, &rpcError{Code: -32602, Message: "Slot range too large; max 500000"}
	}
	out := []uint64{}
	for slot := max(from, v.lowest()); slot <= to; slot++ {
		if !v.skipped(slot) && v.has(slot) {
			out = append(out, slot)
		}
	}
	return out, nil
}

func solanaBlockTime(v *view, a args) (any, *rpcError) {
	slot, err := solanaSlot(v, a, v.tip)
	if err != nil {
		return nil, err
	}
	return v.time(slot).Unix(), nil
}

// solanaTransaction is null for what is not there.
func solanaTransaction(v *view, a args) (any, *rpcError) {
	text, _ := a.text(0, "")
	signature, ok := parseBase58(text, 64)
	if !ok {
		return nil, &rpcError{Code: -32602, Message: "Invalid param: Invalid"}
	}
	id := Hash(signature[:32])
	b, _, found := v.findTransaction(id)
	if !found {
		return nil, nil
	}
	out := solanaTransfer(b, id)
	out["slot"], out["blockTime"] = b.Height, b.Time.Unix()
	return out, nil
}
