package chain

import (
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// tables are the tables of failures in the order of trust. What the chain
// itself refused is an answer, whatever words a contract put into it. A vendor's
// own words come next: the same vendor sends the same cause with 200, 403 and
// 429, and with codes that mean something else elsewhere. Then the statuses that
// vendors use with care; then what a node says of its own state, since "header
// not found" beside a 401 is about a key; and last the codes, which mean
// different things in different families.
//
// A row stands above those that it shall overrule. Texts are in lower case, and
// long enough not to be found in an ordinary answer of a chain: "has exceeded"
// alone is as well what a node says of gas.
var tables = [][]rule{chainAnswers, limitWords, keyWords, statusRules, stateWords, familyRules, codeRules}

// chainAnswers are deterministic refusals by the chain: another provider would
// say the same.
var chainAnswers = []rule{
	{kinds: []config.Kind{config.EVM}, coded: true, reason: RPCError, texts: []string{
		"execution reverted", "nonce too low", "nonce too high", "already known",
		"known transaction", "insufficient funds", "transaction underpriced",
		"intrinsic gas too low", "exceeds block gas limit", "gas required exceeds allowance",
	}},
	{kinds: []config.Kind{config.Solana}, coded: true, reason: RPCError, texts: []string{
		"transaction simulation failed", "was skipped, or missing",
	}},
	{kinds: []config.Kind{config.Bitcoin}, coded: true, reason: RPCError, texts: []string{
		"bad-txns", "txn-already", "txn-mempool-conflict", "min relay fee not met",
	}},
}

// limitWords are about how much a client may ask.
var limitWords = []rule{
	// Spent quotas: nothing but time or money helps.
	{reason: QuotaExhausted, texts: []string{
		"monthly capacity limit",               // Alchemy, with 403, 429 or 200
		"max usage reached",                    // Helius, as plain text with 429 or 200
		"reached the free tier",                // several
		"limit for your current plan",          // Ankr
		"exceeded the quota", "quota exceeded", // generic
		"reached the quota", "reached your quota", // generic
		"exceeded your quota", "payment required", // generic
		"/billing", "upgrade your scaling policy", // Alchemy
		"monthly limit exceeded", "out of credits", // generic
		"monthly quota", "credits have been exhausted", // generic
		"credit limit exceeded", "endpoint is disabled", // QuickNode, unpaid, with 403
		"endpoint disabled", "endpoint has been disabled",
	}},
	// Blockchair's 430 says so in words as well.
	{reason: IPBlocked, texts: []string{
		"temporary blacklisted", "temporarily blacklisted", "ip has been blocked",
		"ip address is blocked", "ip address has been blocked", "ip is blocked",
	}},
	{reason: RateLimited, texts: []string{
		"daily request count exceeded", "request rate limited", // Infura
		"compute units per second",                    // Alchemy
		"/second request limit reached",               // QuickNode
		"request limit reached",                       // QuickNode
		"credits limited to",                          // QuickNode
		"request timeout on the free tier",            // dRPC: throttling under another name
		"exceeded the rps limit",                      // Chainstack
		"exceeds the frequency limit",                 // TronGrid
		"request rate exceeded the allowed_rps",       // TronGrid
		"query server is suspended",                   // TronGrid
		"placing too much load on the server",         // rippled
		"too many requests", "rate limit", "rate-lim", // generic
		"rate_limit", "ratelimit", "requests limited to", "under too much load",
		"upgrade your tier", "app has exceeded", "account has exceeded",
		"key has exceeded", "project has exceeded", "plan has exceeded",
		"user has exceeded", "client has exceeded", "ip has exceeded",
		"you have exceeded", "you've exceeded",
	}},
	// rippled turns a client over its share away with this text and 503.
	{kinds: []config.Kind{config.XRPL}, texts: []string{"server is overloaded"}, reason: RateLimited},
	// dRPC: 408 with code 30, whatever the text says of it this year.
	{kinds: []config.Kind{config.EVM}, statuses: []int{http.StatusRequestTimeout}, codes: []int64{30}, reason: RateLimited},
}

// keyWords are about who may ask.
var keyWords = []rule{
	{reason: Unauthorized, texts: []string{
		"must be authenticated", "be authenticated", // Alchemy, Infura
		"must authenticate your request", // Ankr
		"invalid project id",             // Infura
		"invalid api key", "api key is invalid", "key is inactive",
		"invalid access key", "missing api key", "api key is missing",
		"token is invalid", // dRPC
		"not allowed to access", "unauthorized",
	}},
}

// statusRules are statuses that vendors use with care.
var statusRules = []rule{
	{statuses: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired}, reason: Unauthorized},
	{statuses: []int{http.StatusPaymentRequired}, reason: QuotaExhausted},
	{statuses: []int{http.StatusTooManyRequests}, reason: RateLimited},
	// Blockchair's own (its API documentation, "Errors"): 435 to 437 are
	// limits, 430 and 434 block the address, and so does its 503. context.code
	// repeats them in the body.
	{types: []config.Type{config.BlockchairREST}, statuses: []int{435, 436, 437}, reason: RateLimited},
	{types: []config.Type{config.BlockchairREST}, statuses: []int{430, 434, 503}, reason: IPBlocked},
	// A TLS port that was asked without TLS, as Go's and nginx's servers say.
	{statuses: []int{http.StatusBadRequest}, reason: TLS, texts: []string{
		"client sent an http request to an https server", "plain http request was sent to https port",
	}},
}
