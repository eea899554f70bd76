package simulator_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// heights asks each type for its height and gives the text of the number as it
// stands in the answer.
var heights = map[config.Type]struct {
	ask  func(p http.Handler) answer
	path []string
}{
	config.EVMRPC:         {func(p http.Handler) answer { return call(p, "eth_blockNumber", `[]`) }, []string{"result"}},
	config.BitcoinRPC:     {func(p http.Handler) answer { return call(p, "getblockcount", `[]`) }, []string{"result"}},
	config.BlockchairREST: {func(p http.Handler) answer { return get(p, "/bitcoin/stats") }, []string{"data", "best_block_height"}},
	config.EsploraREST:    {func(p http.Handler) answer { return get(p, "/blocks/tip/height") }, nil},
	config.CometBFTRPC:    {func(p http.Handler) answer { return get(p, "/status") }, []string{"result", "sync_info", "latest_block_height"}},
	config.CosmosREST:     {func(p http.Handler) answer { return get(p, cosmosBlocks+"latest") }, []string{"block", "header", "height"}},
	config.XRPLRPC:        {func(p http.Handler) answer { return call(p, "server_info", `[{}]`) }, []string{"result", "info", "validated_ledger", "seq"}},
	config.TronHTTP:       {func(p http.Handler) answer { return postTo(p, "/wallet/getnowblock", ``) }, []string{"block_header", "raw_data", "number"}},
	config.SolanaRPC:      {func(p http.Handler) answer { return call(p, "getSlot", `[{"commitment":"confirmed"}]`) }, []string{"result"}},
	config.SorobanRPC:     {func(p http.Handler) answer { return call(p, "getLatestLedger", `{}`) }, []string{"result", "sequence"}},
	config.HorizonREST:    {func(p http.Handler) answer { return get(p, "/") }, []string{"history_latest_ledger"}},
}

func call(p http.Handler, method, params string) answer {
	return postTo(p, "/", `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`)
}

// height is the number's text in an answer that is well-formed JSON.
func height(t *testing.T, a answer, path []string) string {
	t.Helper()
	raw := json.RawMessage(a.body)
	for _, name := range path {
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &object), a.body)
		raw = object[name]
	}
	return string(raw)
}

func TestEveryTypeHasADialect(t *testing.T) {
	t.Parallel()
	for _, typ := range config.Types {
		require.Contains(t, heights, typ)
		got := heights[typ].ask(newProvider(typ, simulator.Behaviour{}))
		require.Equal(t, http.StatusOK, got.status, typ)
	}
	require.Equal(t, http.StatusNotImplemented, get(newProvider("nosuch", simulator.Behaviour{}), "/").status)
}

func TestHeightsOfEveryType(t *testing.T) {
	t.Parallel()
	for typ, h := range heights {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			p := newProvider(typ, simulator.Behaviour{})
			good, lagging, absurd := `1000`, `990`, `50000000`
			switch typ {
			case config.EVMRPC:
				good, lagging, absurd = `"0x3e8"`, `"0x3de"`, `"0x2faf080"`
			case config.CometBFTRPC, config.CosmosREST:
				good, lagging, absurd = `"1000"`, `"990"`, `"50000000"`
			}
			require.Equal(t, good, height(t, h.ask(p), h.path))
			p.SetBehaviour(simulator.Behaviour{Lag: 10})
			require.Equal(t, lagging, height(t, h.ask(p), h.path))
			p.SetBehaviour(simulator.Behaviour{Height: new(uint64(50_000_000))})
			require.Equal(t, absurd, height(t, h.ask(p), h.path))
		})
	}
}

func TestNumbersInWrongForms(t *testing.T) {
	t.Parallel()
	cases := []struct {
		form                 simulator.Number
		hex, number, decimal string
	}{
		{simulator.NumberGood, `"0x3e8"`, `1000`, `"1000"`},
		{simulator.NumberOtherType, `1000`, `"1000"`, `1000`},
		{simulator.NumberFraction, `"0x3e8.5"`, `1000.5`, `"1000.5"`},
		{simulator.NumberNegative, `"-0x3e8"`, `-1000`, `"-1000"`},
		{simulator.Number63, `"0x8000000000000000"`, `9223372036854775808`, `"9223372036854775808"`},
		{simulator.Number64, `"0x10000000000000000"`, `18446744073709551616`, `"18446744073709551616"`},
		{simulator.NumberLetters, `"0xzz10"`, `"zz10"`, `"zz10"`},
		{simulator.NumberNull, `null`, `null`, `null`},
	}
	for _, c := range cases {
		for typ, want := range map[config.Type]string{config.EVMRPC: c.hex, config.BitcoinRPC: c.number, config.CometBFTRPC: c.decimal, config.EsploraREST: c.number} {
			h := heights[typ]
			require.Equal(t, want, height(t, h.ask(newProvider(typ, simulator.Behaviour{Heights: c.form})), h.path), "%s %s", typ, c.form)
		}
	}
	zero := simulator.Behaviour{Heights: simulator.NumberLeadingZero}
	require.JSONEq(t, `{"jsonrpc":"2.0","id":7,"result":"0x03e8"}`, call(newProvider(config.EVMRPC, zero), "eth_blockNumber", `[]`).body)
	require.Equal(t, `{"result":01000,"error":null,"id":7}`+"\n", call(newProvider(config.BitcoinRPC, zero), "getblockcount", `[]`).body, "this is no JSON")
	require.Equal(t, `01000`, get(newProvider(config.EsploraREST, zero), "/blocks/tip/height").body)
}

func TestFieldsThatAreMissingOrOthers(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{Drop: []string{"hash", "transactions"}, Set: map[string]string{"timestamp": `[]`, "number": `1e3`}})
	block := result[map[string]json.RawMessage](t, p, "eth_getBlockByNumber", `["latest",false]`)
	require.NotContains(t, block, "hash")
	require.NotContains(t, block, "transactions")
	require.Equal(t, `[]`, string(block["timestamp"]))
	require.Equal(t, `1e3`, string(block["number"]))
	require.Contains(t, block, "parentHash", "the rest is as it was")

	rest := newProvider(config.HorizonREST, simulator.Behaviour{Drop: []string{"network_passphrase"}})
	require.NotContains(t, get(rest, "/").body, "passphrase")
	require.Contains(t, get(rest, "/").body, "history_latest_ledger")
}

func TestAnswersToNobody(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{WrongID: true})
	require.JSONEq(t, `{"jsonrpc":"2.0","id":4711,"result":"0x3e8"}`, postTo(p, "/", blockNumber).body)
	bitcoin := newProvider(config.BitcoinRPC, simulator.Behaviour{WrongID: true})
	require.JSONEq(t, `{"result":1000,"error":null,"id":4711}`, call(bitcoin, "getblockcount", `[]`).body)
	for typ, want := range map[config.Type]string{
		config.EVMRPC: `{"jsonrpc":"2.0","id":7,"result":null}`, config.BitcoinRPC: `{"result":null,"error":null,"id":7}`,
		config.XRPLRPC: `{"result":null}`, config.TronHTTP: `null`, config.CosmosREST: `null`,
	} {
		require.JSONEq(t, want, heights[typ].ask(newProvider(typ, simulator.Behaviour{NullResults: true})).body, typ)
	}
}

// Whatever a client sends, a provider answers, and with a body that is JSON
// where it says so.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{blockNumber, `[` + blockNumber + `]`, `{`, `[]`, `{"method":"ledger","params":[{"ledger_index":-1}]}`, `{"num":-1}`, `{"jsonrpc":"2.0","id":{},"method":"getBlock","params":[18446744073709551615]}`} {
		f.Add("/", body)
	}
	for _, path := range []string{"/status", "/block", "/wallet/getblockbynum", cosmosBlocks + "5", "/ledgers/5", "/blocks/tip/height", "/bitcoin/stats", "/jsonrpc", "/blocks/0"} {
		f.Add(path, `{"num":1}`)
	}
	var providers []*simulator.Provider
	for _, typ := range config.Types {
		providers = append(providers, newProvider(typ, simulator.Behaviour{Heights: simulator.NumberLetters, DropTransactions: 1, PrunedBelow: 5}))
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		if len(path) == 0 || path[0] != '/' {
			return
		}
		for _, p := range providers {
			for _, verb := range []string{http.MethodGet, http.MethodPost} {
				got := sendTo(p, verb, path, body)
				if got.header.Get("Content-Type") == "application/json" && p.Type() != config.EsploraREST && len(got.body) > 0 {
					require.True(t, json.Valid([]byte(got.body)), "%s %s %q %q: %s", p.Type(), verb, path, body, got.body)
				}
			}
		}
	})
}
