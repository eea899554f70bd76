package simulator

import (
	"encoding/json"
	"fmt"
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

// solanaSend accepts any transaction; its signature follows from its bytes.
func solanaSend(_ *view, a args) (any, *rpcError) {
	text, ok := a.text(0, "")
	if !ok {
		return nil, &rpcError{Code: -32602, Message: "Invalid params: invalid type, expected a string."}
	}
	return solanaSignature(derived("sent"+text, Hash{})), nil
}
