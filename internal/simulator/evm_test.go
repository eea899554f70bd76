package simulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// evmBlock is what a client reads of a block.
type evmBlock struct {
	Number       string   `json:"number"`
	Hash         string   `json:"hash"`
	ParentHash   string   `json:"parentHash"`
	Timestamp    string   `json:"timestamp"`
	Transactions []string `json:"transactions"`
	Root         string   `json:"transactionsRoot"`
}

func TestEVMBlocks(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	c := p.Chain()
	latest := result[evmBlock](t, p, "eth_getBlockByNumber", `["latest",false]`)
	want := c.Block(1000)
	require.Equal(t, evmBlock{
		Number: "0x3e8", Hash: want.Hash.Prefixed(), ParentHash: c.Hash(999).Prefixed(),
		Timestamp: fmt.Sprintf("%#x", started.Unix()), Transactions: latest.Transactions, Root: latest.Root,
	}, latest)
	require.Len(t, latest.Transactions, len(want.Transactions))
	require.Equal(t, want.Transactions[0].Prefixed(), latest.Transactions[0])
	require.Equal(t, latest, result[evmBlock](t, p, "eth_getBlockByHash", `["`+latest.Hash+`",false]`))
	require.Equal(t, latest, result[evmBlock](t, p, "eth_getBlockByNumber", `["0x3e8",false]`))
	require.Equal(t, c.Hash(968).Prefixed(), result[evmBlock](t, p, "eth_getBlockByNumber", `["safe",false]`).Hash)
	require.Equal(t, c.Hash(936).Prefixed(), result[evmBlock](t, p, "eth_getBlockByNumber", `["finalized",false]`).Hash)
	require.Equal(t, c.Identity().Genesis, strings.TrimPrefix(result[evmBlock](t, p, "eth_getBlockByNumber", `["0x0",false]`).Hash, "0x"))
	require.Equal(t, "null", string(rpc(t, p, "eth_getBlockByNumber", `["0x3e9",false]`).Result), "what is not there is null")
	require.Equal(t, "null", string(rpc(t, p, "eth_getBlockByHash", `["0x`+strings.Repeat("1", 64)+`",false]`).Result))
	require.Equal(t, fmt.Sprintf("%#x", len(latest.Transactions)), result[string](t, p, "eth_getBlockTransactionCountByNumber", `["0x3e8"]`))

	receipts := result[[]struct {
		TransactionHash string `json:"transactionHash"`
		BlockHash       string `json:"blockHash"`
		Status          string `json:"status"`
	}](t, p, "eth_getBlockReceipts", `["latest"]`)
	require.Len(t, receipts, len(latest.Transactions))
	for i, r := range receipts {
		require.Equal(t, latest.Transactions[i], r.TransactionHash)
		require.Equal(t, latest.Hash, r.BlockHash)
	}
	full := result[struct {
		Transactions []struct {
			Hash        string `json:"hash"`
			BlockNumber string `json:"blockNumber"`
		} `json:"transactions"`
	}](t, p, "eth_getBlockByNumber", `["latest",true]`)
	require.Equal(t, latest.Transactions[0], full.Transactions[0].Hash)
	found := result[struct {
		TransactionIndex string `json:"transactionIndex"`
	}](t, p, "eth_getTransactionReceipt", `["`+latest.Transactions[0]+`"]`)
	require.Equal(t, "0x0", found.TransactionIndex)
	require.Equal(t, "null", string(rpc(t, p, "eth_getTransactionByHash", `["`+latest.Hash+`"]`).Result))
}

func TestEVMOfANetwork(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	require.Equal(t, "0x1", result[string](t, p, "eth_chainId", `[]`))
	require.Equal(t, "1", result[string](t, p, "net_version", `[]`))
	require.Equal(t, "0x3e8", result[string](t, p, "eth_blockNumber", `[]`))
	require.Equal(t, "0x19", result[string](t, p, "net_peerCount", `[]`))
	require.False(t, result[bool](t, p, "eth_syncing", `[]`))
	require.Equal(t, "0xde0b6b3a7640000", result[string](t, p, "eth_getBalance", `["0x0000000000000000000000000000000000000000","latest"]`))
	require.Regexp(t, `^0x[0-9a-f]{64}$`, result[string](t, p, "eth_sendRawTransaction", `["0x02f8"]`))

	code, message := failure(t, p, "eth_nosuch", `[]`)
	require.Equal(t, -32601, code)
	require.Equal(t, "the method eth_nosuch does not exist/is not available", message)
	_, message = failure(t, p, "eth_getBalance", `["0x00","0x3e9"]`)
	require.Equal(t, "header not found", message)
	code, _ = failure(t, p, "eth_getBlockByNumber", `["12",false]`)
	require.Equal(t, -32602, code)

	p.SetBehaviour(simulator.Behaviour{
		Identity: simulator.Identity{Network: "56"}, Syncing: true, Lag: 10, Peers: -1, PrunedBelow: 900,
	})
	require.Equal(t, "0x38", result[string](t, p, "eth_chainId", `[]`))
	require.NotEqual(t, "0x"+p.Chain().Identity().Genesis, result[evmBlock](t, p, "eth_getBlockByNumber", `["earliest",false]`).Hash)
	require.Equal(t, map[string]string{"startingBlock": "0x0", "currentBlock": "0x3de", "highestBlock": "0x3e8"},
		result[map[string]string](t, p, "eth_syncing", `[]`))
	code, _ = failure(t, p, "net_peerCount", `[]`)
	require.Equal(t, -32601, code)
	code, message = failure(t, p, "eth_getBlockByNumber", `["0x1",false]`)
	require.Equal(t, 4444, code)
	require.Equal(t, "pruned history unavailable", message)
	_, message = failure(t, p, "eth_getBalance", `["0x00","0x1"]`)
	require.Contains(t, message, "missing trie node")
}

func TestEVMBatches(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{})
	batch := `[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":"b","method":"nosuch"},{"jsonrpc":"2.0","id":3,"method":"eth_blockNumber"}]`
	const good = `[{"jsonrpc":"2.0","id":1,"result":"0x1"},{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"the method nosuch does not exist/is not available"}},{"jsonrpc":"2.0","id":3,"result":"0x3e8"}]`
	require.JSONEq(t, good, postTo(p, "/", batch).body)

	cases := []struct {
		name  string
		batch simulator.Batch
		check func(t *testing.T, body string)
	}{
		{"refused as a whole", simulator.BatchRefused, func(t *testing.T, body string) {
			require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}`, body)
		}},
		{"answered with one object", simulator.BatchObject, func(t *testing.T, body string) {
			require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":"0x1"}`, body)
		}},
		{"answered out of order", simulator.BatchReversed, func(t *testing.T, body string) {
			var items []rpcAnswer
			require.NoError(t, json.Unmarshal([]byte(body), &items))
			require.Equal(t, []string{"3", `"b"`, "1"}, []string{string(items[0].ID), string(items[1].ID), string(items[2].ID)})
		}},
		{"answered without the last item", simulator.BatchShort, func(t *testing.T, body string) {
			var items []rpcAnswer
			require.NoError(t, json.Unmarshal([]byte(body), &items))
			require.Len(t, items, 2)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p.SetBehaviour(simulator.Behaviour{Batch: c.batch})
			got := postTo(p, "/", batch)
			require.Equal(t, http.StatusOK, got.status)
			c.check(t, got.body)
		})
	}
	p.SetBehaviour(simulator.Behaviour{})
	large := "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},`, 1000) + `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]`
	require.Contains(t, postTo(p, "/", large).body, "batch too large")
}

func BenchmarkEVMAnswer(b *testing.B) {
	p := simulator.NewProvider(newChain(config.EVM), simulator.ProviderOptions{Name: "a", Type: config.EVMRPC, Remember: -1})
	body := `[{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]},{"jsonrpc":"2.0","id":2,"method":"eth_syncing","params":[]},{"jsonrpc":"2.0","id":3,"method":"net_peerCount","params":[]}]`
	b.ReportAllocs()
	for b.Loop() {
		if got := postTo(p, "/", body); got.status != http.StatusOK {
			b.Fatal(got)
		}
	}
}
