package gateway

import "github.com/understudy-rpc/understudy/internal/config"

// stateWords are what a node says of its own state.
var stateWords = []row{
	{kinds: onBitcoin, outcome: Unavailable, texts: []string{
		"work queue depth exceeded", "503 too busy", "loading block index", "verifying blocks", "rewinding blocks",
		"loading wallet", "replaying blocks", "pruning blockstore", "loading p2p addresses", "starting network threads",
	}},
	{kinds: onXRPL, outcome: Unavailable, texts: []string{
		"too busy to help you", "toobusy", "notready", "noclosed", "nonetwork", "notsynced", "nocurrent",
		"amendmentblocked", "unlblocked", "wrongnetwork",
	}},
	{outcome: Unavailable, texts: []string{"server is overloaded", "no server available", "server is busy"}},
	// A node that stops closes its database before its port.
	{outcome: Unavailable, texts: []string{
		"pebble: closed", "leveldb: closed", "database closed", "database is closed", "database not open", "db closed",
	}},
	{kinds: onStellar, outcome: Unavailable, texts: []string{
		"data stores are not initialized", "since last known ledger closed is too high", "stale_history",
		"historical db is too stale", "server_over_capacity", "still_ingesting", "horizon-errors/timeout",
	}},
	{kinds: onSolana, outcome: Unavailable, texts: []string{"node is behind", "node is unhealthy"}},
	{kinds: onTron, outcome: Unavailable, texts: []string{
		"server_busy", "no_connection", "not_enough_effective_connection", "block_unsolidified",
	}},
	{kinds: onXRPL, texts: []string{"slowdown"}, outcome: RateLimited},
	{kinds: onXRPL, texts: []string{"forbidden", "nopermission", "badcredentials"}, outcome: Unauthorized},
}

// lackWords are what a node does not have, or does not do.
var lackWords = []row{
	{kinds: onBitcoin, outcome: Missing, texts: []string{
		"block height out of range", "block number out of range", "block not found", "not available (pruned data)",
		"no such mempool", "no information available about transaction", "transaction not found",
		"not in mempool", "block not available", "can't read block from disk", "no transaction found",
		"no such block",
	}},
	{kinds: onEVM, outcome: Missing, texts: []string{
		"header not found", "block not found", "unknown block", "missing trie node", "pruned history unavailable",
		"header for hash not found", "transaction not found", "receipt not found", "state not available",
		"state is not available", "state unavailable", "requested state", "historical state", "required historical",
		"no state available", "block is not available", "block not available", "missing block", "could not find block",
		"after last accepted block", "distance to target block exceeds", "pruned",
		"chainexception: unexpected error (code=40000)",
	}},
	// What a plan allows differs from vendor to vendor, and what the last one says
	// tells the client how to ask for less.
	{kinds: onEVM, outcome: Unsupported, texts: []string{
		"query returned more than", "block range", "range is too large", "ranges over", "range limit",
		"response size exceeded", "response size should not", "batch too large", "batch limit", "batch size",
		"archive", "not supported on", "not available on", "does not exist/is not available",
	}},
	{kinds: onCosmos, outcome: Missing, texts: []string{
		"must be less than or equal to the current blockchain height", "is not available, lowest height is",
		"could not find results for height", "bigger then the chain length", "bigger than the chain length",
		"tx not found", ") not found", "version does not exist", "failed to load state at height",
	}},
	{kinds: onCosmos, outcome: Unsupported, texts: []string{"transaction indexing is disabled"}},
	{kinds: onStellar, outcome: Missing, texts: []string{
		"must be between the oldest ledger", "must be within the ledger range", "start is after newest ledger",
		"horizon-errors/before_history", "horizon-errors/not_found",
	}},
	{kinds: onXRPL, outcome: Missing, texts: []string{"lgrnotfound", "lgrnotvalidated", "txnnotfound", "lgridxmalformed"}},
	{kinds: onXRPL, outcome: Unsupported, texts: []string{"unknowncmd", "notimpl", "notsupported", "notenabled"}},
	{kinds: onTron, outcome: Unsupported, texts: []string{"this node is a lite fullnode"}},
	{types: []config.Type{config.EsploraREST}, outcome: Missing, texts: []string{"not found"}},
}

// codeRows are error codes, by family: -32005 is a rate limit on EVM and a node
// behind on Solana, -32007 a rate limit at QuickNode and a skipped slot on
// Solana, -32603 everything that failed on Cosmos.
var codeRows = []row{
	{codes: []int64{429, -32429}, outcome: RateLimited},
	// Bitcoin Core's rpc/protocol.h: warming up, in initial download.
	{kinds: onBitcoin, codes: []int64{-28, -10}, outcome: Unavailable},
	{kinds: onBitcoin, codes: []int64{-1}, texts: []string{"unimplemented"}, outcome: Unsupported},
	{kinds: onEVM, codes: []int64{-32005, -32007, -32009, -32012, -32614}, outcome: RateLimited},
	{kinds: onEVM, codes: []int64{-32001, -32004, -32612, -32613}, outcome: Unsupported},
	{kinds: onEVM, codes: []int64{4444}, outcome: Missing},
	{kinds: onSolana, codes: []int64{-32005, -32016}, outcome: Unavailable},
	{kinds: onSolana, codes: []int64{-32001, -32004, -32014, -32019}, outcome: Missing},
	{kinds: onSolana, codes: []int64{-32011}, outcome: Unsupported},
	{types: []config.Type{config.CosmosREST}, codes: []int64{5, 11}, outcome: Missing},
	{types: []config.Type{config.CosmosREST}, codes: []int64{12}, outcome: Unsupported},
	{types: []config.Type{config.CosmosREST}, codes: []int64{8}, outcome: RateLimited},
	{types: []config.Type{config.CosmosREST}, codes: []int64{7, 16}, outcome: Unauthorized},
	{types: []config.Type{config.CosmosREST}, codes: []int64{4}, outcome: Timeout},
	{types: []config.Type{config.CosmosREST}, codes: []int64{14}, outcome: ServerError},
	{codes: []int64{-32601}, outcome: Unsupported},
	// An internal error is nothing in particular on Cosmos, where every failed call
	// is one. What the others cannot explain, another provider may not suffer from.
	{kinds: []config.Kind{config.EVM, config.Solana, config.Stellar, config.Tron}, codes: []int64{-32603}, outcome: ServerError},
	{kinds: []config.Kind{config.EVM, config.Solana, config.Stellar, config.Tron}, coded: true, outcome: ServerError, texts: []string{
		"server error", "internal error", "timed out", "timeout", "temporarily unavailable", "service unavailable",
		"try again", "upstream", "no backend", "bad gateway", "context deadline exceeded", "connection refused",
	}},
	{statuses: []int{405, 501}, outcome: Unsupported},
	{statuses: []int{408}, outcome: Timeout},
}
