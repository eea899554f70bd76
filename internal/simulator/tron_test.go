package simulator_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// tronBlock is what a client reads of a block.
type tronBlock struct {
	BlockID string `json:"blockID"`
	Header  struct {
		Raw struct {
			Number    *uint64 `json:"number"`
			Timestamp int64   `json:"timestamp"`
			Parent    string  `json:"parentHash"`
		} `json:"raw_data"`
	} `json:"block_header"`
	Transactions []struct {
		TxID string `json:"txID"`
	} `json:"transactions"`
}

func tron[T any](t *testing.T, p http.Handler, path, body string) (out T) {
	t.Helper()
	got := postTo(p, path, body)
	require.Equal(t, http.StatusOK, got.status)
	got.decode(t, &out)
	return out
}

func TestTronBlocks(t *testing.T) {
	t.Parallel()
	p := newProvider(config.TronHTTP, simulator.Behaviour{})
	c := p.Chain()
	now := tron[tronBlock](t, p, "/wallet/getnowblock", ``)
	require.Equal(t, c.HashText(1000), now.BlockID)
	require.Equal(t, uint64(1000), *now.Header.Raw.Number)
	require.Equal(t, started.UnixMilli(), now.Header.Raw.Timestamp)
	require.Equal(t, c.HashText(999), now.Header.Raw.Parent)
	require.Len(t, now.Transactions, len(c.Block(1000).Transactions))
	require.Equal(t, now, tron[tronBlock](t, p, "/wallet/getblockbynum", `{"num":1000}`))
	require.Equal(t, now, tron[tronBlock](t, p, "/wallet/getblockbyid", `{"value":"`+now.BlockID+`"}`))
	require.Equal(t, now, tron[tronBlock](t, p, "/wallet/getblock", `{"detail":true}`))
	brief := tron[tronBlock](t, p, "/wallet/getblock", `{"detail":false}`)
	require.Equal(t, now.BlockID, brief.BlockID)
	require.Empty(t, brief.Transactions)
	require.Equal(t, c.HashText(900), tron[tronBlock](t, p, "/wallet/getblock", `{"id_or_num":"900"}`).BlockID)
	require.Equal(t, c.HashText(981), tron[tronBlock](t, p, "/walletsolidity/getnowblock", ``).BlockID, "19 blocks below")

	first := tron[tronBlock](t, p, "/wallet/getblockbynum", `{"num":0}`)
	require.Equal(t, c.Identity().Network, first.BlockID)
	require.Nil(t, first.Header.Raw.Number, "what is zero is left out")
	for path, body := range map[string]string{
		"/wallet/getblockbynum": `{"num":1001}`, "/wallet/getblock": `{"id_or_num":"1001"}`, "/wallet/gettransactionbyid": `{"value":"00"}`,
	} {
		require.Equal(t, "{}", postTo(p, path, body).body, path)
	}
	require.Equal(t, http.StatusNotFound, postTo(p, "/wallet/nosuch", `{}`).status)

	p.SetBehaviour(simulator.Behaviour{DropTransactions: 100})
	require.NotContains(t, postTo(p, "/wallet/getnowblock", ``).body, `"transactions"`, "an empty list is left out, too")
}

func TestTronNode(t *testing.T) {
	t.Parallel()
	p := newProvider(config.TronHTTP, simulator.Behaviour{Peers: 3})
	c := p.Chain()
	node := tron[struct {
		Block    string           `json:"block"`
		Solidity string           `json:"solidityBlock"`
		Count    int              `json:"currentConnectCount"`
		Peers    []map[string]any `json:"peerList"`
	}](t, p, "/wallet/getnodeinfo", ``)
	require.Equal(t, "Num:1000,ID:"+c.HashText(1000), node.Block)
	require.Equal(t, "Num:981,ID:"+c.HashText(981), node.Solidity)
	require.Equal(t, 3, node.Count)
	require.Len(t, node.Peers, 3)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":"0x2b6653dc"}`, postTo(p, "/jsonrpc", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`).body)
}
