package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// cosmosREST is cosmos-rest: the REST gateway of the Cosmos SDK.
type cosmosREST struct{}

// cosmosRESTForm writes base64.
var cosmosRESTForm = cosmosForm{
	hash: Hash.Base64, parts: "part_set_header", address: func(h Hash) string { return base64Of(h[:20]) },
}

// cosmosRESTHeights are the fields that hold a height.
var cosmosRESTHeights = map[string]bool{"height": true}

// cosmosBase is the service that all SDK chains have.
const cosmosBase = "/cosmos/base/tendermint/v1beta1/"

func (c cosmosREST) answer(v *view, r *request) reply {
	method, ours := strings.CutPrefix(strings.TrimSuffix(r.path, "/"), cosmosBase)
	if !ours || r.verb != http.MethodGet || slices.Contains(v.Unsupported, r.path) {
		return cosmosFailure(http.StatusNotImplemented, 12, "Not Implemented")
	}
	height, isBlock := strings.CutPrefix(method, "blocks/")
	switch {
	case isBlock && height == "latest":
		return c.block(v, v.tip)
	case isBlock:
		return c.blockAt(v, height)
	case method == "syncing":
		return v.json(map[string]bool{"syncing": v.Syncing}, nil)
	case method == "node_info":
		return c.nodeInfo(v)
	default:
		return cosmosFailure(http.StatusNotImplemented, 12, "Not Implemented")
	}
}

// cosmosFailure is an error of the gateway: a gRPC code beside the HTTP status
// that it maps to.
func cosmosFailure(status, code int, message string) reply {
	return jsonReply(status, map[string]any{"code": code, "message": message, "details": []string{}})
}

func (c cosmosREST) blockAt(v *view, text string) reply {
	height, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return cosmosFailure(http.StatusBadRequest, 3, "type mismatch, parameter: height, error: strconv.ParseInt: parsing \""+text+"\": invalid syntax")
	case height <= 0:
		return cosmosFailure(http.StatusInternalServerError, 2, "height must be greater than 0, but got "+text)
	case uint64(height) > v.tip:
		return cosmosFailure(http.StatusBadRequest, 3, "requested block height is bigger then the chain length")
	case uint64(height) < cosmosLowest(v):
		return cosmosFailure(http.StatusInternalServerError, 2, cosmosPruned(v, uint64(height)))
	case !v.has(uint64(height)):
		return cosmosFailure(http.StatusNotFound, 5, "could not find results for height #"+text)
	}
	return c.block(v, uint64(height))
}

func (cosmosREST) block(v *view, height uint64) reply {
	b := v.block(height)
	block := cosmosRESTForm.block(v, b)
	return v.json(map[string]any{
		"block_id": cosmosRESTForm.blockID(b.Hash), "block": block, "sdk_block": block,
	}, cosmosRESTHeights)
}

func (cosmosREST) nodeInfo(v *view) reply {
	return v.json(map[string]any{
		"default_node_info": map[string]any{
			"protocol_version": map[string]string{"p2p": "8", "block": "11", "app": "0"},
			"default_node_id":  derived("node", Hash{}).Hex()[:40], "listen_addr": "tcp://0.0.0.0:26656", "network": v.identity.Network,
			"version": "0.38.0", "channels": "QCAhIiMwOGBhAA==", "moniker": "simulated",
			"other": map[string]string{"tx_index": "on", "rpc_address": "tcp://127.0.0.1:26657"},
		},
		"application_version": map[string]any{
			"name": "simulated", "app_name": "simulatedd", "version": "v1.0.0", "git_commit": "", "build_tags": "", "go_version": "go1.23",
			"build_deps": []string{}, "cosmos_sdk_version": "v0.50.0",
		},
	}, nil)
}
