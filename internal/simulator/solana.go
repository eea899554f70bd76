package simulator

import (
	"encoding/json"
	"fmt"
	"strings"
)

// solanaRPC is solana-rpc as agave speaks it. The height of the chain is its
// slot; a slot may have no block.
var solanaRPC = &rpcService{
	methods: map[string]rpcMethod{
		"getSlot":                 solanaGetSlot,
		"getBlockHeight":          solanaBlockHeight,
		"getEpochInfo":            solanaEpoch,
		"getBlock":                solanaBlock,
		"getBlocks":               solanaBlocks,
		"getBlockTime":            solanaBlockTime,
		"getLatestBlockhash":      solanaLatest,
		"getHealth":               solanaHealth,
		"getGenesisHash":          func(v *view, _ args) (any, *rpcError) { return v.identity.Network, nil },
		"getVersion":              constant(map[string]any{"solana-core": "2.2.0", "feature-set": 3271415109}),
		"getIdentity":             constant(map[string]string{"identity": derived("node", Hash{}).Base58()}),
		"getFirstAvailableBlock":  func(v *view, _ args) (any, *rpcError) { return v.lowest(), nil },
		"minimumLedgerSlot":       func(v *view, _ args) (any, *rpcError) { return v.lowest(), nil },
		"getClusterNodes":         solanaNodes,
		"getBalance":              solanaBalance,
		"getTransaction":          solanaTransaction,
		"getTransactionCount":     func(v *view, _ args) (any, *rpcError) { return 3 * v.tip, nil },
		"getSignaturesForAddress": constant([]struct{}{}),
		"sendTransaction":         solanaSend,
	},
	unknown: func(string) *rpcError { return &rpcError{Code: -32601, Message: "Method not found"} },
	heights: map[string]bool{"getSlot": true, "absoluteSlot": true, "slot": true, "blockHeight": true, "getBlockHeight": true},
}

// solanaFinalized is how many slots the commitment finalized is behind the
// other two.
const solanaFinalized = 32

// solanaHealthy is how many slots behind a node still calls itself healthy:
// agave's health-check-slot-distance.
const solanaHealthy = 128

// skipped says whether a slot has no block.
func (v *view) skipped(slot uint64) bool {
	every := v.chain.options.SkipEvery
	return every > 1 && slot%every == every-1
}

// solanaSettled is a slot, or the one before if it has no block.
func solanaSettled(v *view, slot uint64) uint64 {
	if slot > 0 && v.skipped(slot) {
		slot--
	}
	return slot
}

// solanaBlocksBelow is the number of blocks up to a slot.
func solanaBlocksBelow(v *view, slot uint64) uint64 {
	if every := v.chain.options.SkipEvery; every > 1 {
		return slot - (slot+1)/every
	}
	return slot
}

// solanaConfig is the object that may be the last parameter.
type solanaConfig struct {
	Commitment         string  `json:"commitment"`
	MinContextSlot     uint64  `json:"minContextSlot"`
	TransactionDetails string  `json:"transactionDetails"`
	Rewards            *bool   `json:"rewards"`
	MaxVersion         *uint64 `json:"maxSupportedTransactionVersion"`
}

// solanaAt is the slot of the commitment that is asked for.
func solanaAt(v *view, a args, place int) (uint64, solanaConfig, *rpcError) {
	var c solanaConfig
	raw := a.raw(place, "")
	if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &c) != nil {
		return 0, c, &rpcError{Code: -32602, Message: "Invalid params: invalid configuration."}
	}
	slot := solanaSettled(v, v.tip)
	switch c.Commitment {
	case "processed", "confirmed":
	case "finalized", "":
		slot = solanaSettled(v, v.below(solanaFinalized))
	default:
		return 0, c, &rpcError{Code: -32602, Message: fmt.Sprintf("Invalid params: unknown variant `%s`, expected one of `processed`, `confirmed`, `finalized`.", c.Commitment)}
	}
	if c.MinContextSlot > slot {
		return 0, c, &rpcError{Code: -32016, Message: "Minimum context slot has not been reached", Data: map[string]any{"contextSlot": slot}}
	}
	return slot, c, nil
}

func solanaGetSlot(v *view, a args) (any, *rpcError) {
	slot, _, err := solanaAt(v, a, 0)
	if err != nil {
		return nil, err
	}
	return slot, nil
}

func solanaBlockHeight(v *view, a args) (any, *rpcError) {
	slot, _, err := solanaAt(v, a, 0)
	if err != nil {
		return nil, err
	}
	return solanaBlocksBelow(v, slot), nil
}

func solanaEpoch(v *view, a args) (any, *rpcError) {
	const slotsInEpoch = 432000
	slot, _, err := solanaAt(v, a, 0)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"absoluteSlot": slot, "blockHeight": solanaBlocksBelow(v, slot), "epoch": slot / slotsInEpoch, "slotIndex": slot % slotsInEpoch,
		"slotsInEpoch": slotsInEpoch, "transactionCount": 3 * slot,
	}, nil
}

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

// solanaContext is a value with the slot that it holds for.
func solanaContext(slot uint64, value any) map[string]any {
	return map[string]any{"context": map[string]any{"apiVersion": "2.2.0", "slot": slot}, "value": value}
}

func solanaLatest(v *view, a args) (any, *rpcError) {
	slot, _, err := solanaAt(v, a, 0)
	if err != nil {
		return nil, err
	}
	return solanaContext(slot, map[string]any{
		"blockhash": v.hash(slot).Base58(), "lastValidBlockHeight": solanaBlocksBelow(v, slot) + 150,
	}), nil
}

func solanaHealth(v *view, _ args) (any, *rpcError) {
	behind := v.chainTip - min(v.tip, v.chainTip)
	switch {
	case v.Health == HealthBad || v.Starting:
		return nil, &rpcError{Code: -32005, Message: "Node is unhealthy", Data: map[string]any{"numSlotsBehind": nil}}
	case v.Health == HealthHonest && behind > solanaHealthy:
		return nil, &rpcError{Code: -32005, Message: fmt.Sprintf("Node is behind by %d slots", behind), Data: map[string]any{"numSlotsBehind": behind}}
	}
	return "ok", nil
}

func solanaNodes(v *view, _ args) (any, *rpcError) {
	n, ok := v.peers(20)
	if !ok {
		return nil, &rpcError{Code: -32601, Message: "Method not found"}
	}
	out := make([]map[string]any, n)
	for i := range out {
		out[i] = map[string]any{
			"pubkey": derived(fmt.Sprintf("node%d", i), Hash{}).Base58(), "gossip": fmt.Sprintf("192.0.2.%d:8001", i%254+1),
			"tpu": nil, "rpc": nil, "version": "2.2.0", "featureSet": 3271415109, "shredVersion": 50093,
		}
	}
	return out, nil
}

func solanaBalance(v *view, a args) (any, *rpcError) {
	slot, _, err := solanaAt(v, a, 1)
	if err != nil {
		return nil, err
	}
	return solanaContext(slot, 1_000_000_000), nil
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

// solanaSend accepts any transaction; its signature follows from its bytes.
func solanaSend(_ *view, a args) (any, *rpcError) {
	text, ok := a.text(0, "")
	if !ok {
		return nil, &rpcError{Code: -32602, Message: "Invalid params: invalid type, expected a string."}
	}
	return solanaSignature(derived("sent"+text, Hash{})), nil
}
