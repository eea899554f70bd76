package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// cometbftRPC is cometbft-rpc as CometBFT 1.0 speaks it: the same methods by
// GET, where a failure is also an HTTP status, and by POST, where it is not.
type cometbftRPC struct{ service *rpcService }

// cometbft is the one service of this dialect.
var cometbft = cometbftRPC{service: &rpcService{
	methods: map[string]rpcMethod{
		"status": cometbftStatus,
		"block":  cometbftBlock,
		"header": cometbftHeader,
		"commit": cometbftCommit,
		"health": func(*view, args) (any, *rpcError) { return struct{}{}, nil },

		"net_info":      cometbftPeers,
		"block_results": cometbftResults,
		"abci_info":     cometbftInfo,
	},
	unknown: func(string) *rpcError { return &rpcError{Code: -32601, Message: "Method not found"} },
	heights: map[string]bool{"latest_block_height": true, "earliest_block_height": true, "height": true, "last_block_height": true},
}}

// cometbftForm writes upper-case hexadecimal.
var cometbftForm = cosmosForm{
	hash: Hash.Upper, parts: "parts", address: func(h Hash) string { return h.Upper()[:40] },
}

func (c cometbftRPC) answer(v *view, r *request) reply {
	switch {
	case r.verb != http.MethodPost:
		return c.get(v, r)
	case r.batch && len(r.calls) == 0:
		return reply{contentType: "application/json"}
	case r.batch && len(r.calls) == 1 && v.Batch == BatchGood:
		// It answers a batch of one with the item itself.
		return rpcReply(c.service.item(v, r.calls[0]))
	case !r.batch && len(r.calls) == 0:
		out := rpcReply(envelope2(nil, rpcResult{err: &rpcError{
			Code: -32700, Message: "Parse error. Invalid JSON", Data: "error unmarshaling request",
		}}))
		out.status = http.StatusInternalServerError
		return out
	}
	return c.service.answer(v, r)
}

// get takes the method from the path and the parameters from the query.
func (c cometbftRPC) get(v *view, r *request) reply {
	method := strings.Trim(r.path, "/")
	if method == "" {
		return reply{contentType: "text/html", body: []byte("<html><body><br>Available endpoints:<br></body></html>")}
	}
	if _, ok := c.service.methods[method]; !ok {
		return textReply(http.StatusNotFound, "404 page not found\n")
	}
	query, err := url.ParseQuery(r.query)
	if err != nil {
		query = nil
	}
	params := map[string]string{}
	for name := range query {
		params[name] = strings.Trim(query.Get(name), `"`)
	}
	raw, err := json.Marshal(params)
	if err != nil {
		raw = nil
	}
	if given, ok := v.Methods[method]; ok {
		return given.resolved().reply(&request{calls: []call{{ID: json.RawMessage("-1")}}}, v.now)
	}
	result := c.service.call(v, call{Method: method, Params: raw})
	out := rpcReply(envelope2(v.id(json.RawMessage("-1")), result))
	if result.err != nil {
		out.status = http.StatusInternalServerError
	}
	return out
}

// cometbftFailure is the error of everything that a method cannot do; what it
// is stands in the data.
func cometbftFailure(text string) *rpcError {
	return &rpcError{Code: -32603, Message: "Internal error", Data: text}
}

// cometbftAt is the height that is asked for, which is the newest without one.
func cometbftAt(v *view, a args) (uint64, *rpcError) {
	text := strings.Trim(string(a.raw(0, "height")), `"`)
	if text == "" || text == "null" {
		return v.tip, nil
	}
	height, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, &rpcError{Code: -32602, Message: "Invalid params", Data: fmt.Sprintf("error converting http params to arguments: invalid 64-bit integer encoding %q, expected string", text)}
	case height <= 0:
		return 0, cometbftFailure(fmt.Sprintf("height must be greater than 0, but got %d", height))
	case uint64(height) > v.tip:
		return 0, cometbftFailure(cosmosTooHigh(v, uint64(height)))
	case uint64(height) < cosmosLowest(v):
		return 0, cometbftFailure(cosmosPruned(v, uint64(height)))
	}
	return uint64(height), nil
}

func cometbftStatus(v *view, _ args) (any, *rpcError) {
	f := cometbftForm
	sync := map[string]any{
		"latest_block_hash": "", "latest_app_hash": "", "latest_block_height": "0", "latest_block_time": "1970-01-01T00:00:00Z",
		"earliest_block_hash": "", "earliest_app_hash": "", "earliest_block_height": "0", "earliest_block_time": "1970-01-01T00:00:00Z",
		"catching_up": v.Syncing,
	}
	if v.tip > 0 {
		tip, lowest := v.hash(v.tip), v.hash(cosmosLowest(v))
		sync["latest_block_hash"], sync["latest_app_hash"] = f.hash(tip), f.hash(derived("app", tip))
		sync["latest_block_height"], sync["latest_block_time"] = f.number(v.tip), cosmosTime(v.time(v.tip))
		sync["earliest_block_hash"], sync["earliest_app_hash"] = f.hash(lowest), f.hash(derived("app", lowest))
		sync["earliest_block_height"], sync["earliest_block_time"] = f.number(cosmosLowest(v)), cosmosTime(v.time(cosmosLowest(v)))
	}
	return map[string]any{
		"node_info": map[string]any{
			"protocol_version": map[string]string{"p2p": "9", "block": "11", "app": "1"}, "id": f.address(derived("node", Hash{})),
			"listen_addr": "tcp://127.0.0.1:26656", "network": v.identity.Network, "version": "1.0.1", "channels": "40202122233038606100",
			"moniker": "simulated", "other": map[string]string{"tx_index": "on", "rpc_address": "tcp://127.0.0.1:26657"},
		},
		"sync_info": sync,
		"validator_info": map[string]any{
			"address": f.address(derived("proposer", Hash{})), "voting_power": "10",
			"pub_key": map[string]string{"type": "tendermint/PubKeyEd25519", "value": derived("key", Hash{}).Base64()},
		},
	}, nil
}

func cometbftBlock(v *view, a args) (any, *rpcError) {
	height, err := cometbftAt(v, a)
	switch {
	case err != nil:
		return nil, err
	case !v.has(height) && len(a.raw(0, "height")) > 0:
		return map[string]any{"block_id": cometbftForm.blockID(Hash{}), "block": nil}, nil
	}
	b := v.block(height)
	return map[string]any{"block_id": cometbftForm.blockID(b.Hash), "block": cometbftForm.block(v, b)}, nil
}

func cometbftHeader(v *view, a args) (any, *rpcError) {
	height, err := cometbftAt(v, a)
	if err != nil {
		return nil, err
	}
	return map[string]any{"header": cometbftForm.header(v, v.block(height))}, nil
}

func cometbftCommit(v *view, a args) (any, *rpcError) {
	height, err := cometbftAt(v, a)
	if err != nil {
		return nil, err
	}
	b := v.block(height)
	commit := map[string]any{
		"height": cometbftForm.number(height), "round": 0, "block_id": cometbftForm.blockID(b.Hash), "signatures": []string{},
	}
	return map[string]any{
		"signed_header": map[string]any{"header": cometbftForm.header(v, b), "commit": commit}, "canonical": height < v.tip,
	}, nil
}

func cometbftPeers(v *view, _ args) (any, *rpcError) {
	n, ok := v.peers(5)
	if !ok {
		return nil, &rpcError{Code: -32601, Message: "Method not found"}
	}
	return map[string]any{
		"listening": true, "listeners": []string{"Listener(@)"}, "n_peers": strconv.Itoa(n), "peers": []string{},
	}, nil
}

func cometbftResults(v *view, a args) (any, *rpcError) {
	height, err := cometbftAt(v, a)
	if err != nil {
		return nil, err
	}
	results := make([]map[string]any, len(v.block(height).Transactions))
	for i := range results {
		results[i] = map[string]any{"code": 0, "data": nil, "log": "", "info": "", "gas_wanted": "200000", "gas_used": "90000", "events": []string{}, "codespace": ""}
	}
	return map[string]any{
		"height": cometbftForm.number(height), "txs_results": results, "finalize_block_events": nil, "validator_updates": nil,
		"consensus_param_updates": nil, "app_hash": derived("app", v.hash(height)).Base64(),
	}, nil
}

func cometbftInfo(v *view, _ args) (any, *rpcError) {
	return map[string]any{"response": map[string]any{
		"data": "simulated", "version": "1.0.0", "app_version": "1", "last_block_height": cometbftForm.number(v.tip),
		"last_block_app_hash": derived("app", v.hash(v.tip)).Base64(),
	}}, nil
}
