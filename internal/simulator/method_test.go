package simulator_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// What consumers ask besides the blocks: each has to be answered, and with
// what belongs to the block or the transaction that was asked for.
func TestMethodsOfConsumers(t *testing.T) {
	t.Parallel()
	tx := func(kind config.Kind) simulator.Hash { return newChain(kind).Block(900).Transactions[0] }
	upper := func(kind config.Kind, height uint64) string { return newChain(kind).Hash(height).Upper() }
	base64Of := func(h simulator.Hash) string { return base64.StdEncoding.EncodeToString(h[:]) }
	cases := []struct {
		typ            config.Type
		method, params string
		want           string
	}{
		{config.BitcoinRPC, "sendrawtransaction", `["0200"]`, `"result":"[0-9a-f]{64}"`},
		{config.BitcoinRPC, "sendrawtransaction", `[]`, `"code":-1,`},
		{config.BitcoinRPC, "getblockstats", `[900]`, `"blockhash":"` + newChain(config.Bitcoin).HashText(900) + `"`},
		{config.BitcoinRPC, "getblockstats", `["` + newChain(config.Bitcoin).HashText(900) + `"]`, `"height":900,`},
		{config.BitcoinRPC, "getblockstats", `[1001]`, `Target block height 1001 after current tip 1000`},
		{config.BitcoinRPC, "getrawtransaction", `["` + tx(config.Bitcoin).Hex() + `"]`, `"result":"02000000` + tx(config.Bitcoin).Hex()},
		{config.BitcoinRPC, "getrawmempool", `[]`, `"result":\[\]`},
		{config.BitcoinRPC, "importaddress", `["a"]`, `"result":null,"error":null`},
		{config.EVMRPC, "eth_getTransactionByHash", `["` + tx(config.EVM).Prefixed() + `"]`, `"blockNumber":"0x384"`},
		{config.EVMRPC, "eth_getTransactionReceipt", `["0x00"]`, `"result":null`},
		{config.EVMRPC, "eth_call", `[{"to":"0x00"},"latest"]`, `"result":"0x0{64}"`},
		{config.EVMRPC, "eth_estimateGas", `[{}]`, `"result":"0x5208"`},
		{config.EVMRPC, "eth_getLogs", `[{}]`, `"result":\[\]`},
		{config.EVMRPC, "eth_sendRawTransaction", `[]`, `"code":-32602`},
		{config.CometBFTRPC, "header", `{"height":"900"}`, `"height":"900"`},
		{config.CometBFTRPC, "commit", `["900"]`, `"hash":"` + upper(config.Cosmos, 900) + `"`},
		{config.CometBFTRPC, "block_results", `{"height":"900"}`, `"height":"900"`},
		{config.CometBFTRPC, "abci_info", `{}`, `"last_block_height":"1000"`},
		{config.CometBFTRPC, "block", `{"height":"x"}`, `"code":-32602`},
		{config.XRPLRPC, "tx", `[{"transaction":"` + tx(config.XRPL).Upper() + `"}]`, `"ledger_index":900,`},
		{config.XRPLRPC, "tx", `[{"transaction":"00"}]`, `"error":"txnNotFound"`},
		{config.XRPLRPC, "account_info", `[{"account":"rHb9"}]`, `"Account":"rHb9"`},
		{config.XRPLRPC, "submit", `[{"tx_blob":"12"}]`, `"engine_result":"tesSUCCESS"`},
		{config.XRPLRPC, "submit", `[{}]`, `"error":"invalidParams"`},
		{config.XRPLRPC, "ledger", `[{"ledger_index":900,"transactions":true,"expand":true}]`, `"hash":"` + tx(config.XRPL).Upper() + `"`},
		{config.XRPLRPC, "ledger", `[{"ledger_index":"current"}]`, `"ledger_index":1001,`},
		{config.XRPLRPC, "ledger_closed", `[{}]`, `"ledger_index":1000`},
		{config.XRPLRPC, "ledger_current", `[{}]`, `"ledger_current_index":1001`},
		{config.SolanaRPC, "getBalance", `["a",{"commitment":"confirmed"}]`, `"slot":1000\},"value":1000000000`},
		{config.SolanaRPC, "sendTransaction", `["AQ"]`, `"result":"[1-9A-HJ-NP-Za-km-z]{80,90}"`},
		{config.SolanaRPC, "getTransaction", `["` + strings.Repeat("1", 64) + `"]`, `"result":null`},
		{config.SolanaRPC, "getVersion", `[]`, `"solana-core"`},
		{config.SorobanRPC, "getFeeStats", `{}`, `"latestLedger":1000`},
		{config.SorobanRPC, "getEvents", `{"startLedger":900,"filters":[],"pagination":{"limit":1}}`, `"events":\[\]`},
		{config.SorobanRPC, "sendTransaction", `{}`, `"code":-32602`},
		{config.SorobanRPC, "getTransaction", `{"hash":"00"}`, `unexpected hash length`},
		{config.SorobanRPC, "getLedgerEntries", `{"keys":["AAAA"]}`, `"entries":\[\]`},
		{config.SorobanRPC, "getLedgers", `{"pagination":{"cursor":"899","limit":2}}`, `"cursor":"901"`},
	}
	for _, c := range cases {
		got := call(newProvider(c.typ, simulator.Behaviour{}), c.method, c.params)
		require.Regexp(t, c.want, got.body, "%s %s", c.method, c.params)
	}
	comet := newProvider(config.CometBFTRPC, simulator.Behaviour{})
	require.Contains(t, get(comet, "/block?height=900").body, base64Of(tx(config.Cosmos)))
}

func TestPathsOfConsumers(t *testing.T) {
	t.Parallel()
	tron, horizon, esplora := newProvider(config.TronHTTP, simulator.Behaviour{}), newProvider(config.HorizonREST, simulator.Behaviour{}), newProvider(config.EsploraREST, simulator.Behaviour{})
	id := tron.Chain().Block(900).Transactions[0].Hex()
	require.Contains(t, postTo(tron, "/wallet/gettransactioninfobyid", `{"value":"`+id+`"}`).body, `"blockNumber":900`)
	require.Contains(t, postTo(tron, "/wallet/gettransactionbyid", `{"value":"`+id+`"}`).body, `"txID":"`+id+`"`)
	require.JSONEq(t, `{"result":true,"txid":"x"}`, postTo(tron, "/wallet/broadcasttransaction", `{"txID":"x"}`).body)
	require.Contains(t, postTo(tron, "/wallet/getchainparameters", ``).body, "getEnergyFee")
	require.Contains(t, postTo(tron, "/wallet/getblock", `{"id_or_num":"x"}`).body, `"Error"`)
	require.Contains(t, postTo(tron, "/wallet/getblock", `{"id_or_num":"`+tron.Chain().HashText(900)+`"}`).body, tron.Chain().HashText(900))

	require.Len(t, strings.Split(get(horizon, "/ledgers/900/transactions").body, `"created_at"`), 1+len(horizon.Chain().Block(900).Transactions))
	require.Contains(t, postTo(horizon, "/transactions", `tx=AAAA`).body, `"ledger":1001`)
	require.Equal(t, http.StatusBadRequest, postTo(horizon, "/transactions", ``).status)
	require.Equal(t, http.StatusBadRequest, get(horizon, "/ledgers?limit=0").status)
	require.Equal(t, http.StatusBadRequest, get(horizon, "/ledgers/x").status)
	require.Contains(t, get(horizon, "/ledgers?limit=2").body, `"sequence":2,`, "from the oldest on")

	raw, err := hex.DecodeString(postTo(esplora, "/tx", `0200`).body)
	require.NoError(t, err)
	require.Len(t, raw, 32)
	require.Contains(t, get(esplora, "/block/"+esplora.Chain().HashText(900)+"/status").body, esplora.Chain().HashText(901))
	require.Equal(t, http.StatusNotFound, get(esplora, "/block/"+esplora.Chain().HashText(900)+"/nosuch").status)
}

func TestNetworksOfBitcoin(t *testing.T) {
	t.Parallel()
	for genesis, names := range map[string][2]string{
		"000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f": {"main", "mainnet"},
		"0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206": {"regtest", "regtest"},
		"000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943": {"test", "testnet3"},
	} {
		chain := simulator.NewChain(simulator.ChainOptions{Kind: config.Bitcoin, Identity: simulator.Identity{Network: genesis}})
		for i, software := range []simulator.Software{simulator.SoftwareDefault, simulator.SoftwareBtcd} {
			p := simulator.NewProvider(chain, simulator.ProviderOptions{Type: config.BitcoinRPC, Software: software})
			require.Equal(t, names[i], result[map[string]any](t, p, "getblockchaininfo", `[]`)["chain"])
			require.Equal(t, genesis, result[string](t, p, "getblockhash", `[0]`))
		}
	}
}

// A request over the shared port of ten thousand providers, client included.
func BenchmarkMountedProviders(b *testing.B) {
	const many = 10_000
	var server simulator.Server
	defer func() { require.NoError(b, server.Close()) }()
	chain := newChain(config.EVM)
	urls := make([]string, many)
	for i := range urls {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: fmt.Sprint(i), Type: config.EVMRPC, Remember: -1})
		url, err := server.Mount(p)
		require.NoError(b, err)
		urls[i] = url
	}
	client := &http.Client{Transport: &http.Transport{}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if status, _, err := fetch(b.Context(), client, urls[i%many]); err != nil || status != http.StatusOK {
			b.Fatal(status, err)
		}
	}
}
