package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// esploraREST is esplora-rest, as Blockstream's electrs and mempool.space have
// it. What it says of a chain is text where one word is enough.
type esploraREST struct{}

// esploraHeights are the fields that hold a height; a whole text goes by its
// path.
var esploraHeights = map[string]bool{"height": true, "block_height": true, esploraTip: true}

// esploraTip is the path of the height.
const esploraTip = "/blocks/tip/height"

// esploraBlock is a block as /block/HASH gives it.
type esploraBlock struct {
	ID                string  `json:"id"`
	Height            uint64  `json:"height"`
	Version           int     `json:"version"`
	Timestamp         int64   `json:"timestamp"`
	MedianTime        int64   `json:"mediantime"`
	TxCount           int     `json:"tx_count"`
	Size              int     `json:"size"`
	Weight            int     `json:"weight"`
	MerkleRoot        string  `json:"merkle_root"`
	PreviousBlockHash *string `json:"previousblockhash"`
	Nonce             uint32  `json:"nonce"`
	Bits              uint32  `json:"bits"`
	Difficulty        float64 `json:"difficulty"`
}

func (e esploraREST) answer(v *view, r *request) reply {
	path := strings.TrimSuffix(r.path, "/")
	if slices.Contains(v.Unsupported, path) {
		return textReply(http.StatusNotFound, "endpoint does not exist")
	}
	if r.verb == http.MethodPost && path == "/tx" {
		return textReply(http.StatusOK, derived("sent"+string(r.body), Hash{}).Hex())
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case r.verb != http.MethodGet:
	case path == esploraTip:
		return e.text(v, path, strconv.FormatUint(v.tip, 10))
	case path == "/blocks/tip/hash":
		return e.text(v, path, v.hash(v.tip).Hex())
	case parts[0] == "block-height" && len(parts) == 2:
		return e.blockHeight(v, path, parts[1])
	case parts[0] == "block" && len(parts) >= 2:
		return e.block(v, parts[1], parts[2:])
	case parts[0] == "blocks" && len(parts) <= 2:
		return e.blocks(v, parts[1:])
	case parts[0] == "tx" && len(parts) >= 2:
		return e.transaction(v, parts[1], parts[2:])
	}
	return textReply(http.StatusNotFound, "endpoint does not exist")
}

// text is one word, with its distortion.
func (esploraREST) text(v *view, path, word string) reply {
	return textReply(http.StatusOK, string(v.distort([]byte(word), path, esploraHeights)))
}

func (e esploraREST) blockHeight(v *view, path, text string) reply {
	height, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil:
		return textReply(http.StatusBadRequest, "Invalid height")
	case !v.has(height):
		return textReply(http.StatusNotFound, "Block not found")
	}
	return e.text(v, path, v.hash(height).Hex())
}

func (e esploraREST) block(v *view, text string, rest []string) reply {
	h, ok := parseHash(text)
	if !ok {
		return textReply(http.StatusBadRequest, "Invalid hash string")
	}
	height, found := v.find(h)
	if !found || !v.has(height) {
		return textReply(http.StatusNotFound, "Block not found")
	}
	b := v.block(height)
	switch {
	case len(rest) == 0:
		return v.json(e.describe(v, b), esploraHeights)
	case rest[0] == "txids":
		ids := make([]string, len(b.Transactions))
		for i, id := range b.Transactions {
			ids[i] = id.Hex()
		}
		return v.json(ids, esploraHeights)
	case rest[0] == "status":
		status := map[string]any{"in_best_chain": true, "height": height}
		if height < v.tip {
			status["next_best"] = v.hash(height + 1).Hex()
		}
		return v.json(status, esploraHeights)
	}
	return textReply(http.StatusNotFound, "endpoint does not exist")
}

// describe counts the transactions that the index has, so that one that misses
// some says a smaller number.
func (esploraREST) describe(v *view, b Block) esploraBlock {
	size := 285 + 250*v.whole(b)
	out := esploraBlock{
		ID: b.Hash.Hex(), Height: b.Height, Version: 0x20000000, Timestamp: b.Time.Unix(), MedianTime: bitcoinMedian(v, b.Height),
		TxCount: len(b.Transactions), Size: size, Weight: 4 * size, MerkleRoot: derived("merkle", b.Hash).Hex(),
		Nonce: uint32(b.Hash[20]) << 8, Bits: 0x1d00ffff, Difficulty: 1,
	}
	if b.Height > 0 {
		parent := b.Parent.Hex()
		out.PreviousBlockHash = &parent
	}
	return out
}

// blocks are the ten newest blocks, or the ten from a height down.
func (e esploraREST) blocks(v *view, rest []string) reply {
	from := v.tip
	if len(rest) == 1 {
		height, err := strconv.ParseUint(rest[0], 10, 64)
		if err != nil {
			return textReply(http.StatusBadRequest, "Invalid height")
		}
		from = min(from, height)
	}
	out := []esploraBlock{}
	for height := from; len(out) < 10; height-- {
		if v.has(height) {
			out = append(out, e.describe(v, v.block(height)))
		}
		if height == 0 {
			break
		}
	}
	return v.json(out, esploraHeights)
}

func (esploraREST) transaction(v *view, text string, rest []string) reply {
	id, ok := parseHash(text)
	if !ok {
		return textReply(http.StatusBadRequest, "Invalid hash string")
	}
	b, place, found := v.findTransaction(id)
	if !found {
		return textReply(http.StatusNotFound, "Transaction not found")
	}
	status := map[string]any{"confirmed": true, "block_height": b.Height, "block_hash": b.Hash.Hex(), "block_time": b.Time.Unix()}
	if len(rest) == 1 && rest[0] == "status" {
		return v.json(status, esploraHeights)
	}
	tx := bitcoinTxOf(b, place)
	return v.json(map[string]any{
		"txid": tx.TxID, "version": tx.Version, "locktime": 0, "size": tx.Size, "weight": tx.Weight, "fee": 1500,
		"vin": tx.Vin, "vout": tx.Vout, "status": status,
	}, esploraHeights)
}
