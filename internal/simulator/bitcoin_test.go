package simulator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// bitcoinHeader is what a client reads of a header.
type bitcoinHeader struct {
	Hash          string `json:"hash"`
	Height        uint64 `json:"height"`
	Time          int64  `json:"time"`
	MedianTime    int64  `json:"mediantime"`
	Confirmations int64  `json:"confirmations"`
	Previous      string `json:"previousblockhash"`
	Next          string `json:"nextblockhash"`
	NTx           *int   `json:"nTx"`
}

func newBtcd(b simulator.Behaviour) *simulator.Provider {
	return simulator.NewProvider(newChain(config.Bitcoin), simulator.ProviderOptions{
		Name: "a", Type: config.BitcoinRPC, Software: simulator.SoftwareBtcd, Behaviour: b,
	})
}

func TestBitcoinBlocks(t *testing.T) {
	t.Parallel()
	p := newProvider(config.BitcoinRPC, simulator.Behaviour{})
	c := p.Chain()
	require.Equal(t, uint64(1000), result[uint64](t, p, "getblockcount", `[]`))
	require.Equal(t, c.HashText(1000), result[string](t, p, "getbestblockhash", `[]`))
	require.Equal(t, c.Identity().Network, result[string](t, p, "getblockhash", `[0]`))
	hash := result[string](t, p, "getblockhash", `[990]`)
	require.Equal(t, c.HashText(990), hash)

	block := c.Block(990)
	header := result[bitcoinHeader](t, p, "getblockheader", `["`+hash+`"]`)
	count := len(block.Transactions)
	require.Equal(t, bitcoinHeader{
		Hash: hash, Height: 990, Time: started.Add(-10 * time.Second).Unix(), MedianTime: started.Add(-15 * time.Second).Unix(),
		Confirmations: 11, Previous: c.HashText(989), Next: c.HashText(991), NTx: &count,
	}, header)
	require.Empty(t, result[bitcoinHeader](t, p, "getblockheader", `["`+c.HashText(1000)+`"]`).Next)
	require.Empty(t, result[bitcoinHeader](t, p, "getblockheader", `["`+c.HashText(0)+`"]`).Previous)
	require.Len(t, result[string](t, p, "getblockheader", `["`+hash+`",false]`), 160)

	ids := result[struct {
		Tx []string `json:"tx"`
	}](t, p, "getblock", `["`+hash+`"]`)
	require.Len(t, ids.Tx, count)
	require.Equal(t, block.Transactions[0].Hex(), ids.Tx[0])
	whole := result[struct {
		Tx []struct {
			TxID string           `json:"txid"`
			Vin  []map[string]any `json:"vin"`
		} `json:"tx"`
	}](t, p, "getblock", `["`+hash+`",2]`)
	require.Equal(t, ids.Tx[0], whole.Tx[0].TxID)
	require.Contains(t, whole.Tx[0].Vin[0], "coinbase")
	found := result[struct {
		BlockHash     string `json:"blockhash"`
		Confirmations int64  `json:"confirmations"`
	}](t, p, "getrawtransaction", `["`+ids.Tx[0]+`",true]`)
	require.Equal(t, hash, found.BlockHash)
	require.Equal(t, int64(11), found.Confirmations)

	// What a provider lost is missing from the list, not from the header.
	p.SetBehaviour(simulator.Behaviour{DropTransactions: 1})
	lost := result[struct {
		bitcoinHeader
		Tx []string `json:"tx"`
	}](t, p, "getblock", `["`+hash+`"]`)
	require.Len(t, lost.Tx, count-1)
	require.Equal(t, count, *lost.NTx)
}

func TestBitcoinOfANode(t *testing.T) {
	t.Parallel()
	p := newProvider(config.BitcoinRPC, simulator.Behaviour{})
	type chainInfo struct {
		Chain       string `json:"chain"`
		Blocks      uint64 `json:"blocks"`
		Headers     uint64 `json:"headers"`
		Best        string `json:"bestblockhash"`
		Download    *bool  `json:"initialblockdownload"`
		Pruned      bool   `json:"pruned"`
		PruneHeight uint64 `json:"pruneheight"`
	}
	no, yes := false, true
	require.Equal(t, chainInfo{Chain: "main", Blocks: 1000, Headers: 1000, Best: p.Chain().HashText(1000), Download: &no},
		result[chainInfo](t, p, "getblockchaininfo", `[]`))
	require.Equal(t, 8, result[int](t, p, "getconnectioncount", `[]`))
	require.Empty(t, result[[]string](t, p, "listunspent", `[]`))

	p.SetBehaviour(simulator.Behaviour{Lag: 40, Syncing: true, PrunedBelow: 900, Unsupported: []string{"listunspent"}, NoTxIndex: true, NoPeers: true})
	require.Equal(t, chainInfo{Chain: "main", Blocks: 960, Headers: 1000, Best: p.Chain().HashText(960), Download: &yes, Pruned: true, PruneHeight: 900},
		result[chainInfo](t, p, "getblockchaininfo", `[]`))
	require.Equal(t, 0, result[int](t, p, "getconnectioncount", `[]`))
	require.Zero(t, result[struct {
		Connections int `json:"connections"`
	}](t, p, "getnetworkinfo", `[]`).Connections)

	btcd := newBtcd(simulator.Behaviour{})
	require.Equal(t, chainInfo{Chain: "mainnet", Blocks: 1000, Headers: 1000, Best: btcd.Chain().HashText(1000)},
		result[chainInfo](t, btcd, "getblockchaininfo", `[]`), "btcd does not say whether it downloads")
	require.Nil(t, result[bitcoinHeader](t, btcd, "getblockheader", `["`+btcd.Chain().HashText(5)+`"]`).NTx, "btcd does not count transactions")
	require.Len(t, result[struct {
		Tx []string `json:"tx"`
	}](t, btcd, "getblock", `["`+btcd.Chain().HashText(5)+`",1]`).Tx, len(btcd.Chain().Block(5).Transactions))
}

func TestBitcoinErrors(t *testing.T) {
	t.Parallel()
	absent := strings.Repeat("0", 63) + "1"
	cases := []struct {
		name           string
		method, params string
		behaviour      simulator.Behaviour
		core, btcd     int
		coreStatus     int
		message        string
		btcdMessage    string
	}{
		{"a height above the tip", "getblockhash", `[1001]`, simulator.Behaviour{}, -8, -1, 500, "Block height out of range", "Block number out of range"},
		{"a height below zero", "getblockhash", `[-1]`, simulator.Behaviour{}, -8, -1, 500, "Block height out of range", "Block number out of range"},
		{"a height that is no number", "getblockhash", `["x"]`, simulator.Behaviour{}, -1, -32602, 500, "JSON value is not an integer as expected", "parameter #1 'index' must be type int64 (got string)"},
		{"a hash that nobody has", "getblock", `["` + absent + `"]`, simulator.Behaviour{}, -5, -5, 500, "Block not found", "Block not found"},
		{"a hash that is none", "getblockheader", `["zz"]`, simulator.Behaviour{}, -8, -22, 500, "blockhash must be of length 64 (not 2, for 'zz')", `Argument must be hexadecimal string (not "zz")`},
		{"a transaction that nobody has", "getrawtransaction", `["` + absent + `"]`, simulator.Behaviour{}, -5, -5, 500, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.", "No information available about transaction " + absent},
		{"a method that nobody has", "nosuch", `[]`, simulator.Behaviour{}, -32601, -32601, 404, "Method not found", "Method not found"},
		{"an announced block that is not there", "getblockhash", `[999]`, simulator.Behaviour{MissingNewest: 3}, -8, -1, 500, "Block height out of range", "Block number out of range"},
		{"a wallet that is switched off", "listunspent", `[]`, simulator.Behaviour{Unsupported: []string{"listunspent"}}, -32601, -32601, 404, "Method not found", "Method not found"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, status := rpcStatus(t, newProvider(config.BitcoinRPC, c.behaviour), c.method, c.params)
			require.Equal(t, c.coreStatus, status)
			require.Equal(t, &rpcError{Code: c.core, Message: c.message}, got.Error)
			require.Equal(t, "null", string(got.Result))
			got, status = rpcStatus(t, newBtcd(c.behaviour), c.method, c.params)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, &rpcError{Code: c.btcd, Message: c.btcdMessage}, got.Error)
		})
	}
	starting, status := rpcStatus(t, newProvider(config.BitcoinRPC, simulator.Behaviour{Starting: true}), "getblockcount", `[]`)
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, &rpcError{Code: -28, Message: "Loading block index..."}, starting.Error)
	code, message := failure(t, newBtcd(simulator.Behaviour{}), "getnetworkinfo", `[]`)
	require.Equal(t, -1, code)
	require.Equal(t, "Command unimplemented", message)
}

func TestBitcoinEnvelope(t *testing.T) {
	t.Parallel()
	p, btcd := newProvider(config.BitcoinRPC, simulator.Behaviour{}), newBtcd(simulator.Behaviour{})
	call := `{"jsonrpc":"1.0","id":"x","method":"getblockcount","params":[]}`
	require.Equal(t, `{"result":1000,"error":null,"id":"x"}`+"\n", postTo(p, "/", call).body)
	require.Equal(t, `{"jsonrpc":"1.0","result":1000,"error":null,"id":"x"}`+"\n", postTo(btcd, "/", call).body)

	batch := postTo(p, "/", `[{"id":1,"method":"getblockcount"},{"id":2,"method":"nosuch"}]`)
	require.Equal(t, http.StatusOK, batch.status, "a batch hides the status of its items")
	require.JSONEq(t, `[{"result":1000,"error":null,"id":1},{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":2}]`, batch.body)
	require.Equal(t, "[]\n", postTo(p, "/", `[]`).body)

	got := get(p, "/")
	require.Equal(t, http.StatusMethodNotAllowed, got.status)
	require.Equal(t, "JSONRPC server handles only POST requests", got.body)
	got = postTo(p, "/", `xx`)
	require.Equal(t, http.StatusInternalServerError, got.status)
	require.JSONEq(t, `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}`, got.body)
}
