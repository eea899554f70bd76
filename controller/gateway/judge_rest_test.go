package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestAnswersOfTypesWithPaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ    config.Type
		path   string
		status int
		body   string
		want   Outcome
	}{
		"a height as text":                {config.EsploraREST, "/blocks/tip/height", 200, "939000", OK},
		"a hash as text":                  {config.EsploraREST, "/blocks/tip/hash", 200, "000000000000000000021a7e", OK},
		"hexadecimal as text":             {config.EsploraREST, "/tx/x/hex", 200, "0200000001abc", OK},
		"a block that Esplora lacks":      {config.EsploraREST, "/block-height/9", 404, "Block not found", Missing},
		"a quota as text":                 {config.EsploraREST, "/blocks/tip/height", 200, "max usage reached", RateLimited},
		"a page":                          {config.EsploraREST, "/blocks/tip/height", 200, "<html><title>x</title>", BadResponse},
		"nothing":                         {config.EsploraREST, "/blocks/tip/height", 200, "", BadResponse},
		"a limit of nginx":                {config.EsploraREST, "/blocks/tip/height", 429, "<html><title>429 Too Many Requests</title>", RateLimited},
		"a transaction that is refused":   {config.EsploraREST, "/tx", 400, `sendrawtransaction RPC error: {"code":-26,"message":"dust"}`, Invalid},
		"Blockchair's answer":             {config.BlockchairREST, "/stats", 200, `{"data":{"blocks":1},"context":{"code":200,"state":7}}`, OK},
		"Blockchair's block of addresses": {config.BlockchairREST, "/stats", 430, `{"data":null,"context":{"code":430,"error":"Your IP address is temporary blacklisted"}}`, RateLimited},
		"Blockchair's limit in a 200":     {config.BlockchairREST, "/stats", 200, `{"data":null,"context":{"code":435,"error":"slow down"}}`, RateLimited},
		"Blockchair's own 503":            {config.BlockchairREST, "/stats", 503, `{"data":null,"context":{"code":503,"error":"x"}}`, RateLimited},
		"TronGrid's throttle in a 200":    {config.TronHTTP, "/wallet/getnowblock", 200, `{"Error":"request rate exceeded the allowed_rps(3), and the query server is suspended for 19 s."}`, RateLimited},
		"TronGrid's throttle in a 403":    {config.TronHTTP, "/wallet/getnowblock", 403, `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 27 s"}`, RateLimited},
		"a block that java-tron lacks":    {config.TronHTTP, "/wallet/getblockbynum", 200, `{}`, Missing},
		"a broadcast that java-tron took": {config.TronHTTP, "/wallet/broadcasttransaction", 200, `{"result":true,"txid":"x"}`, OK},
		"a node without connections":      {config.TronHTTP, "/wallet/broadcasttransaction", 200, `{"code":"NO_CONNECTION","message":"x"}`, Unavailable},
		"a lite node":                     {config.TronHTTP, "/wallet/getblockbynum", 200, "this node is a lite fullnode", Unsupported},
		"a block that Cosmos lacks":       {config.CosmosREST, "/cosmos/base/tendermint/v1beta1/blocks/9", 404, `{"code":5,"message":"block not found","details":[]}`, Missing},
		"a quota of a Cosmos gateway":     {config.CosmosREST, "/cosmos/x", 429, `{"code":8,"message":"exhausted","details":[]}`, RateLimited},
		"a wrong parameter":               {config.CosmosREST, "/cosmos/x", 400, `{"code":3,"message":"invalid address","details":[]}`, Invalid},
		"a ledger before the history":     {config.HorizonREST, "/ledgers/1", 410, `{"type":"https://stellar.org/horizon-errors/before_history","title":"Data Requested Is Before Recorded History","status":410}`, Missing},
		"a stale history":                 {config.HorizonREST, "/ledgers/1", 503, `{"type":"https://stellar.org/horizon-errors/stale_history","title":"Historical DB Is Too Stale","status":503}`, Unavailable},
		"an answer with a type":           {config.HorizonREST, "/effects", 200, `{"type":"payment","title":null}`, OK},
		"CometBFT by path":                {config.CometBFTRPC, "/status", 200, `{"jsonrpc":"2.0","id":-1,"result":{}}`, OK},
		"a height that CometBFT lacks":    {config.CometBFTRPC, "/block?height=9", 500, `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"height 9 must be less than or equal to the current blockchain height 6"}}`, Missing},
		"broken JSON":                     {config.HorizonREST, "/", 200, `{"horizon_version":`, BadResponse},
		"a bare word":                     {config.CosmosREST, "/x", 200, `invalid host specified`, BadResponse},
		"502 with a page":                 {config.HorizonREST, "/", 502, `<html>`, ServerError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.typ, 2, Options{})
			var seen []Outcome
			w.gateway.options.OnOutcome = func(_, _ string, o Outcome, _ time.Duration) { seen = append(seen, o) }
			w.a().set(says(c.status, c.body))
			w.b().set(says(200, `{"b":1}`))
			verb, body := "GET", ""
			if c.typ == config.TronHTTP || c.path == "/tx" {
				verb, body = "POST", `{"x":1}`
			}
			rec := w.do(verb, "/rpc/c"+c.path, body)
			require.Equal(t, c.want.String(), seen[0].String())
			if c.want.final() {
				require.Equal(t, c.status, rec.Code)
				require.Equal(t, c.body, rec.Body.String())
				require.Len(t, seen, 1)
			} else {
				require.Equal(t, `{"b":1}`, rec.Body.String())
			}
		})
	}
}

func TestAStreamOfEventsIsRefusedBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.HorizonREST, 2, Options{AttemptTimeout: 10 * time.Millisecond})
	w.a().set(func(r *http.Request, body []byte) (*http.Response, error) {
		if !strings.Contains(r.Header.Get("Accept"), "event-stream") {
			return goodAnswer(r, body)
		}
		// It says hello, and then nothing until something happens.
		answer := respond(200, "", "Content-Type", "text/event-stream")
		answer.ContentLength = -1
		answer.Body = io.NopCloser(io.MultiReader(strings.NewReader("retry: 1000\nevent: open\ndata: \"hello\"\n\n"), waiting{r.Context()}))
		return answer, nil
	})
	for _, accept := range []string{"text/event-stream", "application/json, Text/Event-Stream;q=0.9"} {
		rec := w.do("GET", "/rpc/c/ledgers?cursor=now", "", "Accept", accept)
		require.Equal(t, 406, rec.Code)
		require.Contains(t, rec.Body.String(), "Streams of events are not forwarded")
	}
	require.Zero(t, w.state().Endpoints[0].TotalFailures)
	require.Equal(t, 200, w.do("GET", "/rpc/c/ledgers", "", "Accept", "application/hal+json").Code)
}

// waiting is a body that has nothing more to say, until nobody waits.
type waiting struct{ context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.Done()
	return 0, w.Err()
}

func TestAClientIsUnderstoodByThoseWhoSpeakWhatItSpeaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       config.Kind
		types      []config.Type
		verb, path string
		want       string
	}{
		{config.Bitcoin, []config.Type{config.BlockchairREST, config.EsploraREST, config.BitcoinRPC}, "POST", "", "c"},
		{config.Bitcoin, []config.Type{config.BlockchairREST, config.EsploraREST, config.BitcoinRPC}, "GET", "/blocks/tip/height", "b"},
		{config.Bitcoin, []config.Type{config.BitcoinRPC, config.EsploraREST, config.BlockchairREST}, "GET", "/stats", "c"},
		{config.Bitcoin, []config.Type{config.BitcoinRPC, config.EsploraREST, config.BlockchairREST}, "POST", "/tx", "b"},
		{config.Bitcoin, []config.Type{config.BitcoinRPC, config.EsploraREST}, "GET", "/anything", "b"},
		{config.Bitcoin, []config.Type{config.EsploraREST}, "POST", "", ""},
		{config.Cosmos, []config.Type{config.CosmosREST, config.CometBFTRPC}, "GET", "/status", "b"},
		{config.Cosmos, []config.Type{config.CometBFTRPC, config.CosmosREST}, "GET", "/cosmos/bank/v1beta1/supply", "b"},
		{config.Cosmos, []config.Type{config.CometBFTRPC, config.CosmosREST}, "POST", "/cosmos/tx/v1beta1/txs", "b"},
		{config.Cosmos, []config.Type{config.CosmosREST, config.CometBFTRPC}, "POST", "", "b"},
		{config.Stellar, []config.Type{config.SorobanRPC, config.HorizonREST}, "GET", "/ledgers/1", "b"},
		{config.Stellar, []config.Type{config.HorizonREST, config.SorobanRPC}, "POST", "", "b"},
		{config.Tron, []config.Type{config.TronHTTP}, "POST", "/jsonrpc", "a"},
	} {
		w := newWorld(t, config.EVMRPC, len(c.types), Options{})
		w.router.change(theChain, func(r *Route) {
			r.Kind = c.kind
			for i, typ := range c.types {
				r.Endpoints[i].Type = typ
			}
		})
		rec := w.do(c.verb, "/rpc/c"+c.path, `{"id":1,"method":"eth_blockNumber"}`)
		require.Equal(t, c.want, rec.Header().Get(ProviderHeader), c)
		if c.want == "" {
			require.Equal(t, 503, rec.Code)
			require.Contains(t, rec.Body.String(), "understands this request")
		}
	}
}

func TestMethodsBelowTronsJSONRPCAreUnderThePolicyOfEVM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.TronHTTP, 1, Options{})
	for _, path := range []string{"", "/jsonrpc"} {
		rec := w.do("POST", "/rpc/c"+path, `{"id":1,"method":"eth_sendTransaction"}`)
		require.Contains(t, rec.Body.String(), "not let through")
	}
	require.Zero(t, w.a().asked())
}

func TestHowLongAProviderAsksToBeLeftAlone(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		body, header string
		want         time.Duration
	}{
		{`{"Error":"... the query server is suspended for 27 s"}`, "", 27 * time.Second},
		{`{"error":{"data":{"rate":{"backoff_seconds":30}}}}`, "5", 30 * time.Second},
		{`{"error":{"data":{"retryAfter":2.5}}}`, "", 2500 * time.Millisecond},
		{`try again in 500 ms`, "", 500 * time.Millisecond},
		{`retry after 2 minutes`, "", 2 * time.Minute},
		{`retry after 999999 hours`, "", time.Hour},
		{``, "120", 2 * time.Minute},
		{``, "Thu, 01 Jan 2026 00:00:10 GMT", 10 * time.Second},
		{``, "Wed, 31 Dec 2025 00:00:10 GMT", 0},
		{``, "1e300", time.Hour},
		{``, "-5", 0},
		{``, "soon", 0},
		{`retry after 99999999999999999999 s`, "", time.Hour},
		{``, "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.header)
		require.Equal(t, c.want, waitFrom([]byte(c.body), h, now), c)
	}
}
