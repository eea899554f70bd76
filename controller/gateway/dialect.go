package gateway

import (
	"slices"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// rpcTypes speak JSON-RPC by POST.
var rpcTypes = []config.Type{
	config.BitcoinRPC, config.EVMRPC, config.CometBFTRPC, config.XRPLRPC, config.SolanaRPC, config.SorobanRPC,
}

// getTypes are asked by paths.
var getTypes = []config.Type{
	config.BlockchairREST, config.EsploraREST, config.CosmosREST, config.TronHTTP, config.HorizonREST, config.CometBFTRPC,
}

// tronRPC is where java-tron speaks JSON-RPC.
const tronRPC = "/jsonrpc"

// cometVersion is where newer nodes of CometBFT have all that is at their root once
// more.
const cometVersion = "/v1"

// dialect is which of a chain's providers can understand a request: a client that
// speaks to one type is not understood by another.
type dialect struct {
	// rpc: a call or a batch, in a POST.
	rpc bool
	// typ is the only type that understands it; "": every type with JSON-RPC.
	typ config.Type
	// kind is the family whose methods and errors these are.
	kind config.Kind
}

// dialectOf recognises the dialect of a request by its verb and path. It is false
// if no provider of the route speaks a dialect of that kind.
func dialectOf(route *Route, post bool, path string) (dialect, bool) {
	bare := path == "" || path == "/" || route.Kind == config.Cosmos && path == cometVersion
	if route.Kind == config.Tron {
		if post && (bare || path == tronRPC) {
			return dialect{rpc: true, typ: config.TronHTTP, kind: config.EVM}, true
		}
		return dialect{typ: config.TronHTTP, kind: config.Tron}, true
	}
	if post && (bare || route.Kind == config.Bitcoin && strings.HasPrefix(path, "/wallet/")) {
		return dialect{rpc: true, kind: route.Kind}, true
	}
	typ, ok := typeOf(route, path)
	if !post && bare && typ == config.CometBFTRPC {
		// Its front page is for people.
		return dialect{}, false
	}
	if ok {
		return dialect{typ: typ, kind: route.Kind}, true
	}
	return dialect{rpc: true, kind: route.Kind}, post
}

// typeOf is the type with paths that a path belongs to: of several, the one whose
// words it begins with, or else the first one in the route's order.
func typeOf(route *Route, path string) (config.Type, bool) {
	var first config.Type
	for i := range route.Endpoints {
		t := route.Endpoints[i].Type
		if !slices.Contains(getTypes, t) {
			continue
		}
		if first == "" {
			first = t
		}
		if speaks(t, path) {
			return t, true
		}
	}
	return first, first != ""
}

// firstWords are how the paths of a type begin.
var firstWords = map[config.Type][]string{
	config.EsploraREST:    {"blocks", "block", "block-height", "tx", "txs", "address", "scripthash", "mempool", "fee-estimates"},
	config.BlockchairREST: {"stats", "dashboards", "raw", "push", "outputs", "transactions", "inputs", "state", "addresses", "mempool", "uncles", "calls", "infinitable"},
	config.CosmosREST:     {"cosmos", "ibc", "cosmwasm", "thorchain", "node_info", "syncing", "gaia", "noble", "circle"},
	config.HorizonREST:    {"ledgers", "accounts", "transactions", "transactions_async", "operations", "payments", "effects", "offers", "order_book", "fee_stats", "assets", "trades", "claimable_balances", "liquidity_pools", "paths", "health"},
	config.CometBFTRPC:    {"status", "block", "block_results", "block_by_hash", "blockchain", "commit", "tx", "tx_search", "block_search", "validators", "net_info", "health", "abci_query", "abci_info", "genesis", "header", "unconfirmed_txs", "num_unconfirmed_txs", "consensus_params", "broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit", "check_tx"},
}

func speaks(t config.Type, path string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains(firstWords[t], word)
}

// fits says whether an endpoint understands the dialect.
func (d dialect) fits(e *Endpoint) bool {
	if d.typ != "" {
		return e.Type == d.typ
	}
	return slices.Contains(rpcTypes, e.Type)
}
