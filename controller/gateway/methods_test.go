package gateway

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestMethodsThatMoveKeysOrStopNodesAreRefused(t *testing.T) {
	t.Parallel()
	for typ, methods := range map[config.Type][]string{
		config.BitcoinRPC:  {"stop", "createwallet", "importaddress", "listunspent", "dumpprivkey", "sendtoaddress", "walletpassphrase", "generatetoaddress", "invalidateblock", "setban", "STOP"},
		config.EVMRPC:      {"admin_addPeer", "personal_unlockAccount", "debug_traceBlock", "miner_start", "engine_newPayloadV3", "eth_sendTransaction", "eth_sign", "eth_signTransaction", "Admin_peers", "anvil_setBalance"},
		config.CometBFTRPC: {"unsafe_flush_mempool", "dial_seeds", "dial_peers"},
		config.XRPLRPC:     {"stop", "sign", "wallet_propose", "ledger_accept", "log_level", "batch"},
		config.SolanaRPC:   {"validatorExit", "requestAirdrop", "setLogFilter"},
	} {
		for _, method := range methods {
			t.Run(string(typ)+" "+method, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, typ, 2, Options{})
				rec := w.call(method)
				require.Zero(t, w.a().asked()+w.b().asked(), "it went out")
				want := 200
				if typ == config.BitcoinRPC {
					want = 404
				}
				require.Equal(t, want, rec.Code)
				body := decode(t, rec)
				require.Equal(t, json.Number("7"), body["id"])
				message := body["error"].(map[string]any)["message"].(string)
				require.Contains(t, message, method+" is not let through to chain c")
				require.Contains(t, message, "can allow it")
				require.EqualValues(t, 1, w.gateway.lanes[theChain].results[resultDenied].Load())
			})
		}
	}
}

func TestOrdinaryMethodsGoThrough(t *testing.T) {
	t.Parallel()
	for typ, methods := range map[config.Type][]string{
		config.BitcoinRPC:  {"getblockcount", "getblockhash", "getblock", "getblockstats", "getrawtransaction", "getrawmempool", "getmempoolentry", "getnetworkinfo", "sendrawtransaction", "testmempoolaccept", "estimatesmartfee", "validateaddress", "decoderawtransaction"},
		config.EVMRPC:      {"eth_chainId", "eth_getBlockReceipts", "eth_sendRawTransaction", "eth_getLogs", "net_version", "web3_clientVersion", "txpool_status", "eth_subscribe"},
		config.CometBFTRPC: {"block", "block_results", "status", "abci_query", "broadcast_tx_sync"},
		config.XRPLRPC:     {"ledger", "tx", "account_info", "server_info", "fee"},
		config.SolanaRPC:   {"getSlot", "getBlock", "sendTransaction", "simulateTransaction"},
		config.SorobanRPC:  {"getHealth", "getLatestLedger", "getLedgerEntries", "simulateTransaction", "sendTransaction", "getEvents"},
	} {
		w := newWorld(t, typ, 1, Options{})
		for _, method := range methods {
			rec := w.call(method)
			require.Equal(t, 200, rec.Code, method)
			require.Contains(t, rec.Body.String(), fmt.Sprintf(`"result":%q`, method))
		}
	}
}

func TestASubmitThatTheNodeIsToSignIsASigning(t *testing.T) {
	t.Parallel()
	for params, passes := range map[string]bool{
		`[{"tx_blob":"1200"}]`:                               true,
		`[{"fail_hard":true,"tx_blob":"1200"}]`:              true,
		`[{"tx_json":{"TransactionType":"x"},"secret":"s"}]`: false,
		`[{"tx_json":{"tx_blob":"1200"},"secret":"s"}]`:      false,
		`[{"tx_json":{}},{"tx_blob":"1200"}]`:                false,
		`[{"TX_BLOB":"1200","tx_json":{},"secret":"s"}]`:     false,
		`[{"tx_json":{},"secret":"s"}],"tx_blob":"1200"`:     false,
		`[]`: false,
		`{"tx_json":{"TransactionType":"x"},"seed_hex":"00"}`: false,
	} {
		w := newWorld(t, config.XRPLRPC, 2, Options{})
		rec := w.post(`{"id":7,"method":"submit","params":` + params + `}`)
		require.Equal(t, passes, w.a().asked() == 1, params)
		if !passes {
			require.Contains(t, rec.Body.String(), "sign is not let through", params)
		}
	}
	t.Run("and goes to one node alone where it is let through", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.XRPLRPC, 2, Options{Methods: map[string]Methods{"": {Allow: []string{"sign"}}}})
		w.a().set(resets)
		require.Equal(t, 503, w.post(`{"id":7,"method":"submit","params":[{"tx_json":{},"secret":"s"}]}`).Code)
		require.Zero(t, w.b().asked(), "it would sign another transaction")
	})
}

func TestAnOperatorAllowsAndDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 1, Options{Methods: map[string]Methods{
		"":       {Allow: []string{"stop"}},
		theChain: {Allow: []string{"createwallet", "import*", "ListUnspent"}, Deny: []string{"getrawmempool", "importprivkey", "estimate*"}},
	}})
	for method, passes := range map[string]bool{
		"createwallet": true, "importaddress": true, "listunspent": true, "getblock": true,
		"getrawmempool": false, "importprivkey": false, "estimatesmartfee": false, "stop": false, "dumpprivkey": false,
	} {
		rec := w.call(method)
		require.Equal(t, passes, rec.Code == 200, method)
	}
	w.gateway.SetMethods(map[string]Methods{theChain: {Deny: []string{"*"}, Allow: []string{"getblock"}}})
	require.Equal(t, 404, w.call("createwallet").Code)
	require.Equal(t, 404, w.call("getblockcount").Code)
	require.Equal(t, 200, w.call("getblock").Code)
}

func TestAMethodCannotHide(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":1,"method":"eth_chainId","method":"admin_addPeer"}`,
		`{"id":1,"method":"admin_addPeer","method":"eth_chainId"}`,
		`{"id":1,"Method":"admin_addPeer"}`,
		`{"id":1,"method":"eth_chainId","METHOD":"admin_addPeer"}`,
		`{"id":1,"\u006dethod":"admin_addPeer"}`,
		`{"id":1,"method":"eth_chainId","m\u0065thod":"admin_addPeer"}`,
		`{"id":1,"method":"\u0061dmin_addPeer"}`,
		`{"id":1,"method":["admin_addPeer"]}`,
		`{"id":1,"method":"eth_chainId"}{"id":1,"method":"admin_addPeer"}`,
		"{\"id\":1,\"method\":\"admin_addPeer\"",
		`[[{"id":1,"method":"admin_addPeer"}]]`,
		`"admin_addPeer"`, `null`, `17`, ``, `[]`, `{}`, "\xef\xbb\xbf" + `{"id":1,"method":"admin_addPeer"}`,
	} {
		w := newWorld(t, config.EVMRPC, 1, Options{})
		rec := w.post(body)
		require.Zero(t, w.a().asked(), body)
		require.NotEmpty(t, rec.Body.String(), body)
	}
}

func TestPathsThatNobodyAskedForAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ        config.Type
		verb, path string
		passes     bool
	}{
		{config.EVMRPC, "POST", "/ext/admin", false},
		{config.BitcoinRPC, "POST", "/wallet/hot", false},
		{config.BitcoinRPC, "GET", "/rest/chaininfo.json", false},
		{config.CometBFTRPC, "GET", "/status", true},
		{config.CometBFTRPC, "GET", "/unsafe_flush_mempool", false},
		{config.CometBFTRPC, "GET", "/dial_seeds?seeds=x", false},
		{config.CometBFTRPC, "GET", "/dial%5Fseeds", false},
		{config.CometBFTRPC, "GET", "/dial_seeds/", false},
		{config.CometBFTRPC, "GET", "//dial_seeds", false},
		{config.CometBFTRPC, "GET", "/dial_seeds;x", false},
		{config.CometBFTRPC, "GET", "/dial%255Fseeds", false},
		{config.CometBFTRPC, "GET", "/v1/dial_seeds?seeds=x", false},
		{config.CometBFTRPC, "GET", "/v1/unsafe_flush_mempool", false},
		{config.CometBFTRPC, "GET", "/v1/status", true},
		{config.CometBFTRPC, "POST", "/v1", true},
		{config.CometBFTRPC, "GET", "/v1", false},
		{config.CometBFTRPC, "GET", "/", false},
		{config.EsploraREST, "GET", "/blocks/tip/height", true},
		{config.TronHTTP, "POST", "/wallet/getnowblock", true},
		{config.TronHTTP, "POST", "/wallet/easytransferbyprivate", false},
		{config.TronHTTP, "POST", "/wallet/gettransactionsign", false},
		{config.HorizonREST, "GET", "/ledgers/1", true},
		{config.HorizonREST, "GET", "/friendbot?addr=x", false},
		{config.EsploraREST, "GET", "/../admin", false},
		{config.EsploraREST, "GET", "/%2e%2e/admin", false},
		{config.EsploraREST, "GET", "/a%2f..%2fadmin", false},
		{config.EsploraREST, "GET", "/a/%5c..%5cadmin", false},
	} {
		w := newWorld(t, c.typ, 1, Options{})
		body := `{"id":1,"method":"getblock"}`
		if c.verb == "GET" {
			body = ""
		}
		w.do(c.verb, "/rpc/c"+c.path, body)
		require.Equal(t, c.passes, w.a().asked() == 1, c)
	}
}

func TestMethodsBelowTheVersionOfCometBFTAreUnderThePolicyToo(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1", "/v1/", "/%76%31"} {
		w := newWorld(t, config.CometBFTRPC, 1, Options{})
		rec := w.do("POST", "/rpc/c"+path, `[{"id":1,"method":"status"},{"id":2,"method":"dial_seeds"}]`)
		_, results := answerBatch(t, rec.Body.Bytes())
		require.Equal(t, `"status"`, results[0], path)
		require.Contains(t, results[1], "dial_seeds is not let through", path)
		r, _ := w.a().lastRequest()
		require.Equal(t, "/key-a"+path, r.URL.EscapedPath())
	}
	w := newWorld(t, config.CometBFTRPC, 1, Options{})
	require.Equal(t, 403, w.do("GET", "/rpc/c/v1/dial_seeds?seeds=x", "", "Upgrade", "websocket").Code)
	require.Zero(t, w.a().asked())
	p := newPolicy(config.Cosmos, Methods{})
	risk, _ := p.look(config.Cosmos, "/v1/broadcast_tx_sync")
	require.Equal(t, signed, risk)
}

func TestARefusedWalletIsToldAsClientsOfBitcoinReadIt(t *testing.T) {
	t.Parallel()
	for body, id := range map[string]string{`{"id":7,"method":"getbalance"}`: "7", `[{"id":7,"method":"getbalance"}]`: "null", `{`: "null"} {
		w := newWorld(t, config.BitcoinRPC, 1, Options{})
		rec := w.do("POST", "/rpc/c/wallet/hot", body)
		require.Equal(t, 404, rec.Code, "they read the error of no other status but 500 and 200")
		require.Contains(t, rec.Body.String(), `"id":`+id+`,"error":{"code":-32601,"message":"/wallet/hot is not let through`)
	}
}

func TestADeniedCallDoesNotSpoilItsBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{})
	rec := w.post(`[{"id":1,"method":"eth_chainId"},{"id":"two","method":"admin_peers"},{"id":3,"method":"eth_blockNumber"}]`)
	require.Equal(t, 200, rec.Code)
	var out []map[string]any
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &out))
	require.Len(t, out, 3)
	require.Equal(t, "eth_chainId", out[0]["result"])
	require.Equal(t, "two", out[1]["id"])
	require.Contains(t, out[1], "error")
	require.Equal(t, "eth_blockNumber", out[2]["result"])
	_, sent := w.a().lastRequest()
	require.NotContains(t, sent, "admin_peers")
}
