package chain

import (
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// stateWords are what nodes say of their own state, and of blocks that they do
// not have.
var stateWords = []rule{
	// Bitcoin Core's full work queue is plain text with 500, and 503 since 25;
	// btcd's is above --rpcmaxclients.
	{kinds: []config.Kind{config.Bitcoin}, reason: Busy, texts: []string{"work queue depth exceeded", "503 too busy"}},
	{kinds: []config.Kind{config.XRPL}, reason: Busy, texts: []string{"too busy to help you"}},
	{reason: Busy, texts: []string{"server is overloaded", "no server available"}},
	// stellar-rpc before its first ledger, and its stale state; Horizon's.
	{kinds: []config.Kind{config.Stellar}, reason: Starting, texts: []string{"data stores are not initialized"}},
	{kinds: []config.Kind{config.Stellar}, reason: Behind, texts: []string{
		"since last known ledger closed is too high", "stale_history", "historical db is too stale",
	}},
	{kinds: []config.Kind{config.Bitcoin}, reason: Missing, texts: []string{
		"block height out of range", // Core, code -8
		"block number out of range", // btcd, code -1
		"block not found",           // Core, btcd and Esplora
		"not available (pruned data)",
	}},
	{kinds: []config.Kind{config.EVM}, reason: Missing, texts: []string{
		"header not found", "block not found", "unknown block", "missing trie node",
		"pruned history unavailable",
		"chainexception: unexpected error (code=40000)", // dRPC: data missing
	}},
	{kinds: []config.Kind{config.Cosmos}, reason: Missing, texts: []string{
		"must be less than or equal to the current blockchain height",
		"is not available, lowest height is", "could not find results for height",
		"bigger then the chain length", "bigger than the chain length",
	}},
	{kinds: []config.Kind{config.Stellar}, reason: Missing, texts: []string{
		"must be between the oldest ledger", "must be within the ledger range",
		"start is after newest ledger", "horizon-errors/before_history", "horizon-errors/not_found",
	}},
}

// codeRules are error codes, by family: -32005 is a rate limit on EVM and a node
// behind on Solana, -32007 a rate limit at QuickNode and a skipped slot on
// Solana, -32603 nothing in particular on EVM.
var codeRules = []rule{
	// The HTTP status, repeated in the body of a 200 or of an item of a batch:
	// Alchemy and public Solana; Helius has its own.
	{codes: []int64{429, -32429}, reason: RateLimited},
	{types: []config.Type{config.BlockchairREST}, codes: []int64{402}, reason: QuotaExhausted},
	{types: []config.Type{config.BlockchairREST}, codes: []int64{435, 436, 437}, reason: RateLimited},
	{types: []config.Type{config.BlockchairREST}, codes: []int64{430, 434, 503}, reason: IPBlocked},
	// Bitcoin Core's rpc/protocol.h: warming up, in initial download, invalid
	// address or key (a hash as well), invalid parameter (a height as well).
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-28}, reason: Starting},
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-10}, reason: Syncing},
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-8, -5}, reason: Missing},
	// btcd: "Command unimplemented".
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-1}, texts: []string{"unimplemented"}, reason: MethodUnsupported},
	// Infura and BSC's seeds; QuickNode's four.
	{kinds: []config.Kind{config.EVM}, codes: []int64{-32005, -32007, -32009, -32012, -32614}, reason: RateLimited},
	{kinds: []config.Kind{config.EVM}, codes: []int64{-32001, -32004, -32612, -32613}, reason: MethodUnsupported},
	// go-ethereum's pruned history.
	{kinds: []config.Kind{config.EVM}, codes: []int64{4444}, reason: Missing},
	// agave's custom_error.rs: node behind or unhealthy, minContextSlot not
	// reached; block cleaned up, not available, status not yet available,
	// long-term storage unreachable.
	{kinds: []config.Kind{config.Solana}, codes: []int64{-32005, -32016}, reason: Behind},
	{kinds: []config.Kind{config.Solana}, codes: []int64{-32001, -32004, -32014, -32019}, reason: Missing},
	{codes: []int64{-32601}, reason: MethodUnsupported},
	{statuses: []int{http.StatusMethodNotAllowed, http.StatusNotImplemented}, reason: MethodUnsupported},
	{statuses: []int{http.StatusRequestTimeout}, reason: Timeout},
}
