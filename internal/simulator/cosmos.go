package simulator

import (
	"fmt"
	"strconv"
	"time"
)

// cosmosErrors are what a node of CometBFT 1.0 says of a height; both dialects
// of the family pass the texts on.
func cosmosTooHigh(v *view, height uint64) string {
	return fmt.Sprintf("height %d must be less than or equal to the current blockchain height %d", height, v.tip)
}

func cosmosPruned(v *view, height uint64) string {
	return fmt.Sprintf("height %d is not available, lowest height is %d", height, cosmosLowest(v))
}

// cosmosLowest is the lowest height that is kept; these chains begin at 1.
func cosmosLowest(v *view) uint64 { return max(1, v.lowest()) }

// cosmosTime is a time as protocol buffers write it in JSON.
func cosmosTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999999Z07:00") }

// cosmosForm is how one of the dialects writes the parts of a block that they
// have in common.
type cosmosForm struct {
	// hash writes a hash.
	hash func(Hash) string
	// parts is the name of the part set of a block id.
	parts string
	// address writes an address of twenty bytes.
	address func(Hash) string
}

// number is a 64-bit number, which both dialects write as a string.
func (cosmosForm) number(n uint64) string { return strconv.FormatUint(n, 10) }

func (f cosmosForm) blockID(h Hash) map[string]any {
	if h == (Hash{}) {
		return map[string]any{"hash": "", f.parts: map[string]any{"total": 0, "hash": ""}}
	}
	return map[string]any{"hash": f.hash(h), f.parts: map[string]any{"total": 1, "hash": f.hash(derived("parts", h))}}
}

// parent is the id of the block before; the first block has none.
func (f cosmosForm) parent(b Block) map[string]any {
	if b.Height <= 1 {
		return f.blockID(Hash{})
	}
	return f.blockID(b.Parent)
}

func (f cosmosForm) header(v *view, b Block) map[string]any {
	return map[string]any{
		"version":              map[string]string{"block": "11", "app": "1"},
		"chain_id":             v.identity.Network,
		"height":               f.number(b.Height),
		"time":                 cosmosTime(b.Time),
		"last_block_id":        f.parent(b),
		"last_commit_hash":     f.hash(derived("commit", b.Hash)),
		"data_hash":            f.hash(derived("data", b.Hash)),
		"validators_hash":      f.hash(derived("validators", Hash{})),
		"next_validators_hash": f.hash(derived("validators", Hash{})),
		"consensus_hash":       f.hash(derived("consensus", Hash{})),
		"app_hash":             f.hash(derived("app", b.Hash)),
		"last_results_hash":    f.hash(derived("results", b.Hash)),
		"evidence_hash":        f.hash(derived("evidence", Hash{})),
		"proposer_address":     f.address(derived("proposer", Hash{})),
	}
}

// block is a block with its transactions, which are base64 in both dialects.
func (f cosmosForm) block(v *view, b Block) map[string]any {
	txs := make([]string, len(b.Transactions))
	for i, id := range b.Transactions {
		txs[i] = id.Base64()
	}
	return map[string]any{
		"header":   f.header(v, b),
		"data":     map[string]any{"txs": txs},
		"evidence": map[string]any{"evidence": []string{}},
		"last_commit": map[string]any{
			"height": f.number(b.Height - min(1, b.Height)), "round": 0, "block_id": f.parent(b), "signatures": []string{},
		},
	}
}
