package gateway

import (
	"slices"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// said is what an answer that is not a good one says.
type said struct {
	kind   config.Kind
	typ    config.Type
	risk   risk
	status int
	code   int64
	coded  bool
	// text is the error's message with its data, or the body, in lower case; method
	// is what was asked for, as the client named it.
	text, method string
}

// row is one row of a table. Every field that is set must match; of a list, one
// entry must.
type row struct {
	kinds    []config.Kind
	types    []config.Type
	statuses []int
	codes    []int64
	// coded restricts the row to answers with an error code, sent to answers to a
	// signed transaction.
	coded, sent bool
	// texts are looked for in lower case.
	texts   []string
	outcome Outcome
}

func (r row) matches(s said) bool {
	return (r.kinds == nil || slices.Contains(r.kinds, s.kind)) &&
		(r.types == nil || slices.Contains(r.types, s.typ)) &&
		(r.statuses == nil || slices.Contains(r.statuses, s.status)) &&
		(r.codes == nil || s.coded && slices.Contains(r.codes, s.code)) &&
		(!r.coded || s.coded) && (!r.sent || s.risk == signed) &&
		(r.texts == nil || slices.ContainsFunc(r.texts, s.has))
}

// has says whether the text has some words that are the provider's own: who does not
// know a method says which one, and that may be anything.
func (s said) has(words string) bool {
	return strings.Contains(s.text, words) && !strings.Contains(strings.ToLower(s.method), words)
}

// find is the outcome of the first row that matches.
func find(s said, tables ...[]row) (Outcome, bool) {
	for _, table := range tables {
		for _, r := range table {
			if r.matches(s) {
				return r.outcome, true
			}
		}
	}
	return 0, false
}

var (
	onBitcoin = []config.Kind{config.Bitcoin}
	onEVM     = []config.Kind{config.EVM}
	onCosmos  = []config.Kind{config.Cosmos}
	onXRPL    = []config.Kind{config.XRPL}
	onTron    = []config.Kind{config.Tron}
	onSolana  = []config.Kind{config.Solana}
	onStellar = []config.Kind{config.Stellar}
)

// rpcTables judge an error, in the order of trust: what the chain itself refused
// is an answer, whatever words a contract put into it; then a vendor's own words,
// whatever code or status they came with; then statuses; then what a node says of
// itself and of what it lacks; and last the codes, which mean different things in
// different families.
var rpcTables = [][]row{chainAnswers, limitWords, keyWords, statusRows, stateWords, lackWords, codeRows}

// plainTables judge a text that is no error by its form: it takes a vendor's own
// words to doubt it.
var plainTables = [][]row{limitWords, keyWords, stateWords}

// chainAnswers are what every provider would say. A transaction that is known
// already has arrived, which is all its sender wants.
var chainAnswers = []row{
	{kinds: onEVM, coded: true, sent: true, outcome: OK, texts: []string{
		"already known", "known transaction", "alreadyknown", "already imported", "already exists", "already in mempool",
		"transaction with the same hash was already",
	}},
	{kinds: onBitcoin, coded: true, sent: true, outcome: OK, texts: []string{
		"txn-already-known", "txn-already-in-mempool", "already in block chain", "already in utxo set",
		"already have transaction", "already in mempool", "transaction already exists", "outputs already in utxo set",
	}},
	{kinds: onCosmos, sent: true, outcome: OK, texts: []string{"tx already exists in cache", "tx already in mempool"}},
	{kinds: onSolana, coded: true, sent: true, outcome: OK, texts: []string{"already been processed", "alreadyprocessed"}},
	// A node that is behind does not know the newest blockhash.
	{kinds: onSolana, coded: true, sent: true, outcome: Missing, texts: []string{"blockhash not found", "blockhashnotfound"}},
	{kinds: onEVM, coded: true, outcome: Refused, texts: []string{
		"revert", "nonce too low", "nonce too high", "insufficient funds", "underpriced", "intrinsic gas",
		"exceeds block gas limit", "gas required exceeds allowance", "out of gas", "invalid opcode", "stack underflow",
		"invalid jump", "less than block base fee", "tip higher than fee cap", "invalid sender", "oversized data",
		"tx type not supported", "transaction type not supported", "invalid signature", "replacement transaction",
		"max initcode", "contract creation code", "invalid argument", "cannot unmarshal",
	}},
	{kinds: onEVM, codes: []int64{3}, outcome: Refused},
	{kinds: onSolana, coded: true, outcome: Refused, texts: []string{
		"transaction simulation failed", "was skipped, or missing", "signature verification failure",
	}},
	{kinds: onBitcoin, coded: true, outcome: Refused, texts: []string{
		"bad-txns", "txn-mempool-conflict", "min relay fee not met", "insufficient fee", "dust", "non-final",
		"missing inputs", "mandatory-script-verify", "too-long-mempool-chain", "absurdly-high-fee", "max-fee-exceeded",
	}},
}

// limitWords are about how much a client may ask.
var limitWords = []row{
	{outcome: RateLimited, texts: []string{
		"monthly capacity limit", "max usage reached", "reached the free tier", "limit for your current plan",
		"exceeded the quota", "quota exceeded", "reached the quota", "reached your quota", "exceeded your quota",
		"payment required", "/billing", "upgrade your scaling policy", "monthly limit exceeded", "out of credits",
		"monthly quota", "credits have been exhausted", "credit limit exceeded", "endpoint is disabled",
		"endpoint disabled", "endpoint has been disabled",
		"temporary blacklisted", "temporarily blacklisted", "ip has been blocked", "ip address is blocked",
		"ip address has been blocked", "ip is blocked",
		"daily request count exceeded", "request rate limited", "compute units per second",
		"/second request limit reached", "request limit reached", "credits limited to",
		"request timeout on the free tier", "exceeded the rps limit", "exceeds the frequency limit",
		"request rate exceeded the allowed_rps", "query server is suspended", "placing too much load on the server",
		"too many requests", "rate limit", "rate-lim", "rate_limit", "ratelimit", "requests limited to",
		"under too much load", "upgrade your tier", "app has exceeded", "account has exceeded", "key has exceeded",
		"project has exceeded", "plan has exceeded", "user has exceeded", "client has exceeded", "ip has exceeded",
		"you have exceeded", "you've exceeded",
	}},
	{kinds: onXRPL, texts: []string{"server is overloaded"}, outcome: RateLimited},
	{kinds: onEVM, statuses: []int{408}, codes: []int64{30}, outcome: RateLimited},
}

// keyWords are about who may ask.
var keyWords = []row{
	{outcome: Unauthorized, texts: []string{
		"be authenticated", "must authenticate your request", "invalid project id", "invalid api key",
		"api key is invalid", "key is inactive", "invalid access key", "missing api key", "api key is missing",
		"token is invalid", "not allowed to access", "unauthorized",
	}},
}

// statusRows are statuses that vendors use with care.
var statusRows = []row{
	{statuses: []int{401, 403, 407}, outcome: Unauthorized},
	{statuses: []int{402, 429}, outcome: RateLimited},
	{types: []config.Type{config.BlockchairREST}, statuses: []int{430, 434, 435, 436, 437, 503}, outcome: RateLimited},
	{types: []config.Type{config.BlockchairREST}, codes: []int64{402, 429, 430, 434, 435, 436, 437, 503}, outcome: RateLimited},
}
