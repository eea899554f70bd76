package chain

import (
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// nodeRefusals are those of nodes, family by family.
var nodeRefusals = []refusal{
	{
		name: "litecoind starting", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":"$id"}`,
		reason: Starting, code: Some[int64](-28),
	},
	{
		name: "litecoind beyond its tip", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-8,"message":"Block height out of range"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-8),
	},
	{
		name: "btcd beyond its tip", typ: config.BitcoinRPC, status: 200,
		body:   `{"jsonrpc":"1.0","result":null,"error":{"code":-1,"message":"Block number out of range"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-1),
	},
	{
		name: "an unknown hash", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-5,"message":"Block not found"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-5),
	},
	{
		name: "an unknown method of litecoind", typ: config.BitcoinRPC, status: 404,
		body:   `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"$id"}`,
		reason: MethodUnsupported, code: Some[int64](-32601),
	},
	{
		name: "an unimplemented command of btcd", typ: config.BitcoinRPC, status: 200,
		body:   `{"jsonrpc":"1.0","result":null,"error":{"code":-1,"message":"Command unimplemented"},"id":"$id"}`,
		reason: MethodUnsupported, code: Some[int64](-1),
	},
	{
		name: "litecoind's password", typ: config.BitcoinRPC, status: 401,
		header: map[string]string{"WWW-Authenticate": `Basic realm="jsonrpc"`}, body: ``, reason: Unauthorized,
	},
	{
		name: "btcd's password", typ: config.BitcoinRPC, status: 401,
		header: map[string]string{"WWW-Authenticate": `Basic realm="btcd RPC"`}, body: `401 Unauthorized.`, reason: Unauthorized,
	},
	{
		name: "litecoind's full queue", typ: config.BitcoinRPC, status: 500, body: `Work queue depth exceeded`, reason: Busy,
	},
	{
		name: "Bitcoin Core's full queue", typ: config.BitcoinRPC, status: 503, body: `Work queue depth exceeded`, reason: Busy,
	},
	{
		name: "btcd's full queue", typ: config.BitcoinRPC, status: 503, body: `503 Too busy.  Try again later.`, reason: Busy,
	},
	{
		name: "another verb", typ: config.BitcoinRPC, status: 405, body: `JSONRPC server handles only POST requests`, reason: MethodUnsupported,
	},
	{
		name: "a parse error", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`,
		reason: RPCError, code: Some[int64](-32700),
	},
	{
		name: "a pruned block", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-1,"message":"Block not available (pruned data)"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-1),
	},
	{
		name: "a refused transaction", typ: config.BitcoinRPC, status: 500,
		body:   `{"result":null,"error":{"code":-26,"message":"min relay fee not met, 100 < 141"},"id":"$id"}`,
		reason: RPCError, code: Some[int64](-26),
	},
	{name: "Blockchair's daily quota", typ: config.BlockchairREST, status: 402, body: `{"data":null,"context":{"code":402,"error":"Limit exceeded"}}`, reason: QuotaExhausted, code: Some[int64](402)},
	{name: "Blockchair's limit", typ: config.BlockchairREST, status: 429, body: `{"data":null,"context":{"code":429,"error":"Limit exceeded"}}`, reason: RateLimited, code: Some[int64](429)},
	{name: "Blockchair's soft limit", typ: config.BlockchairREST, status: 435, body: `{"data":null,"context":{"code":435,"error":"Limit"}}`, reason: RateLimited, code: Some[int64](435)},
	{name: "Blockchair's 436", typ: config.BlockchairREST, status: 436, body: ``, reason: RateLimited},
	{name: "Blockchair's 437", typ: config.BlockchairREST, status: 437, body: ``, reason: RateLimited},
	{
		name: "Blockchair's blocked address", typ: config.BlockchairREST, status: 430,
		body:   `{"data":null,"context":{"code":430,"error":"Your IP address is temporary blacklisted due to exceeding usage of API resources. Please apply for an API key by contacting us at info@blockchair.com"}}`,
		reason: IPBlocked, code: Some[int64](430),
	},
	{name: "Blockchair's 434", typ: config.BlockchairREST, status: 434, body: ``, reason: IPBlocked},
	{name: "Blockchair's 503", typ: config.BlockchairREST, status: 503, body: ``, reason: IPBlocked},
	{name: "Blockchair's 500", typ: config.BlockchairREST, status: 500, body: ``, reason: HTTP5xx},
	{name: "Blockchair's 404", typ: config.BlockchairREST, status: 404, body: `{"data":null,"context":{"code":404,"error":"Not found"}}`, reason: HTTP4xx, code: Some[int64](404)},
	{name: "Blockchair's code with 200", typ: config.BlockchairREST, status: 200, body: `{"data":null,"context":{"code":430,"error":"Blocked"}}`, reason: IPBlocked, code: Some[int64](430)},
	{name: "a 503 of another type", typ: config.EsploraREST, status: 503, body: `<html><head><title>503 Service Temporarily Unavailable</title></head></html>`, reason: HTTP5xx},
	{name: "Esplora beyond its tip", typ: config.EsploraREST, status: 404, body: `Block not found`, reason: Missing},
	{name: "Esplora's rate limit", typ: config.EsploraREST, status: 429, body: "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>nginx</body></html>", reason: RateLimited},
	{name: "text where Esplora's height should be", typ: config.EsploraREST, status: 200, body: `electrs is loading`, reason: BadResponse},
	{name: "a limit where Esplora's height should be", typ: config.EsploraREST, status: 200, body: `Rate limit exceeded, try again in 2 minutes`, reason: RateLimited, wait: 2 * time.Minute},
	{
		name: "a missing header", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"header not found"}}`,
		reason: Missing, code: Some[int64](-32000),
	},
	{
		name: "missing state", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"missing trie node 1f2e (path ) state 0x12 is not available"}}`,
		reason: Missing, code: Some[int64](-32000),
	},
	{
		name: "pruned history", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":4444,"message":"pruned history unavailable"}}`,
		reason: Missing, code: Some[int64](4444),
	},
	{
		name: "an unknown method of geth", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"the method net_peerCount does not exist/is not available"}}`,
		reason: MethodUnsupported, code: Some[int64](-32601),
	},
	{
		name: "a batch that is too large", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"batch too large"}}`,
		reason: RPCError, code: Some[int64](-32600),
	},
	{
		name: "an internal error", typ: config.EVMRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"Internal error"}}`,
		reason: RPCError, code: Some[int64](-32603),
	},
	{
		name: "an internal error with 500", typ: config.EVMRPC, status: 500,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"Internal error"}}`,
		reason: HTTP5xx, code: Some[int64](-32603),
	},
	{
		name: "CometBFT beyond its tip by GET", typ: config.CometBFTRPC, status: 500,
		body:   `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"height 99999 must be less than or equal to the current blockchain height 6"}}`,
		reason: Missing, code: Some[int64](-32603),
	},
	{
		name: "a height that CometBFT pruned", typ: config.CometBFTRPC, status: 500,
		body:   `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"height 5 is not available, lowest height is 100"}}`,
		reason: Missing, code: Some[int64](-32603),
	},
	{
		name: "another internal error of CometBFT", typ: config.CometBFTRPC, status: 500,
		body:   `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"leveldb: closed"}}`,
		reason: RPCError, code: Some[int64](-32603),
	},
	{name: "an unknown path of CometBFT", typ: config.CometBFTRPC, status: 404, body: `404 page not found`, reason: HTTP4xx},
	{name: "a node that the Cosmos gateway cannot reach", typ: config.CosmosREST, status: 503, body: `{"code":14,"message":"connection error: desc = \"transport: error\"","details":[]}`, reason: HTTP5xx, code: Some[int64](14)},
	{name: "a limit of the Cosmos gateway", typ: config.CosmosREST, status: 429, body: `{"code":8,"message":"grpc: received message larger than max","details":[]}`, reason: RateLimited, code: Some[int64](8)},
	{name: "a path that the Cosmos gateway has not", typ: config.CosmosREST, status: 501, body: `{"code":12,"message":"Not Implemented","details":[]}`, reason: MethodUnsupported, code: Some[int64](12)},
	{name: "Cosmos beyond its tip", typ: config.CosmosREST, status: 400, body: `{"code":3,"message":"requested block height is bigger then the chain length","details":[]}`, reason: Missing, code: Some[int64](3)},
	{name: "rippled's slowDown by status", typ: config.XRPLRPC, status: 429, body: `{"result":{"error":"slowDown","error_code":10,"error_message":"You are placing too much load on the server.","status":"error"}}`, reason: RateLimited},
	{name: "rippled's slowDown with 200", typ: config.XRPLRPC, status: 200, body: `{"result":{"error":"slowDown","error_code":10,"error_message":"You are placing too much load on the server.","status":"error"}}`, reason: RateLimited},
	{name: "rippled's quota", typ: config.XRPLRPC, status: 503, body: `Server is overloaded`, reason: RateLimited},
	{name: "rippled's unknown command by status", typ: config.XRPLRPC, status: 405, body: ``, reason: MethodUnsupported},
	{name: "rippled too busy by status", typ: config.XRPLRPC, status: 503, body: `{"error":{"code":9,"error":"tooBusy","message":"The server is too busy to help you now."}}`, reason: Busy, code: Some[int64](9)},
	{name: "rippled without a network", typ: config.XRPLRPC, status: 503, body: `{"result":{"error":"noNetwork","error_code":17,"error_message":"Not synced to the network.","status":"error"}}`, reason: Syncing},
	{
		name: "TronGrid's limit with a key", typ: config.TronHTTP, status: 403,
		body:   `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 27 s"}`,
		reason: RateLimited, wait: 27 * time.Second,
	},
	{
		name: "TronGrid's limit without a key", typ: config.TronHTTP, status: 429,
		body:   `{"Error":"request rate exceeded the allowed_rps(3), and the query server is suspended for 19 s. To increase rate limits, apply for an API key."}`,
		reason: RateLimited, wait: 19 * time.Second,
	},
	{
		name: "TronGrid's limit with 200", typ: config.TronHTTP, status: 200,
		body:   `{"Error":"request rate exceeded the allowed_rps(10), and the query server is suspended for 5 s"}`,
		reason: RateLimited, wait: 5 * time.Second,
	},
	{
		name: "TronGrid's limit with 503", typ: config.TronHTTP, status: 503,
		body:   `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 25 s"}`,
		reason: RateLimited, wait: 25 * time.Second,
	},
	{name: "TronGrid's key", typ: config.TronHTTP, status: 401, body: `{"message":"invalid API key"}`, reason: Unauthorized},
	{name: "an empty object of Tron", typ: config.TronHTTP, status: 200, body: `{}`, reason: BadResponse},
	{
		name: "Solana behind", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind by 42 slots","data":{"numSlotsBehind":42}},"id":"$id"}`,
		reason: Behind, code: Some[int64](-32005),
	},
	{
		name: "Solana unhealthy", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is unhealthy","data":{"numSlotsBehind":null}},"id":"$id"}`,
		reason: Behind, code: Some[int64](-32005),
	},
	{
		name: "a slot that Solana skipped", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32007,"message":"Slot 42 was skipped, or missing due to ledger jump to recent snapshot"},"id":"$id"}`,
		reason: RPCError, code: Some[int64](-32007),
	},
	{
		name: "a slot that Solana skipped for good", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32009,"message":"Slot 42 was skipped, or missing in long-term storage"},"id":"$id"}`,
		reason: RPCError, code: Some[int64](-32009),
	},
	{
		name: "a block that Solana cleaned up", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Block 1 cleaned up, does not exist on node. First available block: 100"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-32001),
	},
	{
		name: "a block that Solana has not", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32004,"message":"Block not available for slot 42"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-32004),
	},
	{
		name: "a slot that Solana has not reached", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32016,"message":"Minimum context slot has not been reached"},"id":"$id"}`,
		reason: Behind, code: Some[int64](-32016),
	},
	{
		name: "Solana's far storage", typ: config.SolanaRPC, status: 200,
		body:   `{"jsonrpc":"2.0","error":{"code":-32019,"message":"Failed to query long-term storage; please try again"},"id":"$id"}`,
		reason: Missing, code: Some[int64](-32019),
	},
	{
		name: "stellar-rpc starting", typ: config.SorobanRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"data stores are not initialized"}}`,
		reason: Starting, code: Some[int64](-32603),
	},
	{
		name: "stellar-rpc stale", typ: config.SorobanRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"latency (33s) since last known ledger closed is too high (>30s)"}}`,
		reason: Behind, code: Some[int64](-32603),
	},
	{
		name: "a ledger outside of the window", typ: config.SorobanRPC, status: 200,
		body:   `{"jsonrpc":"2.0","id":"$id","error":{"code":-32600,"message":"start ledger (99) must be between the oldest ledger: 100 and the latest ledger: 200 for this rpc instance"}}`,
		reason: Missing, code: Some[int64](-32600),
	},
	{
		name: "Horizon's rate limit", typ: config.HorizonREST, status: 429,
		body:   `{"type":"https://stellar.org/horizon-errors/rate_limit_exceeded","title":"Rate Limit Exceeded","status":429,"detail":"The rate limit for the requesting IP address is over its alloted limit."}`,
		reason: RateLimited,
	},
	{
		name: "Horizon stale", typ: config.HorizonREST, status: 503,
		body:   `{"type":"https://stellar.org/horizon-errors/stale_history","title":"Historical DB Is Too Stale","status":503,"detail":"This horizon instance is configured to reject client requests when it can determine that the history database is lagging too far behind the connected instance of stellar-core."}`,
		reason: Behind,
	},
	{
		name: "a ledger before Horizon's history", typ: config.HorizonREST, status: 410,
		body:   `{"type":"https://stellar.org/horizon-errors/before_history","title":"Data Requested Is Before Recorded History","status":410}`,
		reason: Missing,
	},
	{
		name: "a ledger that Horizon has not", typ: config.HorizonREST, status: 404,
		body:   `{"type":"https://stellar.org/horizon-errors/not_found","title":"Resource Missing","status":404}`,
		reason: Missing,
	},
	{
		name: "Horizon's internal error", typ: config.HorizonREST, status: 500,
		body:   `{"type":"https://stellar.org/horizon-errors/internal_server_error","title":"Internal Server Error","status":500}`,
		reason: HTTP5xx,
	},
}
