package simulator

import "github.com/understudy-rpc/understudy/internal/config"

// nodeAnswers are those of the software itself.
var nodeAnswers = []Answer{
	// Bitcoin Core and its descendants, as Litecoin Core 0.21 gives them; the
	// full work queue is 503 from Core 22 on.
	bitcoinAnswer("bitcoind loading", `{"code":-28,"message":"Loading block index..."}`),
	bitcoinAnswer("bitcoind rewinding", `{"code":-28,"message":"Rewinding blocks..."}`),
	bitcoinAnswer("bitcoind verifying", `{"code":-28,"message":"Verifying blocks…"}`),
	bitcoinAnswer("bitcoind height out of range", `{"code":-8,"message":"Block height out of range"}`),
	bitcoinAnswer("bitcoind block not found", `{"code":-5,"message":"Block not found"}`),
	bitcoinAnswer("bitcoind pruned", `{"code":-1,"message":"Block not available (pruned data)"}`),
	{Name: "bitcoind method not found", Status: 404, Kind: config.Bitcoin, Body: `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"$id"}`},
	{Name: "bitcoind work queue", Status: 500, Kind: config.Bitcoin, Body: "Work queue depth exceeded"},
	{Name: "bitcoind work queue as 503", Status: 503, Kind: config.Bitcoin, Body: "Work queue depth exceeded"},
	{Name: "bitcoind unauthorized", Status: 401, Kind: config.Bitcoin, Header: map[string]string{"WWW-Authenticate": `Basic realm="jsonrpc"`, "Content-Type": "text/html; charset=ISO-8859-1"}},
	{Name: "btcd busy", Status: 503, Kind: config.Bitcoin, Body: "503 Too busy.  Try again later.\n"},
	{Name: "btcd unauthorized", Status: 401, Kind: config.Bitcoin, Header: map[string]string{"WWW-Authenticate": `Basic realm="btcd RPC"`}, Body: "401 Unauthorized.\n"},
	{Name: "btcd height out of range", Kind: config.Bitcoin, Body: `{"jsonrpc":"1.0","result":null,"error":{"code":-1,"message":"Block number out of range"},"id":"$id"}`},
	{Name: "btcd unimplemented", Kind: config.Bitcoin, Body: `{"jsonrpc":"1.0","result":null,"error":{"code":-1,"message":"Command unimplemented"},"id":"$id"}`},
	{Name: "esplora block not found", Status: 404, Kind: config.Bitcoin, Body: "Block not found"},

	// EVM: go-ethereum, anvil, hardhat.
	evmAnswer("geth method not found", `{"code":-32601,"message":"the method net_peerCount does not exist/is not available"}`),
	evmAnswer("geth header not found", `{"code":-32000,"message":"header not found"}`),
	evmAnswer("geth missing trie node", `{"code":-32000,"message":"missing trie node 5a2f9c1de1e5f4e6b1a9c4f7a1d1b5a0f4f8a7c0e6c5b1b2f3d4a5968778695a (path ) state 0x5a2f9c1de1e5f4e6b1a9c4f7a1d1b5a0f4f8a7c0e6c5b1b2f3d4a5968778695a is not available"}`),
	evmAnswer("geth pruned history", `{"code":4444,"message":"pruned history unavailable"}`),
	evmAnswer("geth reverted", `{"code":3,"message":"execution reverted","data":"0x"}`),
	evmAnswer("geth nonce too low", `{"code":-32000,"message":"nonce too low"}`),
	evmAnswer("geth already known", `{"code":-32000,"message":"already known"}`),
	evmAnswer("geth insufficient funds", `{"code":-32000,"message":"insufficient funds for gas * price + value"}`),
	evmAnswer("geth batch too large", `{"code":-32600,"message":"batch too large"}`),
	evmAnswer("anvil method not found", `{"code":-32601,"message":"Method not found"}`),
	evmAnswer("hardhat method not supported", `{"code":-32004,"message":"Method nosuch is not supported"}`),

	// CometBFT 1.0: 500 to a GET and 200 to a POST; the Cosmos REST gateway.
	cometbftAnswer("cometbft height too high", `"height 99999 must be less than or equal to the current blockchain height 6"`),
	cometbftAnswer("cometbft pruned", `"height 5 is not available, lowest height is 100"`),
	{Name: "cosmos height too high", Status: 400, Kind: config.Cosmos, Body: `{"code":3,"message":"requested block height is bigger then the chain length","details":[]}`},
	{Name: "cosmos pruned", Status: 500, Kind: config.Cosmos, Body: `{"code":2,"message":"height 5 is not available, lowest height is 100","details":[]}`},
	{Name: "cosmos not implemented", Status: 501, Kind: config.Cosmos, Body: `{"code":12,"message":"Not Implemented","details":[]}`},
	{Name: "cosmos unavailable", Status: 503, Kind: config.Cosmos, Body: `{"code":14,"message":"connection error: desc = \"transport: Error while dialing: dial tcp 127.0.0.1:9090: connect: connection refused\"","details":[]}`},

	// rippled's ErrorCodes.cpp, in the body at 200 or with ripplerpc 3.0 as an
	// HTTP status too, and what its server says before it looks at a request.
	{Name: "rippled slow down", Kind: config.XRPL, Body: `{"result":{"error":"slowDown","error_code":10,"error_message":"You are placing too much load on the server.","request":{"command":"server_info"},"status":"error"}}`},
	{Name: "rippled slow down as 429", Status: 429, Kind: config.XRPL, Body: `{"error":{"code":10,"error":"slowDown","error_code":10,"message":"You are placing too much load on the server.","status":"error"},"ripplerpc":"3.0"}`},
	{Name: "rippled too busy", Kind: config.XRPL, Body: `{"result":{"error":"tooBusy","error_code":9,"error_message":"The server is too busy to help you now.","request":{"command":"server_info"},"status":"error"}}`},
	{Name: "rippled too busy as 503", Status: 503, Kind: config.XRPL, Body: `{"error":{"code":9,"error":"tooBusy","error_code":9,"message":"The server is too busy to help you now.","status":"error"},"ripplerpc":"3.0"}`},
	{Name: "rippled overloaded", Status: 503, Kind: config.XRPL, Body: "Server is overloaded\r\n"},
	{Name: "rippled forbidden", Status: 403, Kind: config.XRPL, Body: "Forbidden\r\n"},
	{Name: "rippled not synced", Kind: config.XRPL, Body: `{"result":{"error":"noNetwork","error_code":17,"error_message":"Not synced to the network.","request":{"command":"ledger"},"status":"error"}}`},
	{Name: "rippled amendment blocked", Kind: config.XRPL, Body: `{"result":{"error":"amendmentBlocked","error_code":14,"error_message":"Amendment blocked, need upgrade.","request":{"command":"ledger"},"status":"error"}}`},
	{Name: "rippled ledger not found", Kind: config.XRPL, Body: `{"result":{"error":"lgrNotFound","error_code":21,"error_message":"ledgerNotFound","request":{"command":"ledger"},"status":"error"}}`},

	// agave's custom_error.rs.
	solanaAnswer("solana behind", `{"code":-32005,"message":"Node is behind by 42 slots","data":{"numSlotsBehind":42}}`),
	solanaAnswer("solana unhealthy", `{"code":-32005,"message":"Node is unhealthy","data":{"numSlotsBehind":null}}`),
	solanaAnswer("solana cleaned up", `{"code":-32001,"message":"Block 5 cleaned up, does not exist on node. First available block: 100"}`),
	solanaAnswer("solana not available", `{"code":-32004,"message":"Block not available for slot 5"}`),
	solanaAnswer("solana skipped", `{"code":-32007,"message":"Slot 5 was skipped, or missing due to ledger jump to recent snapshot"}`),
	solanaAnswer("solana skipped in long-term storage", `{"code":-32009,"message":"Slot 5 was skipped, or missing in long-term storage"}`),
	solanaAnswer("solana no status yet", `{"code":-32014,"message":"Block status not yet available for slot 5"}`),
	solanaAnswer("solana context slot", `{"code":-32016,"message":"Minimum context slot has not been reached","data":{"contextSlot":5}}`),
	solanaAnswer("solana storage unreachable", `{"code":-32019,"message":"Failed to query long-term storage; please try again"}`),

	// stellar-rpc, and Horizon's problems.
	stellarAnswer("stellar-rpc starting", `{"code":-32603,"message":"data stores are not initialized"}`),
	stellarAnswer("stellar-rpc stale", `{"code":-32603,"message":"latency (33s) since last known ledger closed is too high (>30s)"}`),
	stellarAnswer("stellar-rpc out of window", `{"code":-32600,"message":"start ledger (5) must be between the oldest ledger: 100 and the latest ledger: 200 for this rpc instance"}`),
	stellarAnswer("stellar-rpc events out of window", `{"code":-32600,"message":"startLedger must be within the ledger range: 100 - 200"}`),
	stellarAnswer("stellar-rpc method not found", `{"code":-32601,"message":"no such method \"nosuch\""}`),
	horizonAnswer("horizon rate", 429, "rate_limit_exceeded", "Rate Limit Exceeded", "The rate limit for the requesting IP address is over its alloted limit."),
	horizonAnswer("horizon stale", 503, "stale_history", "Historical DB Is Too Stale", "This horizon instance is configured to reject client requests when it can determine that the history database is lagging too far behind the connected instance of stellar-core or read replica."),
	horizonAnswer("horizon before history", 410, "before_history", "Data Requested Is Before Recorded History", "This horizon instance is configured to only track a portion of the stellar network's latest history."),
	horizonAnswer("horizon not found", 404, "not_found", "Resource Missing", "The resource at the url requested was not found."),
	horizonAnswer("horizon timeout", 504, "timeout", "Timeout", "Your request timed out before completing."),
	horizonAnswer("horizon internal error", 500, "internal_server_error", "Internal Server Error", "An error occurred while processing this request."),
	{Name: "horizon unhealthy", Status: 503, Kind: config.Stellar, Header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}, Body: `{"database_connected":true,"core_up":true,"core_synced":false}`},
}

func bitcoinAnswer(name, object string) Answer {
	return Answer{Name: name, Status: 500, Kind: config.Bitcoin, Body: `{"result":null,"error":` + object + `,"id":"$id"}`}
}

func evmAnswer(name, object string) Answer {
	return Answer{Name: name, Kind: config.EVM, Body: rpcFailure(object)}
}

func solanaAnswer(name, object string) Answer {
	return Answer{Name: name, Kind: config.Solana, Body: rpcFailure(object)}
}

func stellarAnswer(name, object string) Answer {
	return Answer{Name: name, Kind: config.Stellar, Body: rpcFailure(object)}
}

func cometbftAnswer(name, data string) Answer {
	return Answer{Name: name, Status: 500, Kind: config.Cosmos, Body: rpcFailure(`{"code":-32603,"message":"Internal error","data":` + data + `}`)}
}

func horizonAnswer(name string, status int, kind, title, detail string) Answer {
	problem := horizonProblem(status, kind, title, detail)
	out := Answer{Name: name, Status: status, Kind: config.Stellar, Header: map[string]string{"Content-Type": problem.contentType}, Body: string(problem.body)}
	if status == 429 {
		out.Header["X-RateLimit-Limit"], out.Header["X-RateLimit-Remaining"], out.Header["X-RateLimit-Reset"] = "3600", "0", "1200"
	}
	return out
}
