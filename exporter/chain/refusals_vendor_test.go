package chain

import (
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// refusal is an answer by which a vendor or a node refuses, word by word, and
// what it means.
type refusal struct {
	name   string
	typ    config.Type
	kind   config.Kind
	status int
	header map[string]string
	body   string

	reason Reason
	wait   time.Duration
	code   Optional[int64]
}

// vendorRefusals are those of vendors, which are the same on every chain.
var vendorRefusals = []refusal{
	{
		name: "QuickNode's rate limit", typ: config.EVMRPC, status: 429,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32007,"message":"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}}`,
		reason: RateLimited, code: Some[int64](-32007),
	},
	{
		name: "QuickNode's rate limit with 200", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32007,"message":"15/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}}`,
		reason: RateLimited, code: Some[int64](-32007),
	},
	{
		name: "QuickNode's rate limit on Solana, where the code is a skipped slot", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32007,"message":"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}}`,
		reason: RateLimited, code: Some[int64](-32007),
	},
	{
		name: "QuickNode's sibling code", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32009,"message":"trace limit"}}`,
		reason: RateLimited, code: Some[int64](-32009),
	},
	{
		name: "QuickNode's range limit", typ: config.EVMRPC, status: 413,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32614,"message":"eth_getLogs is limited to a 10,000 range"}}`,
		reason: RateLimited, code: Some[int64](-32614),
	},
	{
		name: "QuickNode's credits", typ: config.EVMRPC, status: 200,
		body:   `{"code":-32012,"message":"credits limited to 6000/sec"}`,
		reason: RateLimited, code: Some[int64](-32012),
	},
	{
		name: "QuickNode's token", typ: config.EVMRPC, status: 401, body: `UNAUTHORIZED`, reason: Unauthorized,
	},
	{
		name: "QuickNode's endpoint that was not paid", typ: config.EVMRPC, status: 403, body: `endpoint is disabled`, reason: QuotaExhausted,
	},
	{
		name: "QuickNode's too large body", typ: config.EVMRPC, status: 413, body: `Request Entity Too Large`, reason: HTTP4xx,
	},
	{
		name: "QuickNode's wrong address", typ: config.EVMRPC, status: 404, body: `Not Found`, reason: HTTP4xx,
	},
	{
		name: "QuickNode's method that is not in the plan", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32612,"message":"custom trace"}}`,
		reason: MethodUnsupported, code: Some[int64](-32612),
	},
	{
		name: "QuickNode's other method that is not in the plan", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32613,"message":"custom trace"}}`,
		reason: MethodUnsupported, code: Some[int64](-32613),
	},
	{
		name: "Alchemy's rate limit", typ: config.EVMRPC, status: 429,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":429,"message":"Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message."}}`,
		reason: RateLimited, code: Some[int64](429),
	},
	{
		name: "Alchemy's rate limit in an item of a batch", typ: config.EVMRPC, status: 200,
		body:   `[{"jsonrpc":"2.0","id":"$id","error":{"code":429,"message":"Your app has exceeded its compute units per second capacity."}}]`,
		reason: RateLimited,
	},
	{
		name: "Alchemy's code alone", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":429,"message":"slow"}}`,
		reason: RateLimited, code: Some[int64](429),
	},
	{
		name: "Alchemy's key", typ: config.EVMRPC, status: 401,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"Must be authenticated!"}}`,
		reason: Unauthorized, code: Some[int64](-32600),
	},
	{
		name: "Alchemy's key with 200", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"Must be authenticated!"}}`,
		reason: Unauthorized, code: Some[int64](-32600),
	},
	{
		name: "Alchemy's quota", typ: config.EVMRPC, status: 429,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":429,"message":"Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service."}}`,
		reason: QuotaExhausted, code: Some[int64](429),
	},
	{
		name: "Alchemy's quota with 403, where -32600 is usually our mistake", typ: config.EVMRPC, status: 403,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing to upgrade your scaling policy for continued service."}}`,
		reason: QuotaExhausted, code: Some[int64](-32600),
	},
	{
		name: "Alchemy's quota with 200", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"Monthly capacity limit exceeded."}}`,
		reason: QuotaExhausted, code: Some[int64](-32000),
	},
	{
		name: "Alchemy's network that the app may not use", typ: config.EVMRPC, status: 403,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"ETH_MAINNET is not enabled for this app"}}`,
		reason: Unauthorized, code: Some[int64](-32600),
	},
	{
		name: "Alchemy's block near the tip", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":3,"message":"Unknown block"}}`,
		reason: Missing, code: Some[int64](3),
	},
	{
		name: "Infura's rate limit", typ: config.EVMRPC, status: 429, header: map[string]string{"Retry-After": "7"},
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32005,"message":"daily request count exceeded, request rate limited","data":{"rate":{"allowed_rps":1,"backoff_seconds":30,"current_rps":1.4},"see":"https://infura.io/dashboard"}}}`,
		reason: RateLimited, code: Some[int64](-32005), wait: 30 * time.Second,
	},
	{
		name: "Infura's rate limit with 200", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32005,"message":"daily request count exceeded, request rate limited"}}`,
		reason: RateLimited, code: Some[int64](-32005),
	},
	{
		name: "Infura's project", typ: config.EVMRPC, status: 401, body: `invalid project id`, reason: Unauthorized,
	},
	{
		name: "Infura's key", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"you need to be authenticated"}}`,
		reason: Unauthorized, code: Some[int64](-32600),
	},
	{
		name: "Infura's method", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32004,"message":"method not supported"}}`,
		reason: MethodUnsupported, code: Some[int64](-32004),
	},
	{
		name: "Infura's resource", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32001,"message":"resource unavailable"}}`,
		reason: MethodUnsupported, code: Some[int64](-32001),
	},
	{
		name: "Infura's text that calls itself JSON", typ: config.EVMRPC, status: 200, header: map[string]string{"Content-Type": "application/json"},
		body: `invalid host specified`, reason: BadResponse,
	},
	{
		name: "Ankr's rate limit", typ: config.EVMRPC, status: 429, body: ``, reason: RateLimited,
	},
	{
		name: "Ankr's key", typ: config.EVMRPC, status: 403,
		body:   `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized: You must authenticate your request with an API key. Create an account on https://www.ankr.com/rpc/ and generate your personal API key for free."}}`,
		reason: Unauthorized, code: Some[int64](-32000),
	},
	{
		name: "Ankr's key with 200", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized: You must authenticate your request with an API key. Create an account on https://www.ankr.com/rpc/ and generate your personal API key for free."}}`,
		reason: Unauthorized, code: Some[int64](-32000),
	},
	{
		name: "Ankr's quota", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"reached the limit for your current plan"}}`,
		reason: QuotaExhausted, code: Some[int64](-32000),
	},
	{
		name: "dRPC's throttle, which calls itself a timeout", typ: config.EVMRPC, status: 408,
		body:   `{"id":"$id","jsonrpc":"2.0","error":{"message":"Request timeout on the free tier, please upgrade your tier to the paid one","code":30}}`,
		reason: RateLimited, code: Some[int64](30),
	},
	{
		name: "dRPC's throttle in other words", typ: config.EVMRPC, status: 408,
		body:   `{"id":"$id","jsonrpc":"2.0","error":{"message":"timeout","code":30}}`,
		reason: RateLimited, code: Some[int64](30),
	},
	{
		name: "a plain 408", typ: config.EVMRPC, status: 408, body: `Request Timeout`, reason: Timeout,
	},
	{
		name: "dRPC's token", typ: config.EVMRPC, status: 200,
		body:   `{"id":"$id","jsonrpc":"2.0","error":{"message":"token is invalid","code":4}}`,
		reason: Unauthorized, code: Some[int64](4),
	},
	{
		name: "dRPC's range", typ: config.EVMRPC, status: 400,
		body:   `{"id":"$id","jsonrpc":"2.0","error":{"message":"ranges over 10000 blocks are not supported on freetier","code":35}}`,
		reason: RPCError, code: Some[int64](35),
	},
	{
		name: "dRPC's missing data", typ: config.EVMRPC, status: 200,
		body:   `{"id":"$id","jsonrpc":"2.0","error":{"message":"ChainException: Unexpected error (code=40000)","code":19}}`,
		reason: Missing, code: Some[int64](19),
	},
	{
		name: "Chainstack's rate limit", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"You've exceeded the RPS limit available on the current plan."}}`,
		reason: RateLimited, code: Some[int64](-32000),
	},
	{
		name: "Helius' rate limit", typ: config.SolanaRPC, status: 429,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32429,"message":"rate limited"}}`,
		reason: RateLimited, code: Some[int64](-32429),
	},
	{
		name: "Helius' key", typ: config.SolanaRPC, status: 401,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32401,"message":"invalid api key provided"}}`,
		reason: Unauthorized, code: Some[int64](-32401),
	},
	{
		name: "Helius' quota", typ: config.SolanaRPC, status: 429, header: map[string]string{"Content-Type": "text/plain"},
		body: `max usage reached`, reason: QuotaExhausted,
	},
	{
		name: "Helius' quota with 200", typ: config.SolanaRPC, status: 200, header: map[string]string{"Content-Type": "text/plain"},
		body: `max usage reached`, reason: QuotaExhausted,
	},
	{
		name: "Helius' 503", typ: config.SolanaRPC, status: 503, body: ``, reason: HTTP5xx,
	},
	{
		name: "public Solana's rate limit", typ: config.SolanaRPC, status: 429, header: map[string]string{"Retry-After": "10"},
		body:   `{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":"$id"}`,
		reason: RateLimited, code: Some[int64](429), wait: 10 * time.Second,
	},
	{
		name: "public Solana's 403", typ: config.SolanaRPC, status: 403, body: `Forbidden`, reason: Unauthorized,
	},
	{
		name: "the rate limit of BSC's seeds", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32005,"message":"limit exceeded"}}`,
		reason: RateLimited, code: Some[int64](-32005),
	},
	{
		name: "a rate limit of a gateway with its wait", typ: config.SorobanRPC, status: 429,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"Rate limit exceeded","data":{"retryAfter":12}}}`,
		reason: RateLimited, code: Some[int64](-32000), wait: 12 * time.Second,
	},
	{
		name: "a spent free tier", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"You have reached the free tier"}}`,
		reason: QuotaExhausted, code: Some[int64](-32000),
	},
	{
		name: "payment required", typ: config.BitcoinRPC, status: 402, body: ``, reason: QuotaExhausted,
	},
	{
		name: "an inactive key", typ: config.BitcoinRPC, status: 200,
		body:   `{"result":null,"error":{"code":-1,"message":"API key is inactive"},"id":"$id"}`,
		reason: Unauthorized, code: Some[int64](-1),
	},
	{
		name: "a gateway without a server", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"No server available"}}`,
		reason: Busy, code: Some[int64](-32000),
	},
	{
		name: "a gateway's page for too many requests", typ: config.EVMRPC, status: 200,
		body:   `<html><head><title>Too Many Requests</title></head><body>slow down</body></html>`,
		reason: RateLimited,
	},
}
