package simulator

import (
	"fmt"
	"strings"
)

// bitcoinHeader is a block header as getblockheader gives it, and with the
// fields below, a block. btcd does not know NTx, and gives the number of
// confirmations as Core does.
type bitcoinHeader struct {
	Hash              string  `json:"hash"`
	Confirmations     uint64  `json:"confirmations"`
	Height            uint64  `json:"height"`
	Version           int     `json:"version"`
	VersionHex        string  `json:"versionHex"`
	MerkleRoot        string  `json:"merkleroot"`
	Time              int64   `json:"time"`
	MedianTime        *int64  `json:"mediantime,omitempty"`
	Nonce             uint32  `json:"nonce"`
	Bits              string  `json:"bits"`
	Difficulty        float64 `json:"difficulty"`
	ChainWork         string  `json:"chainwork,omitempty"`
	NTx               *int    `json:"nTx,omitempty"`
	PreviousBlockHash string  `json:"previousblockhash,omitempty"`
	NextBlockHash     string  `json:"nextblockhash,omitempty"`
}

// bitcoinBlock is a block of verbosity 1 or 2.
type bitcoinBlock struct {
	bitcoinHeader
	StrippedSize int `json:"strippedsize"`
	Size         int `json:"size"`
	Weight       int `json:"weight"`
	// Tx are ids or whole transactions. btcd has the latter in rawtx.
	Tx    any `json:"tx,omitempty"`
	RawTx any `json:"rawtx,omitempty"`
}

// bitcoinTx is a transaction in a block of verbosity 2, or by itself.
type bitcoinTx struct {
	TxID          string           `json:"txid"`
	Hash          string           `json:"hash"`
	Version       int              `json:"version"`
	Size          int              `json:"size"`
	VSize         int              `json:"vsize"`
	Weight        int              `json:"weight"`
	LockTime      int              `json:"locktime"`
	Vin           []map[string]any `json:"vin"`
	Vout          []map[string]any `json:"vout"`
	Hex           string           `json:"hex"`
	BlockHash     string           `json:"blockhash,omitempty"`
	Confirmations uint64           `json:"confirmations,omitempty"`
	Time          int64            `json:"time,omitempty"`
	BlockTime     int64            `json:"blocktime,omitempty"`
}

func bitcoinHeaderOf(v *view, b Block) bitcoinHeader {
	h := bitcoinHeader{
		Hash: b.Hash.Hex(), Confirmations: v.tip - b.Height + 1, Height: b.Height, Version: 0x20000000, VersionHex: "20000000",
		MerkleRoot: derived("merkle", b.Hash).Hex(), Time: b.Time.Unix(), Nonce: uint32(b.Hash[20]) << 8, Bits: "1d00ffff", Difficulty: 1,
	}
	if v.software != SoftwareBtcd {
		median, count := bitcoinMedian(v, b.Height), v.whole(b)
		h.MedianTime, h.NTx = &median, &count
		h.ChainWork = strings.Repeat("0", 48) + quantityPadded(b.Height)
	}
	if b.Height > 0 {
		h.PreviousBlockHash = b.Parent.Hex()
	}
	if b.Height < v.tip {
		h.NextBlockHash = v.hash(b.Height + 1).Hex()
	}
	return h
}

// bitcoinMedian is the median time of a block and the ten before it.
func bitcoinMedian(v *view, height uint64) int64 {
	return v.time(height - min(height, 10)/2).Unix()
}

// quantityPadded is sixteen hexadecimal digits.
func quantityPadded(n uint64) string {
	digits := quantity(n)[2:]
	return strings.Repeat("0", 16-len(digits)) + digits
}

func bitcoinBlockHeader(v *view, a args) (any, *rpcError) {
	height, err := bitcoinAt(v, a)
	if err != nil {
		return nil, err
	}
	h := bitcoinHeaderOf(v, v.block(height))
	if string(a.raw(1, "verbose")) == "false" {
		return strings.Repeat("00", 48) + h.MerkleRoot, nil
	}
	return h, nil
}

func bitcoinGetBlock(v *view, a args) (any, *rpcError) {
	height, err := bitcoinAt(v, a)
	switch {
	case err != nil:
		return nil, err
	case v.pruned(height):
		return nil, bitcoinPruned
	}
	b := v.block(height)
	size := 285 + 250*v.whole(b)
	out := bitcoinBlock{bitcoinHeader: bitcoinHeaderOf(v, b), StrippedSize: size, Size: size, Weight: 4 * size}
	switch string(a.raw(1, "verbosity")) {
	case "0", "false":
		return strings.Repeat("00", 48) + out.MerkleRoot, nil
	case "2":
		whole := make([]bitcoinTx, len(b.Transactions))
		for i := range whole {
			whole[i] = bitcoinTxOf(b, i)
		}
		if v.software == SoftwareBtcd {
			out.RawTx = whole
		} else {
			out.Tx = whole
		}
	default:
		ids := make([]string, len(b.Transactions))
		for i, id := range b.Transactions {
			ids[i] = id.Hex()
		}
		out.Tx = ids
	}
	return out, nil
}

func bitcoinTxOf(b Block, place int) bitcoinTx {
	id := b.Transactions[place]
	in := map[string]any{"coinbase": "03" + b.Hash.Hex()[:8], "sequence": 0xffffffff}
	if place > 0 {
		in = map[string]any{
			"txid": derived("spent", id).Hex(), "vout": 0, "sequence": 0xffffffff,
			"scriptSig": map[string]string{"asm": "", "hex": ""},
		}
	}
	out := map[string]any{
		"value": 0.5, "n": 0,
		"scriptPubKey": map[string]any{"asm": "0 " + id.Hex()[:40], "hex": "0014" + id.Hex()[:40], "type": "witness_v0_keyhash"},
	}
	return bitcoinTx{
		TxID: id.Hex(), Hash: id.Hex(), Version: 2, Size: 250, VSize: 250, Weight: 1000,
		Vin: []map[string]any{in}, Vout: []map[string]any{out}, Hex: "02000000" + id.Hex() + "00000000",
	}
}

func bitcoinTransaction(v *view, a args) (any, *rpcError) {
	text, _ := a.text(0, "txid")
	id, ok := parseHash(text)
	if !ok {
		return nil, &rpcError{Code: -8, Message: fmt.Sprintf("parameter 1 must be of length 64 (not %d, for '%s')", len(text), text)}
	}
	b, place, found := v.findTransaction(id)
	switch {
	case !found && v.software == SoftwareBtcd:
		return nil, &rpcError{Code: -5, Message: "No information available about transaction " + text}
	case v.NoTxIndex && len(a.raw(2, "blockhash")) == 0:
		return nil, bitcoinNoIndex
	case !found:
		return nil, bitcoinNoTx
	}
	tx := bitcoinTxOf(b, place)
	if verbose := string(a.raw(1, "verbose")); verbose != "true" && verbose != "1" && verbose != "2" {
		return tx.Hex, nil
	}
	tx.BlockHash, tx.Confirmations = b.Hash.Hex(), v.tip-b.Height+1
	tx.Time, tx.BlockTime = b.Time.Unix(), b.Time.Unix()
	return tx, nil
}

// bitcoinNetworkName is what the software calls a network.
func bitcoinNetworkName(v *view) string {
	regtest, main, test := "regtest", "main", "test"
	if v.software == SoftwareBtcd {
		main, test = "mainnet", "testnet3"
	}
	switch v.identity.Genesis {
	case bitcoinRegtestGenesis:
		return regtest
	case bitcoinTestGenesis:
		return test
	default:
		return main
	}
}

func bitcoinChainInfo(v *view, _ args) (any, *rpcError) {
	tip := v.hash(v.tip)
	out := map[string]any{
		"chain": bitcoinNetworkName(v), "blocks": v.tip, "headers": v.tip, "bestblockhash": tip.Hex(), "difficulty": 1.0,
		"mediantime": bitcoinMedian(v, v.tip), "pruned": v.PrunedBelow > 0, "warnings": "",
	}
	if v.PrunedBelow > 0 {
		out["pruneheight"] = v.lowest()
	}
	if v.Syncing {
		out["headers"] = max(v.tip, v.chainTip)
	}
	if v.software == SoftwareBtcd {
		out["warnings"] = nil
		return out, nil
	}
	out["time"] = v.time(v.tip).Unix()
	out["initialblockdownload"] = v.Syncing
	out["verificationprogress"] = 1.0
	if v.Syncing {
		out["verificationprogress"] = 0.5
	}
	out["size_on_disk"] = 650_000_000_000
	out["chainwork"] = strings.Repeat("0", 48) + quantityPadded(v.tip)
	return out, nil
}

func bitcoinStats(v *view, a args) (any, *rpcError) {
	height, ok := a.number(0, "hash_or_height")
	if v.software == SoftwareBtcd {
		return nil, bitcoinNoMethod
	}
	if !ok {
		var err *rpcError
		if height, err = bitcoinAt(v, a); err != nil {
			return nil, err
		}
	}
	if !v.has(height) {
		return nil, &rpcError{Code: -8, Message: fmt.Sprintf("Target block height %d after current tip %d", height, v.tip)}
	}
	b := v.block(height)
	return map[string]any{
		"blockhash": b.Hash.Hex(), "height": height, "time": b.Time.Unix(), "mediantime": bitcoinMedian(v, height), "txs": v.whole(b), "avgfeerate": 12, "totalfee": 1500 * v.whole(b),
	}, nil
}
