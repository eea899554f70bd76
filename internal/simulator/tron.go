package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// tronHTTP is tron-http as java-tron's full node speaks it. What is not there
// is an empty object at 200, and what is zero is left out.
type tronHTTP struct{}

// tronHeights are the fields that hold a height.
var tronHeights = map[string]bool{"number": true, "blockNumber": true, "beginSyncNum": true, "eth_blockNumber": true}

// tronFinal is how many blocks a solid one is below the tip: 19 of the 27
// producers have built on it.
const tronFinal = 19

// tronBlock is a block; block 0 has no number, since that is zero.
type tronBlock struct {
	BlockID      string            `json:"blockID"`
	BlockHeader  tronHeader        `json:"block_header"`
	Transactions []tronTransaction `json:"transactions,omitempty"`
}

type tronHeader struct {
	RawData          tronRawHeader `json:"raw_data"`
	WitnessSignature string        `json:"witness_signature,omitempty"`
}

type tronRawHeader struct {
	Number         uint64 `json:"number,omitempty"`
	TxTrieRoot     string `json:"txTrieRoot"`
	WitnessAddress string `json:"witness_address"`
	ParentHash     string `json:"parentHash"`
	Version        int    `json:"version"`
	// Timestamp is in milliseconds.
	Timestamp int64 `json:"timestamp,omitempty"`
}

type tronTransaction struct {
	Ret        []map[string]string `json:"ret"`
	Signature  []string            `json:"signature"`
	TxID       string              `json:"txID"`
	RawData    map[string]any      `json:"raw_data"`
	RawDataHex string              `json:"raw_data_hex"`
}

// tronEthereum is the part of Ethereum's JSON-RPC that java-tron has.
var tronEthereum = &rpcService{
	methods: map[string]rpcMethod{
		"eth_blockNumber":          evmBlockNumber,
		"eth_chainId":              func(v *view, _ args) (any, *rpcError) { return "0x" + v.genesis.Hex()[56:], nil },
		"net_version":              func(v *view, _ args) (any, *rpcError) { return "0x" + v.genesis.Hex()[56:], nil },
		"eth_call":                 evmState("0x" + strings.Repeat("0", 64)),
		"eth_getBlockByNumber":     evmBlockByNumber,
		"eth_getTransactionByHash": evmTransactionByHash,
	},
	unknown: func(method string) *rpcError {
		return &rpcError{Code: -32601, Message: "the method " + method + " does not exist/is not available"}
	},
	heights: tronHeights,
}

func (t tronHTTP) answer(v *view, r *request) reply {
	if r.path == "/jsonrpc" {
		return tronEthereum.answer(v, r)
	}
	path, solid := r.path, false
	if rest, ok := strings.CutPrefix(path, "/walletsolidity/"); ok {
		path, solid = "/wallet/"+rest, true
	}
	method, ours := strings.CutPrefix(path, "/wallet/")
	if !ours || slices.Contains(v.Unsupported, r.path) {
		return reply{status: http.StatusNotFound, contentType: "text/html", body: []byte("<html><head><title>Error 404 Not Found</title></head></html>")}
	}
	tip := v.tip
	if solid {
		tip = v.below(tronFinal)
	}
	return t.call(v, method, parseArgs(json.RawMessage(r.body)), tip)
}

func (t tronHTTP) call(v *view, method string, a args, tip uint64) reply {
	switch method {
	case "getnowblock":
		return v.json(t.block(v.block(tip), v), tronHeights)
	case "getblock":
		return t.getBlock(v, a, tip)
	case "getblockbynum":
		height, ok := a.number(0, "num")
		return t.blockAt(v, height, ok && height <= tip)
	case "getblockbyid":
		text, _ := a.text(0, "value")
		h, _ := parseHash(text)
		height, found := v.find(h)
		return t.blockAt(v, height, found && height <= tip)
	case "getnodeinfo":
		return t.nodeInfo(v)
	case "gettransactionbyid", "gettransactioninfobyid":
		return t.transaction(v, a, method)
	case "broadcasttransaction":
		id, _ := a.text(0, "txID")
		return v.json(map[string]any{"result": true, "txid": id}, tronHeights)
	case "getaccount":
		return v.json(map[string]any{"balance": 1_000_000}, tronHeights)
	case "getchainparameters":
		parameter := []map[string]any{{"key": "getTransactionFee", "value": 1000}, {"key": "getEnergyFee", "value": 210}}
		return v.json(map[string]any{"chainParameter": parameter}, tronHeights)
	}
	return textReply(http.StatusNotFound, "404 page not found\n")
}

// getBlock is by height or id, or the newest; without detail it has no
// transactions.
func (t tronHTTP) getBlock(v *view, a args, tip uint64) reply {
	height, ok := tip, true
	if text, given := a.text(0, "id_or_num"); given {
		if h, isHash := parseHash(text); isHash {
			height, ok = v.find(h)
		} else {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return v.json(map[string]string{"Error": "class java.lang.IllegalArgumentException : id must be legal block hash."}, tronHeights)
			}
			height = n
		}
		ok = ok && v.has(height)
	}
	if !ok || height > tip || v.pruned(height) {
		return v.json(struct{}{}, tronHeights)
	}
	b := v.block(height)
	out := t.block(b, v)
	if string(a.raw(0, "detail")) != "true" {
		out.Transactions = nil
	}
	return v.json(out, tronHeights)
}

func (t tronHTTP) blockAt(v *view, height uint64, found bool) reply {
	if !found || !v.has(height) || v.pruned(height) {
		return v.json(struct{}{}, tronHeights)
	}
	return v.json(t.block(v.block(height), v), tronHeights)
}

func (tronHTTP) block(b Block, v *view) tronBlock {
	out := tronBlock{
		BlockID: b.Hash.Hex(),
		BlockHeader: tronHeader{
			RawData: tronRawHeader{
				Number: b.Height, TxTrieRoot: Hash{}.Hex(), WitnessAddress: "41" + derived("witness", b.Hash).Hex()[:40],
				ParentHash: b.Parent.Hex(), Version: 30, Timestamp: b.Time.UnixMilli(),
			},
			WitnessSignature: derived("signature", b.Hash).Hex() + derived("signature2", b.Hash).Hex() + "00",
		},
	}
	if v.whole(b) > 0 {
		out.BlockHeader.RawData.TxTrieRoot = derived("transactions", b.Hash).Hex()
	}
	for _, id := range b.Transactions {
		out.Transactions = append(out.Transactions, tronTransfer(b, id))
	}
	return out
}

func tronTransfer(b Block, id Hash) tronTransaction {
	value := map[string]any{"amount": 1_000_000, "owner_address": "41" + derived("from", id).Hex()[:40], "to_address": "41" + derived("to", id).Hex()[:40]}
	return tronTransaction{
		Ret: []map[string]string{{"contractRet": "SUCCESS"}}, Signature: []string{derived("signature", id).Hex() + "00"}, TxID: id.Hex(),
		RawData: map[string]any{
			"contract": []map[string]any{{
				"parameter": map[string]any{"value": value, "type_url": "type.googleapis.com/protocol.TransferContract"}, "type": "TransferContract",
			}},
			"ref_block_bytes": b.Hash.Hex()[12:16], "ref_block_hash": b.Hash.Hex()[16:32], "expiration": b.Time.UnixMilli() + 60_000, "timestamp": b.Time.UnixMilli(),
		},
		RawDataHex: "0a02" + id.Hex(),
	}
}

func (tronHTTP) transaction(v *view, a args, method string) reply {
	text, _ := a.text(0, "value")
	id, _ := parseHash(text)
	b, _, found := v.findTransaction(id)
	if !found {
		return v.json(struct{}{}, tronHeights)
	}
	if method == "gettransactionbyid" {
		return v.json(tronTransfer(b, id), tronHeights)
	}
	return v.json(map[string]any{
		"id": id.Hex(), "fee": 1000, "blockNumber": b.Height, "blockTimeStamp": b.Time.UnixMilli(), "contractResult": []string{""},
		"receipt": map[string]int{"net_usage": 268},
	}, tronHeights)
}

// nodeInfo names a block by number and id in one text.
func (tronHTTP) nodeInfo(v *view) reply {
	place := func(height uint64) string { return fmt.Sprintf("Num:%d,ID:%s", height, v.hash(height).Hex()) }
	out := map[string]any{
		"beginSyncNum": v.tip, "block": place(v.tip), "solidityBlock": place(v.below(tronFinal)), "totalFlow": 0,
		"configNodeInfo": map[string]any{"codeVersion": "4.7.7", "p2pVersion": "11111"}, "machineInfo": map[string]any{},
	}
	if n, ok := v.peers(30); ok {
		peers := make([]map[string]any, n)
		for i := range peers {
			peers[i] = map[string]any{
				"host": fmt.Sprintf("192.0.2.%d", i%254+1), "port": 18888, "active": true, "needSyncFromPeer": v.Syncing, "needSyncFromUs": false,
				"headBlockWeBothHave": place(v.tip),
			}
		}
		out["peerList"], out["currentConnectCount"], out["activeConnectCount"], out["passiveConnectCount"] = peers, n, n, 0
	}
	return v.json(out, tronHeights)
}
