package gateway

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

type answering = func(*http.Request, []byte) (*http.Response, error)

func TestWhatAnotherProviderCanCureIsCuredInTheSameRequest(t *testing.T) {
	t.Parallel()
	const good = `{"jsonrpc":"2.0","id":7,"result":"eth_chainId"}`
	for name, first := range map[string]answering{
		"connection refused":                  refuses,
		"connection reset":                    resets,
		"500":                                 says(500, ""),
		"500 with JSON-RPC":                   says(500, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"internal"}}`),
		"502 with HTML":                       says(502, "<html><title>502 Bad Gateway</title></html>", "Content-Type", "text/html"),
		"503":                                 says(503, "Service Unavailable"),
		"401":                                 says(401, "", "WWW-Authenticate", `Basic realm="x"`),
		"403":                                 says(403, `{"message":"forbidden"}`),
		"402":                                 says(402, ""),
		"408":                                 says(408, `{"id":$id,"error":{"code":30,"message":"Request timeout on the free tier"}}`),
		"429":                                 says(429, `{"jsonrpc":"2.0","id":$id,"error":{"code":429,"message":"Too many requests"}}`),
		"429 with nothing":                    says(429, ""),
		"200 with a rate limit of Infura":     rpcFails(-32005, "daily request count exceeded, request rate limited"),
		"200 with a rate limit of QuickNode":  rpcFails(-32007, "50/second request limit reached - reduce calls per second"),
		"200 with a quota in code -32000":     rpcFails(-32000, "Monthly capacity limit exceeded. Visit https://x/settings/billing"),
		"200 with a missing key":              says(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized: You must authenticate your request with an API key"}}`),
		"200 with header not found":           rpcFails(-32000, "header not found"),
		"200 with missing trie node":          rpcFails(-32000, "missing trie node 1234"),
		"200 with a method that is not there": rpcFails(-32601, "the method eth_chainId does not exist/is not available"),
		"200 with an internal error":          rpcFails(-32603, "Internal error"),
		"200 with HTML":                       says(200, "<!DOCTYPE html><html></html>", "Content-Type", "text/html"),
		"200 with nothing":                    says(200, ""),
		"200 with white space":                says(200, "  \n"),
		"200 with a bare text":                says(200, "invalid host specified"),
		"200 with half of the JSON":           says(200, `{"jsonrpc":"2.0","id":7,"resu`),
		"200 with a broken result":            says(200, `{"jsonrpc":"2.0","id":7,"result":nope}`),
		"200 with the id of another request":  says(200, `{"jsonrpc":"2.0","id":8,"result":"0x1"}`),
		"200 without result and error":        says(200, `{"jsonrpc":"2.0","id":7}`),
		"200 with a list":                     says(200, `[]`),
		"200 with a number":                   says(200, `17`),
		"half a body":                         breaks(200, `{"jsonrpc":"2.0","id":7,"result":"0x`),
		"a redirect":                          says(301, "", "Location", "https://elsewhere.example/key"),
		"404 with a page":                     says(404, "<html>not here</html>"),
		"deep nesting":                        says(200, `{"jsonrpc":"2.0","id":7,"result":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`}`),
		"gzip that is none":                   says(200, "not gzip", "Content-Encoding", "gzip"),
		"an encoding nobody asked for":        says(200, "???", "Content-Encoding", "br"),
		"200 with an object of another kind":  says(200, `{"message":"something went wrong"}`),
		"400 with an object of another kind":  says(400, `{"message":"bad request"}`),
		"starting":                            says(503, `{"id":$id,"error":{"code":-32000,"message":"try again later"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EVMRPC, 3, Options{})
			w.a().set(first)
			rec := w.call("eth_chainId")
			require.Equal(t, 200, rec.Code)
			require.Equal(t, good, rec.Body.String())
			require.Equal(t, "b", rec.Header().Get(ProviderHeader))
			require.Equal(t, []int{1, 1, 0}, []int{w.a().asked(), w.b().asked(), w.providers[2].asked()})
		})
	}
}

func TestWhatTheChainSaysIsReturnedAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ    config.Type
		method string
		first  answering
	}{
		"a revert":                        {config.EVMRPC, "eth_call", rpcFails(3, "execution reverted: rate limit exceeded")},
		"a revert in -32000":              {config.EVMRPC, "eth_call", rpcFails(-32000, "execution reverted")},
		"nonce too low":                   {config.EVMRPC, "eth_sendRawTransaction", rpcFails(-32000, "nonce too low")},
		"already known":                   {config.EVMRPC, "eth_sendRawTransaction", rpcFails(-32000, "already known")},
		"insufficient funds":              {config.EVMRPC, "eth_estimateGas", rpcFails(-32000, "insufficient funds for gas * price + value")},
		"invalid params":                  {config.EVMRPC, "eth_call", rpcFails(-32602, "invalid argument 0: hex string has length 3")},
		"an unknown error":                {config.EVMRPC, "eth_call", rpcFails(-32000, "something about this call")},
		"a good null":                     {config.EVMRPC, "eth_getUncleByBlockNumberAndIndex", says(200, `{"jsonrpc":"2.0","id":$id,"result":null}`)},
		"Bitcoin's 500 with a code":       {config.BitcoinRPC, "getblock", says(500, `{"result":null,"error":{"code":-3,"message":"Expected type number"},"id":$id}`)},
		"a known transaction on Bitcoin":  {config.BitcoinRPC, "sendrawtransaction", says(500, `{"result":null,"error":{"code":-27,"message":"Transaction already in block chain"},"id":$id}`)},
		"missing inputs":                  {config.BitcoinRPC, "sendrawtransaction", says(500, `{"result":null,"error":{"code":-25,"message":"bad-txns-inputs-missingorspent"},"id":$id}`)},
		"CometBFT's 500 with a code":      {config.CometBFTRPC, "abci_query", says(500, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"Internal error","data":"query failed"}}`)},
		"a transaction in CometBFT cache": {config.CometBFTRPC, "broadcast_tx_sync", rpcFailsWith(-32603, "Internal error", "tx already exists in cache")},
		"a skipped slot":                  {config.SolanaRPC, "getBlock", rpcFails(-32007, "Slot 12 was skipped, or missing due to ledger jump to recent snapshot")},
		"a failed simulation":             {config.SolanaRPC, "sendTransaction", rpcFails(-32002, "Transaction simulation failed: custom program error")},
		"an error of the ledger":          {config.XRPLRPC, "account_info", says(200, `{"result":{"error":"actNotFound","error_message":"Account not found.","status":"error"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.typ, 2, Options{})
			w.a().set(c.first)
			rec := w.call(c.method)
			want, err := c.first(nil, []byte(`{"id":7}`))
			require.NoError(t, err)
			require.Equal(t, want.StatusCode, rec.Code)
			require.Equal(t, readAll(t, want), rec.Body.String())
			require.Equal(t, "a", rec.Header().Get(ProviderHeader))
			require.Zero(t, w.b().asked(), "a second provider was asked")
			require.Zero(t, w.state().Endpoints[0].ConsecutiveFailures)
		})
	}
}

func TestCodesMeanDifferentThingsInDifferentFamilies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ    config.Type
		method string
		first  answering
		want   Outcome
	}{
		"-32005 limits on EVM":              {config.EVMRPC, "eth_call", rpcFails(-32005, "limit exceeded"), RateLimited},
		"-32005 is behind on Solana":        {config.SolanaRPC, "getSlot", rpcFails(-32005, "Node is behind by 42 slots"), Unavailable},
		"-32004 is not there on Solana":     {config.SolanaRPC, "getBlock", rpcFails(-32004, "Block not available for slot 1"), Missing},
		"-32004 is no method on EVM":        {config.EVMRPC, "eth_x", rpcFails(-32004, "unsupported"), Unsupported},
		"-32603 is stale on Stellar":        {config.SorobanRPC, "getHealth", rpcFails(-32603, "latency (33s) since last known ledger closed is too high (>30s)"), Unavailable},
		"-32603 is a height on Cosmos":      {config.CometBFTRPC, "block", rpcFailsWith(-32603, "Internal error", "height 99 must be less than or equal to the current blockchain height 6"), Missing},
		"a node of Cosmos that stops":       {config.CometBFTRPC, "block", says(500, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"Internal error","data":"pebble: closed"}}`), Unavailable},
		"a node of EVM that stops":          {config.EVMRPC, "eth_getBalance", says(200, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"leveldb: closed"}}`), Unavailable},
		"-28 is starting on Bitcoin":        {config.BitcoinRPC, "getblockcount", says(500, `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":$id}`), Unavailable},
		"-8 is a height on Bitcoin":         {config.BitcoinRPC, "getblockhash", says(500, `{"result":null,"error":{"code":-8,"message":"Block height out of range"},"id":$id}`), Missing},
		"-5 is a transaction on Bitcoin":    {config.BitcoinRPC, "getrawtransaction", says(500, `{"result":null,"error":{"code":-5,"message":"No such mempool or blockchain transaction. Use gettransaction for wallet transactions."},"id":$id}`), Missing},
		"a full work queue":                 {config.BitcoinRPC, "getblock", says(500, "Work queue depth exceeded"), Unavailable},
		"slowDown on the XRP Ledger":        {config.XRPLRPC, "ledger", says(200, `{"result":{"error":"slowDown","error_code":10,"error_message":"You are placing too much load on the server.","status":"error"}}`), RateLimited},
		"lgrNotFound on the XRP Ledger":     {config.XRPLRPC, "ledger", says(200, `{"result":{"error":"lgrNotFound","error_message":"ledgerNotFound","status":"error"}}`), Missing},
		"a null block on EVM":               {config.EVMRPC, "eth_getBlockByNumber", says(200, `{"jsonrpc":"2.0","id":$id,"result":null}`), Missing},
		"NOT_FOUND on Stellar":              {config.SorobanRPC, "getTransaction", says(200, `{"jsonrpc":"2.0","id":$id,"result":{"status":"NOT_FOUND","latestLedger":5}}`), Missing},
		"a blockhash that Solana lacks":     {config.SolanaRPC, "sendTransaction", rpcFails(-32002, "Transaction simulation failed: Blockhash not found"), Missing},
		"a limit on the range of logs":      {config.EVMRPC, "eth_getLogs", rpcFails(-32600, "query returned more than 10000 results"), Unsupported},
		"an exhausted plan as a plain text": {config.SolanaRPC, "getSlot", says(200, "max usage reached", "Content-Type", "text/plain"), RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.typ, 2, Options{})
			var seen []Outcome
			w.gateway.options.OnOutcome = func(_, provider string, o Outcome, _ time.Duration) {
				if provider == "a" {
					seen = append(seen, o)
				}
			}
			w.a().set(c.first)
			rec := w.call(c.method)
			require.Equal(t, []Outcome{c.want}, seen)
			require.Equal(t, "b", rec.Header().Get(ProviderHeader))
		})
	}
}

func TestWhenAllFailTheMostMeaningfulAnswerIsReturned(t *testing.T) {
	t.Parallel()
	missing := rpcFails(-32000, "header not found")
	t.Run("a lack before a timeout", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 3, Options{})
		w.a().set(missing)
		w.b().set(resets)
		w.providers[2].set(rpcFails(-32000, "missing trie node"))
		rec := w.call("eth_call")
		require.Equal(t, `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"header not found"}}`, rec.Body.String())
		require.Equal(t, "a", rec.Header().Get(ProviderHeader))
	})
	t.Run("a lack after a state", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.BitcoinRPC, 2, Options{})
		w.a().set(says(500, `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":$id}`))
		w.b().set(says(500, `{"result":null,"error":{"code":-5,"message":"Block not found"},"id":$id}`))
		rec := w.call("getblock")
		require.Equal(t, 500, rec.Code)
		require.Contains(t, rec.Body.String(), "Block not found")
	})
	t.Run("a state as it came, for clients that know it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.BitcoinRPC, 2, Options{})
		w.a().set(says(500, `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":$id}`))
		w.b().set(refuses)
		rec := w.call("getblock")
		require.Equal(t, 500, rec.Code)
		require.Equal(t, `{"result":null,"error":{"code":-28,"message":"Loading block index..."},"id":7}`, rec.Body.String())
	})
	t.Run("a null if all say so", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 2, Options{})
		w.a().set(says(200, `{"jsonrpc":"2.0","id":$id,"result":null}`))
		w.b().set(says(200, `{"jsonrpc":"2.0","id":$id,"result":null}`))
		rec := w.call("eth_getTransactionReceipt")
		require.Equal(t, `{"jsonrpc":"2.0","id":7,"result":null}`, rec.Body.String())
		require.Equal(t, "a", rec.Header().Get(ProviderHeader))
		require.Zero(t, w.state().events)
	})
	t.Run("nothing that is no JSON-RPC", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 2, Options{})
		w.a().set(says(404, `<html>no such page</html>`))
		w.b().set(says(400, `{"message":"bad request"}`))
		rec := w.call("eth_call")
		require.Equal(t, http.StatusServiceUnavailable, rec.Code)
		require.Contains(t, rec.Body.String(), `"id":7`)
		require.Zero(t, w.state().events)
	})
	t.Run("nothing that is about our keys", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 2, Options{})
		w.a().set(says(401, `{"error":"invalid api key key-a"}`, "WWW-Authenticate", "Basic"))
		w.b().set(says(429, `slow down, key-b`))
		rec := w.call("eth_call")
		require.Equal(t, http.StatusServiceUnavailable, rec.Code)
		require.NotContains(t, rec.Body.String(), "key-")
		require.Empty(t, rec.Header().Get("WWW-Authenticate"))
	})
}

func TestAProviderThatHangsCostsOneAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{AttemptTimeout: 2 * time.Second, RequestTimeout: 10 * time.Second})
		w.a().set(hangs)
		begin := time.Now()
		rec := w.call("eth_chainId")
		require.Equal(t, 200, rec.Code)
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}

func TestTheRequestHasADeadlineOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 9, Options{AttemptTimeout: 2 * time.Second, RequestTimeout: 5 * time.Second})
		for _, p := range w.providers {
			p.set(hangs)
		}
		begin := time.Now()
		rec := w.call("eth_chainId")
		require.Equal(t, http.StatusServiceUnavailable, rec.Code)
		require.Equal(t, 5*time.Second, time.Since(begin))
		require.Equal(t, 3, w.a().asked()+w.b().asked()+w.providers[2].asked())
		require.Zero(t, w.providers[3].asked())
	})
}

func TestTheLastProviderHasTheRestOfTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 1, Options{AttemptTimeout: time.Second, RequestTimeout: 10 * time.Second})
		w.a().set(func(r *http.Request, b []byte) (*http.Response, error) {
			time.Sleep(8 * time.Second)
			return goodAnswer(r, b)
		})
		require.Equal(t, 200, w.call("eth_getLogs").Code)
	})
}

func TestABodyThatDripsIsAHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{AttemptTimeout: 2 * time.Second})
		w.a().set(func(r *http.Request, _ []byte) (*http.Response, error) {
			out := respond(200, "")
			out.ContentLength = -1
			out.Body = &dripping{ctx: r.Context().Done()}
			return out, nil
		})
		begin := time.Now()
		require.Equal(t, "b", w.call("eth_chainId").Header().Get(ProviderHeader))
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}

// dripping is a body of one byte every 100 ms.
type dripping struct{ ctx <-chan struct{} }

func (d *dripping) Read(b []byte) (int, error) {
	select {
	case <-d.ctx:
		return 0, errTest
	case <-time.After(100 * time.Millisecond):
		b[0] = ' '
		return 1, nil
	}
}

func (d *dripping) Close() error { return nil }

func TestTheNameOfAMethodSpeaksAgainstNoProvider(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"eth_Too many requests", "unauthorized", "eth_rate_limit", "server is busy", "eth_timeout: pebble: closed"} {
		w := newWorld(t, config.EVMRPC, 2, Options{})
		answer := rpcFails(-32601, "the method "+method+" does not exist/is not available")
		w.a().set(answer)
		w.b().set(answer)
		rec := w.call(method)
		require.Equal(t, 200, rec.Code)
		require.Contains(t, rec.Body.String(), "does not exist", "it is worth being shown")
		for _, e := range w.state().Endpoints {
			require.Zero(t, e.TotalFailures, method)
		}
	}
	w := newWorld(t, config.EsploraREST, 1, Options{})
	w.a().set(says(404, "Cannot GET /too many requests", "Content-Type", "text/plain"))
	require.Equal(t, 404, w.do("GET", "/rpc/c/too%20many%20requests", "").Code)
	require.Zero(t, w.state().Endpoints[0].TotalFailures)
}

func TestAStatusThatIsNoneIsNotPassedOn(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"000", "007", "099", "101", "600", "999"} {
		for name, body := range map[string]string{"a call": oneCall, "a batch": "[" + oneCall + "]"} {
			t.Run(status+" to "+name, func(t *testing.T) {
				t.Parallel()
				good := `{"result":"a","error":null,"id":7}`
				if name == "a batch" {
					good = "[" + good + "]"
				}
				w := newRealWorld(t, config.BitcoinRPC, Options{}, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
					conn, _, err := http.NewResponseController(rw).Hijack()
					if err == nil {
						_, _ = io.WriteString(conn, "HTTP/1.1 "+status+" X\r\nContent-Type: application/json\r\n\r\n"+good)
						_ = conn.Close()
					}
				}), http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(rw, strings.Replace(good, `"a"`, `"b"`, 1))
				}))
				response, err := w.postReal(body)
				require.NoError(t, err)
				got, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
				require.Equal(t, 200, response.StatusCode)
				require.Equal(t, strings.Replace(good, `"a"`, `"b"`, 1), string(got))
			})
		}
	}
}

func rpcFailsWith(code int, message, data string) answering {
	return says(200, `{"jsonrpc":"2.0","id":$id,"error":{"code":`+strconv.Itoa(code)+`,"message":"`+message+`","data":"`+data+`"}}`)
}

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	rec := httptest.NewRecorder()
	_, err := rec.Body.ReadFrom(r.Body)
	require.NoError(t, err)
	return rec.Body.String()
}
