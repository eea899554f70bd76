package chain

import (
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// chainWords are answers of the chain itself, and of servers, that hold words
// which the tables look for elsewhere.
var chainWords = []refusal{
	{
		name: "a revert", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}`,
		reason: RPCError, code: Some[int64](3),
	},
	{
		name: "a revert about a rate limit", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":3,"message":"execution reverted: RateLimiter: rate limit exceeded"}}`,
		reason: RPCError, code: Some[int64](3),
	},
	{
		name: "a revert about a missing right", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"execution reverted: Unauthorized"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{
		name: "a used nonce", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"nonce too low"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{
		name: "a known transaction", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"already known"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{
		name: "gas that has exceeded something", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"gas used has exceeded the limit"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{
		name: "a contract that was not found", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"contract not found"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{
		name: "a missing header that is the key's", typ: config.EVMRPC, status: 401,
		body:   `{"message":"authorization header not found"}`,
		reason: Unauthorized,
	},
	{
		name: "the words of one family in another", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"data stores are not initialized"}}`,
		reason: RPCError, code: Some[int64](-32000),
	},
	{name: "a page for 404", typ: config.EVMRPC, status: 404, body: `<html><head><title>404 Not Found</title></head><body>unauthorized rate limit</body></html>`, reason: HTTP4xx},
	{name: "a page for 502", typ: config.EVMRPC, status: 502, body: `<html><head><title>502 Bad Gateway</title></head></html>`, reason: HTTP5xx},
	{name: "a page at 200", typ: config.EVMRPC, status: 200, body: `<html><title>Attention Required!</title></html>`, reason: BadResponse},
	{name: "a page at 200 about plans", typ: config.EVMRPC, status: 200, body: `<!doctype html><html><body>No rate limits. Billing at /billing.</body></html>`, reason: BadResponse},
	{name: "an empty 200", typ: config.EVMRPC, status: 200, body: ``, reason: BadResponse},
	{name: "an empty 401", typ: config.EVMRPC, status: 401, body: ``, reason: Unauthorized},
	{name: "an empty 500", typ: config.EVMRPC, status: 500, body: ``, reason: HTTP5xx},
	{name: "an empty 400", typ: config.EVMRPC, status: 400, body: ``, reason: HTTP4xx},
	{name: "a bare text as error", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":"too many requests"}`, reason: RateLimited},
	{name: "a bare text as error that says nothing", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":"oops"}`, reason: BadResponse},
	{name: "an error that is an empty object", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":{}}`, reason: BadResponse},
	{name: "an error with the id of another request", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, reason: MethodUnsupported, code: Some[int64](-32601)},
	{name: "a code that is text", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":{"code":"RATE","message":"Rate limit"}}`, reason: RateLimited},
	{name: "a code that is a number in quotes", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":{"code":"-32601","message":"no"}}`, reason: MethodUnsupported, code: Some[int64](-32601)},
	{name: "a code without end", typ: config.EVMRPC, status: 200, body: `{"jsonrpc":"2.0","id":"$id","error":{"code":99999999999999999999,"message":"no"}}`, reason: BadResponse},
	{name: "a code with 200 and no error around it", typ: config.EVMRPC, status: 200, body: `{"code":-32601,"message":"no such method"}`, reason: MethodUnsupported, code: Some[int64](-32601)},
	{name: "a TLS port asked without TLS", typ: config.EVMRPC, status: 400, body: "Client sent an HTTP request to an HTTPS server.\n", reason: TLS},
	{name: "a redirect", typ: config.EVMRPC, status: 307, header: map[string]string{"Location": "https://elsewhere.invalid/x"}, body: ``, reason: Redirect},
	{name: "a redirect that leads nowhere", typ: config.EVMRPC, status: 302, body: ``, reason: Redirect},
	{name: "a wait in a header", typ: config.EVMRPC, status: 503, header: map[string]string{"Retry-After": "120"}, body: ``, reason: HTTP5xx, wait: 2 * time.Minute},
	{name: "a wait of a year", typ: config.EVMRPC, status: 429, header: map[string]string{"Retry-After": "31536000"}, body: ``, reason: RateLimited, wait: time.Hour},
}
