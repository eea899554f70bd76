package simulator

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// bitcoinRPC is bitcoin-rpc as Bitcoin Core (and what descends from it) and
// btcd speak it. Core says with the HTTP status what went wrong, except in a
// batch; btcd says it in the body alone.
type bitcoinRPC struct{}

// Errors of Bitcoin Core, as Litecoin Core 0.21 gives them.
var (
	bitcoinStarting  = &rpcError{Code: -28, Message: "Loading block index..."}
	bitcoinTooHigh   = &rpcError{Code: -8, Message: "Block height out of range"}
	bitcoinNoBlock   = &rpcError{Code: -5, Message: "Block not found"}
	bitcoinNoMethod  = &rpcError{Code: -32601, Message: "Method not found"}
	bitcoinPruned    = &rpcError{Code: -1, Message: "Block not available (pruned data)"}
	bitcoinBadParse  = &rpcError{Code: -32700, Message: "Parse error"}
	bitcoinBadParams = &rpcError{Code: -1, Message: "JSON value is not an integer as expected"}
	bitcoinNoTx      = &rpcError{Code: -5, Message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."}
	bitcoinNoIndex   = &rpcError{Code: -5, Message: "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions."}
)

// Errors of btcd, as version 0.26 gives them.
var (
	btcdTooHigh       = &rpcError{Code: -1, Message: "Block number out of range"}
	btcdUnimplemented = &rpcError{Code: -1, Message: "Command unimplemented"}
	btcdBadParams     = &rpcError{Code: -32602, Message: "parameter #1 'index' must be type int64 (got string)"}
	btcdEmptyBatch    = &rpcError{Code: -32600, Message: "Invalid request: empty batch"}
	btcdNoWallet      = &rpcError{Code: -1, Message: "This implementation does not implement wallet commands"}
)

// bitcoinHeights are the fields that hold a height.
var bitcoinHeights = map[string]bool{"height": true, "blocks": true, "headers": true, "getblockcount": true}

func (s bitcoinRPC) answer(v *view, r *request) reply {
	switch {
	case r.verb != http.MethodPost:
		return textReply(http.StatusMethodNotAllowed, "JSONRPC server handles only POST requests")
	case r.batch && v.Batch == BatchRefused, !r.batch && len(r.calls) == 0:
		return reply{status: http.StatusInternalServerError, contentType: "application/json", body: s.envelope(v, nil, rpcResult{err: bitcoinBadParse})}
	case r.batch && len(r.calls) == 0 && v.software == SoftwareBtcd:
		return rpcReply(append(s.envelope(v, nil, rpcResult{err: btcdEmptyBatch}), '\n'))
	case r.batch && len(r.calls) == 0:
		return rpcReply([]byte("[]\n"))
	case !r.batch:
		result := s.call(v, r.calls[0])
		out := rpcReply(append(s.envelope(v, v.id(r.calls[0].ID), result), '\n'))
		out.status = bitcoinStatus(v, result.err)
		return out
	}
	items := make([][]byte, len(r.calls))
	for i, c := range r.calls {
		if set, ok := v.set(c.Method); ok {
			items[i] = set.item(c.ID)
			continue
		}
		items[i] = s.envelope(v, v.id(c.ID), s.call(v, c))
	}
	return rpcReply(append(v.batchBody(items), '\n'))
}

// bitcoinStatus is the HTTP status of a call that is not in a batch.
func bitcoinStatus(v *view, err *rpcError) int {
	switch {
	case err == nil || v.software == SoftwareBtcd:
		return http.StatusOK
	case err.Code == -32601:
		return http.StatusNotFound
	default:
		return http.StatusInternalServerError
	}
}

// envelope is an answer of JSON-RPC 1.0, where both members stand.
func (bitcoinRPC) envelope(v *view, id json.RawMessage, r rpcResult) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	var out bytes.Buffer
	out.WriteByte('{')
	if v.software == SoftwareBtcd {
		out.WriteString(`"jsonrpc":"1.0",`)
	}
	result, failure := []byte("null"), []byte("null")
	if r.err != nil {
		failure = r.err.json()
	} else {
		result = r.result
	}
	out.WriteString(`"result":`)
	out.Write(result)
	out.WriteString(`,"error":`)
	out.Write(failure)
	out.WriteString(`,"id":`)
	out.Write(id)
	out.WriteByte('}')
	return out.Bytes()
}

func (bitcoinRPC) call(v *view, c call) rpcResult {
	if v.Starting && v.software != SoftwareBtcd {
		return rpcResult{err: bitcoinStarting}
	}
	method, ok := bitcoinMethods[c.Method]
	if !ok || slices.Contains(v.Unsupported, c.Method) {
		return rpcResult{err: bitcoinNoMethod}
	}
	value, failure := method(v, parseArgs(c.Params))
	if failure != nil {
		return rpcResult{err: failure}
	}
	if v.NullResults {
		value = nil
	}
	result, err := json.Marshal(value)
	if err != nil {
		return rpcResult{err: &rpcError{Code: -32603, Message: err.Error()}}
	}
	return rpcResult{result: v.distort(result, c.Method, bitcoinHeights)}
}

// bitcoinMethods are the methods, wallet included.
var bitcoinMethods = map[string]rpcMethod{
	"getblockcount":      func(v *view, _ args) (any, *rpcError) { return v.tip, nil },
	"getbestblockhash":   func(v *view, _ args) (any, *rpcError) { return v.hash(v.tip).Hex(), nil },
	"getblockhash":       bitcoinHash,
	"getblockheader":     bitcoinBlockHeader,
	"getblock":           bitcoinGetBlock,
	"getblockchaininfo":  bitcoinChainInfo,
	"getblockstats":      bitcoinStats,
	"getconnectioncount": bitcoinPeers,
	"getnetworkinfo":     bitcoinNetwork,
	"getrawtransaction":  bitcoinTransaction,
	"sendrawtransaction": bitcoinSend,
	"getrawmempool":      func(*view, args) (any, *rpcError) { return []string{}, nil },
	"listunspent":        bitcoinWallet([]string{}),
	"listwallets":        bitcoinWallet([]string{""}),
	"importaddress":      bitcoinWallet(nil),
	"createwallet":       bitcoinWallet(map[string]string{"name": "", "warning": ""}),
}

func bitcoinHash(v *view, a args) (any, *rpcError) {
	height, ok := a.number(0, "height")
	switch {
	case !ok && len(a.raw(0, "height")) > 0 && a.raw(0, "height")[0] == '-':
		return nil, bitcoinBeyond(v)
	case !ok && v.software == SoftwareBtcd:
		return nil, btcdBadParams
	case !ok:
		return nil, bitcoinBadParams
	case !v.has(height):
		return nil, bitcoinBeyond(v)
	}
	return v.hash(height).Hex(), nil
}

func bitcoinBeyond(v *view) *rpcError {
	if v.software == SoftwareBtcd {
		return btcdTooHigh
	}
	return bitcoinTooHigh
}

// bitcoinAt is the height of the block whose hash is the first parameter.
func bitcoinAt(v *view, a args) (uint64, *rpcError) {
	text, _ := a.text(0, "blockhash")
	h, ok := parseHash(text)
	switch {
	case ok:
	case v.software == SoftwareBtcd:
		return 0, &rpcError{Code: -22, Message: fmt.Sprintf("Argument must be hexadecimal string (not %q)", text)}
	default:
		return 0, &rpcError{Code: -8, Message: fmt.Sprintf("blockhash must be of length 64 (not %d, for '%s')", len(text), text)}
	}
	height, found := v.find(h)
	if !found || !v.has(height) {
		return 0, bitcoinNoBlock
	}
	return height, nil
}

func bitcoinPeers(v *view, _ args) (any, *rpcError) {
	n, ok := v.peers(8)
	if !ok {
		return nil, bitcoinNoMethod
	}
	return n, nil
}

func bitcoinNetwork(v *view, _ args) (any, *rpcError) {
	n, ok := v.peers(8)
	switch {
	case v.software == SoftwareBtcd:
		return nil, btcdUnimplemented
	case !ok:
		return nil, bitcoinNoMethod
	}
	return map[string]any{
		"version": 270000, "subversion": "/Satoshi:27.0.0/", "protocolversion": 70016, "localrelay": true, "timeoffset": 0,
		"networkactive": true, "connections": n, "connections_in": 0, "connections_out": n, "relayfee": 0.00001, "warnings": "",
	}, nil
}

// bitcoinSend accepts any transaction; its id follows from its bytes.
func bitcoinSend(_ *view, a args) (any, *rpcError) {
	raw, ok := a.text(0, "hexstring")
	if !ok {
		return nil, bitcoinBadParams
	}
	return Hash(sha256.Sum256([]byte(raw))).Hex(), nil
}

// bitcoinWallet answers for a wallet, which btcd has not.
func bitcoinWallet(value any) rpcMethod {
	return func(v *view, _ args) (any, *rpcError) {
		if v.software == SoftwareBtcd {
			return nil, btcdNoWallet
		}
		return value, nil
	}
}
