package gateway

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestASignedTransactionGoesToOthersWithTheSameBytes(t *testing.T) {
	t.Parallel()
	for typ, c := range map[config.Type]struct{ method, known string }{
		config.EVMRPC:      {"eth_sendRawTransaction", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"already known"}}`},
		config.BitcoinRPC:  {"sendrawtransaction", `{"result":null,"error":{"code":-27,"message":"Transaction already in block chain"},"id":$id}`},
		config.SolanaRPC:   {"sendTransaction", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32002,"message":"Transaction simulation failed: This transaction has already been processed"}}`},
		config.CometBFTRPC: {"broadcast_tx_sync", `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"Internal error","data":"tx already exists in cache"}}`},
		config.SorobanRPC:  {"sendTransaction", `{"jsonrpc":"2.0","id":$id,"result":{"status":"DUPLICATE"}}`},
	} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, typ, 3, Options{})
			w.a().set(resets)
			w.b().set(says(200, c.known))
			body := ` {"jsonrpc":"2.0",  "id":7,"method":"` + c.method + `","params":["0xf86c"]}`
			rec := w.post(body)
			require.Equal(t, 200, rec.Code)
			require.Equal(t, "b", rec.Header().Get(ProviderHeader))
			for _, p := range w.providers[:2] {
				_, sent := p.lastRequest()
				require.Equal(t, body, sent)
			}
			require.Zero(t, w.providers[2].asked())
			require.EqualValues(t, 1, w.gateway.lanes[theChain].records["b"].outcomes[OK].Load(), "it has arrived, which is a success")
		})
	}
}

func TestAnUnsafeMethodIsNeverCarriedOutTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first answering
		moves bool
	}{
		"reset in the middle":          {resets, false},
		"500":                          {says(500, ""), false},
		"HTML":                         {says(200, "<html>"), false},
		"half an answer":               {breaks(200, `{"id":7,"resu`), false},
		"connection refused":           {refuses, true},
		"429":                          {says(429, ""), true},
		"401":                          {says(401, ""), true},
		"the method is not there":      {says(404, `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":7}`), true},
		"the node is not ready for it": {says(500, `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":7}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.BitcoinRPC, 2, Options{Methods: map[string]Methods{"": {Allow: []string{"sendtoaddress"}}}})
			w.a().set(c.first)
			w.call("sendtoaddress")
			require.Equal(t, c.moves, w.b().asked() == 1)
		})
		t.Run(name+" in a batch", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.BitcoinRPC, 2, Options{Methods: map[string]Methods{"": {Allow: []string{"sendtoaddress"}}}})
			w.a().set(c.first)
			ids, results := answerBatch(t, w.post(`[{"id":1,"method":"sendtoaddress"},{"id":2,"method":"getblockcount"}]`).Body.Bytes())
			require.Equal(t, []string{"1", "2"}, ids)
			require.Equal(t, `"getblockcount"`, results[1])
			_, sent := w.b().lastRequest()
			require.Equal(t, c.moves, results[0] == `"sendtoaddress"`)
			if !c.moves {
				require.NotContains(t, sent, "sendtoaddress")
			}
		})
	}
}

func TestAnUnsafeCallOfABatchThatIsNotAnsweredForCertainStaysWhereItIs(t *testing.T) {
	t.Parallel()
	const other = `{"id":2,"result":"x"}`
	for name, c := range map[string]struct {
		first string
		moves bool
	}{
		"an error of the server's own":        {`[{"id":1,"error":{"code":-32603,"message":"Internal error"}},` + other + `]`, false},
		"a time-out inside of it":             {`[{"id":1,"error":{"code":-32000,"message":"context deadline exceeded"}},` + other + `]`, false},
		"no answer to it":                     {`[` + other + `]`, false},
		"an answer without its id":            {`[{"id":null,"error":{"code":-32000,"message":"failed"}},` + other + `]`, false},
		"the list broke off behind an answer": {`[{"id":1,"error":{"code":-32601,"message":"the method does not exist"}},{"id":2`, true},
		"the method is not there":             {`[{"id":1,"error":{"code":-32601,"message":"the method does not exist"}},` + other + `]`, true},
		"a rate limit":                        {`[{"id":1,"error":{"code":429,"message":"too many requests"}},` + other + `]`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EVMRPC, 2, Options{Methods: map[string]Methods{"": {Allow: []string{"eth_sendTransaction"}}}})
			w.a().set(says(200, c.first))
			ids, results := answerBatch(t, w.post(`[{"id":1,"method":"eth_sendTransaction"},{"id":2,"method":"eth_chainId"}]`).Body.Bytes())
			require.Equal(t, []string{"1", "2"}, ids)
			if c.moves {
				require.Equal(t, `"eth_sendTransaction"`, results[0])
				return
			}
			require.Contains(t, results[0], "error")
			for _, sent := range w.b().bodies {
				require.NotContains(t, sent, "eth_sendTransaction")
			}
		})
	}
}

func TestAnUnsafeRequestIsNotRepeatedOnAnotherConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 1, Options{Methods: map[string]Methods{"": {Allow: []string{"sendtoaddress"}}}})
	w.call("sendtoaddress")
	r, _ := w.a().lastRequest()
	require.NotContains(t, r.Header, "Idempotency-Key")
	w.call("getblockcount")
	r, _ = w.a().lastRequest()
	require.Contains(t, r.Header, "Idempotency-Key", "net/http may repeat a reading")
	require.Empty(t, r.Header["Idempotency-Key"], "but nothing of it is sent")
}

func TestASendingByPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ  config.Type
		path string
	}{
		{config.EsploraREST, "/tx"}, {config.CosmosREST, "/cosmos/tx/v1beta1/txs"},
		{config.TronHTTP, "/wallet/broadcasttransaction"}, {config.HorizonREST, "/transactions"},
	} {
		w := newWorld(t, c.typ, 2, Options{})
		w.a().set(func(*http.Request, []byte) (*http.Response, error) { return nil, errTest })
		rec := w.do("POST", "/rpc/c"+c.path, `{"tx":"AAAA"}`, "Content-Type", "application/json")
		require.Equal(t, "b", rec.Header().Get(ProviderHeader), c)
		_, sent := w.b().lastRequest()
		require.Equal(t, `{"tx":"AAAA"}`, sent)
	}
}
