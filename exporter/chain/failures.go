package chain

import (
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// wordRules are recognised whatever status and code come with them: the same
// vendor sends the same cause with 200, 403 and 429, and with codes that mean
// something else elsewhere.
var wordRules = []rule{
	// Spent quotas: nothing but time or money helps.
	{reason: QuotaExhausted, texts: []string{
		"monthly capacity limit",          // Alchemy, with 403, 429 or 200
		"max usage reached",               // Helius, as plain text with 429 or 200
		"reached the free tier",           // several
		"limit for your current plan",     // Ankr
		"exceeded the quota", "quota exc", // generic
		"reached the quota",
		"payment required",
		"/billing",
	}},
	// Blockchair's 430 says so in words as well.
	{reason: IPBlocked, texts: []string{"temporary blacklisted", "ip has been blocked", "ip address is blocked"}},
	{reason: RateLimited, texts: []string{
		"daily request count exceeded", // Infura
		"request rate limited",
		"compute units per second",                      // Alchemy
		"request limit reached",                         // QuickNode
		"credits limited to",                            // QuickNode
		"request timeout on the free tier",              // dRPC: throttling under another name
		"exceeded the rps limit",                        // Chainstack
		"exceeds the frequency limit",                   // TronGrid
		"request rate exceeded the allowed_rps",         // TronGrid
		"query server is suspended",                     // TronGrid
		"placing too much load on the server",           // rippled
		"too many requests", "rate limit", "rate-limit", // generic
		"ratelimit", "under too much load", "requests limited to",
		"rate limited", "has exceeded",
	}},
	{reason: Unauthorized, texts: []string{
		"must be authenticated", "be authenticated", // Alchemy, Infura
		"must authenticate your request", // Ankr
		"invalid project id",             // Infura
		"invalid api key", "api key is invalid", "key is inactive",
		"token is invalid", // dRPC
		"not allowed to access", "unauthorized",
	}},
	// Bitcoin Core's full work queue: plain text with 500, 503 since 25.
	{reason: Busy, texts: []string{"work queue depth exceeded", "server is overloaded", "503 too busy"}},
	// stellar-rpc before its first ledger; its stale state.
	{reason: Starting, kinds: []config.Kind{config.Stellar}, texts: []string{"data stores are not initialized"}},
	{reason: Behind, kinds: []config.Kind{config.Stellar}, texts: []string{"since last known ledger closed is too high", "stale_history", "historical db is too stale"}},
	// What a node that no longer has, or does not have, a block says.
	{reason: Missing, texts: []string{
		"block height out of range", "block number out of range", "block not found",
		"header not found", "unknown block",
		"must be less than or equal to the current blockchain height",
		"start is after newest ledger",
	}},
}

// statusRules are statuses that vendors use with care.
var statusRules = []rule{
	{statuses: []int{http.StatusUnauthorized, http.StatusForbidden}, reason: Unauthorized},
	{statuses: []int{http.StatusPaymentRequired}, reason: QuotaExhausted},
	{statuses: []int{http.StatusTooManyRequests}, reason: RateLimited},
	// Blockchair's own: 435 to 437 are limits, 430 and 434 block the address,
	// and so does its 503.
	{types: []config.Type{config.BlockchairREST}, statuses: []int{435, 436, 437}, reason: RateLimited},
	{types: []config.Type{config.BlockchairREST}, statuses: []int{430, 434, 503}, reason: IPBlocked},
}

// codeRules are error codes, by family: -32005 is a rate limit on EVM and a node
// behind on Solana, -32007 a rate limit at QuickNode and a skipped slot on
// Solana.
var codeRules = []rule{
	{codes: []int64{429, -32429}, reason: RateLimited},
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-28}, reason: Starting},
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-8, -5}, reason: Missing},
	{kinds: []config.Kind{config.EVM}, codes: []int64{-32005, -32007, -32009, -32012, -32614}, reason: RateLimited},
	{kinds: []config.Kind{config.EVM}, codes: []int64{-32001, -32004, -32612, -32613}, reason: MethodUnsupported},
	{kinds: []config.Kind{config.EVM}, codes: []int64{4444}, reason: Missing},
	{kinds: []config.Kind{config.Solana}, codes: []int64{-32005}, reason: Behind},
	{kinds: []config.Kind{config.Solana}, codes: []int64{-32001, -32004, -32014, -32019}, reason: Missing},
	{codes: []int64{-32601}, reason: MethodUnsupported},
	// btcd: -1 "Command unimplemented".
	{kinds: []config.Kind{config.Bitcoin}, codes: []int64{-1}, texts: []string{"unimplemented"}, reason: MethodUnsupported},
	{statuses: []int{http.StatusMethodNotAllowed, http.StatusNotImplemented}, reason: MethodUnsupported},
}
