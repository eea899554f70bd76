package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// xrplRPC is xrpl-rpc as rippled speaks it: what is called the result is also
// where an error stands, the HTTP status tells of it only when the request
// asks for ripplerpc 3.0, and an id is repeated only from within the
// parameters.
type xrplRPC struct{}

// rippleEpoch is the Unix time from which the XRP Ledger counts.
const rippleEpoch = 946684800

// xrplHeights are the fields that hold a height.
var xrplHeights = map[string]bool{"seq": true, "ledger_index": true, "ledger_current_index": true}

// xrplFailure is an error of rippled's ErrorCodes.cpp, with the HTTP status that
// goes with it.
type xrplFailure struct {
	token   string
	code    int
	message string
	status  int
}

var (
	xrplNoLedger  = &xrplFailure{"lgrNotFound", 21, "ledgerNotFound", http.StatusNotFound}
	xrplNoNetwork = &xrplFailure{"noNetwork", 17, "Not synced to the network.", http.StatusServiceUnavailable}
	xrplNoMethod  = &xrplFailure{"unknownCmd", 32, "Unknown method.", http.StatusMethodNotAllowed}
	xrplNoTx      = &xrplFailure{"txnNotFound", 29, "Transaction not found.", http.StatusNotFound}
	xrplBadParams = &xrplFailure{"invalidParams", 31, "Invalid parameters.", http.StatusBadRequest}
)

// xrplMethods are the methods of the public port.
var xrplMethods = map[string]func(*view, args) (map[string]any, *xrplFailure){
	"server_info":  xrplServerInfo,
	"ledger":       xrplLedger,
	"tx":           xrplTransaction,
	"account_info": xrplAccount,
	"submit":       xrplSubmit,
	"ping":         func(*view, args) (map[string]any, *xrplFailure) { return map[string]any{}, nil },
	"fee": func(v *view, _ args) (map[string]any, *xrplFailure) {
		return map[string]any{"ledger_current_index": v.tip + 1, "drops": map[string]string{"base_fee": "10", "minimum_fee": "10"}}, nil
	},
	"ledger_closed": func(v *view, _ args) (map[string]any, *xrplFailure) {
		return map[string]any{"ledger_hash": v.hash(v.tip).Upper(), "ledger_index": v.tip}, nil
	},
	"ledger_current": func(v *view, _ args) (map[string]any, *xrplFailure) {
		return map[string]any{"ledger_current_index": v.tip + 1}, nil
	},
}

func (x xrplRPC) answer(v *view, r *request) reply {
	switch {
	case r.verb == http.MethodGet:
		return reply{contentType: "text/html", body: []byte("<!DOCTYPE html><html><head><title>Test page</title></head><body></body></html>")}
	case r.batch || !json.Valid(r.body):
		return textReply(http.StatusBadRequest, "Unable to parse request: \r\n")
	case len(r.calls) == 0:
		return textReply(http.StatusBadRequest, "Null method\r\n")
	}
	c := r.calls[0]
	var wrapped []json.RawMessage
	_ = json.Unmarshal(c.Params, &wrapped)
	var params json.RawMessage
	if len(wrapped) > 0 {
		params = wrapped[0]
	}
	if len(wrapped) > 1 || (len(params) > 0 && params[0] != '{') {
		return textReply(http.StatusBadRequest, "params unparseable\r\n")
	}
	return x.call(v, c.Method, parseArgs(params), params)
}

// call puts the envelope of the wanted version around the result.
func (x xrplRPC) call(v *view, method string, a args, params json.RawMessage) reply {
	run, ok := xrplMethods[method]
	result, failure := map[string]any(nil), xrplNoMethod
	if ok && !slices.Contains(v.Unsupported, method) {
		result, failure = run(v, a)
	}
	version, _ := a.text(0, "ripplerpc")
	version2 := version >= "2.0"
	envelope, status := map[string]any{}, http.StatusOK
	switch {
	case failure == nil && v.NullResults:
		envelope["result"] = nil
	case failure == nil:
		result["status"] = "success"
		envelope["result"] = result
	case version2:
		envelope["error"] = map[string]any{
			"error": failure.token, "error_code": failure.code, "code": failure.code, "message": failure.message, "status": "error",
		}
	default:
		envelope["result"] = map[string]any{
			"error": failure.token, "error_code": failure.code, "error_message": failure.message,
			"request": xrplRequest(method, params), "status": "error",
		}
	}
	if failure != nil && version >= "3.0" {
		status = failure.status
	}
	for _, name := range []string{"jsonrpc", "ripplerpc"} {
		if raw := a.raw(0, name); len(raw) > 0 {
			envelope[name] = raw
		}
	}
	if raw := a.raw(0, "id"); len(raw) > 0 {
		envelope["id"] = v.id(raw)
	}
	out := v.rawJSON(envelope, xrplHeights)
	out.status, out.body = status, append(out.body, '\n')
	return out
}

// xrplRequest is the request as an error repeats it.
func xrplRequest(method string, params json.RawMessage) map[string]any {
	out := map[string]any{}
	_ = json.Unmarshal(params, &out)
	out["command"] = method
	return out
}

func xrplServerInfo(v *view, _ args) (map[string]any, *xrplFailure) {
	info := map[string]any{
		"build_version": "2.4.0", "complete_ledgers": fmt.Sprintf("%d-%d", v.lowest(), v.tip), "hostid": "SIML", "initial_sync_duration_us": "273518294",
		"io_latency_ms": 1, "jq_trans_overflow": "0", "last_close": map[string]any{"converge_time_s": 3, "proposers": 35}, "load_factor": 1,
		"peer_disconnects": "0", "pubkey_node": "n9KQK8yvTDcZdGyhu2EGdDnFPEBSsY5wEgpU5UgpygTgLFsjQyPt", "server_state": "full",
		"server_state_duration_us": "59888000000", "time": v.now.UTC().Format("2006-Jan-02 15:04:05.000000 MST"), "uptime": 60161, "validation_quorum": 28,
		"validated_ledger": map[string]any{
			"age": int64(max(0, v.age()) / time.Second), "base_fee_xrp": 1e-05, "hash": v.hash(v.tip).Upper(), "reserve_base_xrp": 1,
			"reserve_inc_xrp": 0.2, "seq": v.tip,
		},
	}
	if id, err := strconv.ParseUint(v.identity.Network, 10, 32); err == nil {
		info["network_id"] = id
	}
	if n, ok := v.peers(21); ok {
		info["peers"] = n
	}
	if v.Syncing {
		info["server_state"] = "syncing"
	}
	if v.Starting {
		info["server_state"], info["complete_ledgers"], info["network_ledger"] = "disconnected", "empty", "waiting"
		delete(info, "validated_ledger")
	}
	return map[string]any{"info": info}, nil
}

// xrplAt is the ledger that is asked for. ok is false if it is not there.
func xrplAt(v *view, a args) (height uint64, ok bool, failure *xrplFailure) {
	if text, given := a.text(0, "ledger_hash"); given {
		h, isHash := parseHash(strings.ToLower(text))
		height, found := v.find(h)
		if !isHash {
			return 0, false, xrplBadParams
		}
		return height, found && v.has(height), nil
	}
	raw := bytes.Trim(a.raw(0, "ledger_index"), `"`)
	switch string(raw) {
	case "", "validated", "closed":
		return v.tip, true, nil
	case "current":
		return v.tip + 1, true, nil
	}
	height, err := strconv.ParseUint(string(raw), 10, 32)
	if err != nil {
		return 0, false, xrplBadParams
	}
	return height, v.has(height), nil
}

func xrplLedger(v *view, a args) (map[string]any, *xrplFailure) {
	height, ok, failure := xrplAt(v, a)
	switch {
	case v.Starting:
		return nil, xrplNoNetwork
	case failure != nil:
		return nil, failure
	case !ok || v.pruned(height):
		return nil, xrplNoLedger
	}
	b := v.block(height)
	closed := b.Time.UTC()
	ledger := map[string]any{
		"account_hash": derived("accounts", b.Hash).Upper(), "close_flags": 0, "close_time": closed.Unix() - rippleEpoch,
		"close_time_human": closed.Format("2006-Jan-02 15:04:05.000000000 MST"), "close_time_iso": closed.Format("2006-01-02T15:04:05Z"),
		"close_time_resolution": 10, "closed": true, "ledger_hash": b.Hash.Upper(), "ledger_index": strconv.FormatUint(height, 10),
		"parent_close_time": v.time(height-min(1, height)).Unix() - rippleEpoch, "parent_hash": b.Parent.Upper(),
		"total_coins": "99987000000000000", "transaction_hash": derived("transactions", b.Hash).Upper(),
	}
	if string(a.raw(0, "transactions")) == "true" {
		ledger["transactions"] = xrplTransactions(b, string(a.raw(0, "expand")) == "true")
	}
	return map[string]any{
		"ledger": ledger, "ledger_hash": b.Hash.Upper(), "ledger_index": height, "validated": height <= v.tip,
	}, nil
}

// xrplTransactions are hashes, or whole transactions.
func xrplTransactions(b Block, expand bool) []any {
	out := make([]any, len(b.Transactions))
	for i, id := range b.Transactions {
		out[i] = id.Upper()
		if expand {
			out[i] = xrplPayment(id)
		}
	}
	return out
}

func xrplPayment(id Hash) map[string]any {
	return map[string]any{
		"TransactionType": "Payment", "Account": "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "Destination": "rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe",
		"Amount": "1000000", "Fee": "10", "Flags": 0, "Sequence": 1, "hash": id.Upper(),
		"metaData": map[string]any{"TransactionResult": "tesSUCCESS", "TransactionIndex": 0, "AffectedNodes": []string{}, "delivered_amount": "1000000"},
	}
}

func xrplTransaction(v *view, a args) (map[string]any, *xrplFailure) {
	text, _ := a.text(0, "transaction")
	id, ok := parseHash(strings.ToLower(text))
	b, _, found := v.findTransaction(id)
	if !ok || !found {
		return nil, xrplNoTx
	}
	out := xrplPayment(id)
	out["ledger_index"], out["validated"], out["date"] = b.Height, true, b.Time.Unix()-rippleEpoch
	return out, nil
}

func xrplAccount(v *view, a args) (map[string]any, *xrplFailure) {
	account, ok := a.text(0, "account")
	if !ok {
		return nil, xrplBadParams
	}
	return map[string]any{
		"account_data": map[string]any{"Account": account, "Balance": "1000000000", "Sequence": 1, "Flags": 0, "LedgerEntryType": "AccountRoot", "OwnerCount": 0},
		"ledger_index": v.tip, "ledger_hash": v.hash(v.tip).Upper(), "validated": true,
	}, nil
}

// xrplSubmit accepts any transaction; its id follows from its bytes.
func xrplSubmit(_ *view, a args) (map[string]any, *xrplFailure) {
	blob, ok := a.text(0, "tx_blob")
	if !ok {
		return nil, xrplBadParams
	}
	return map[string]any{
		"engine_result": "tesSUCCESS", "engine_result_code": 0, "accepted": true, "applied": true, "broadcast": true, "tx_blob": blob,
		"engine_result_message": "The transaction was applied. Only final in a validated ledger.",
		"tx_json":               map[string]any{"hash": derived("sent"+blob, Hash{}).Upper()},
	}, nil
}
