package simulator_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

const cosmosBlocks = "/cosmos/base/tendermint/v1beta1/blocks/"

// cosmosBlock is what a client reads of a block; it is the same in both
// dialects.
type cosmosBlock struct {
	BlockID struct {
		Hash string `json:"hash"`
	} `json:"block_id"`
	Block struct {
		Header struct {
			ChainID     string `json:"chain_id"`
			Height      string `json:"height"`
			Time        string `json:"time"`
			LastBlockID struct {
				Hash string `json:"hash"`
			} `json:"last_block_id"`
		} `json:"header"`
		Data struct {
			Txs []string `json:"txs"`
		} `json:"data"`
	} `json:"block"`
}

// cometbftGet asks by GET, and decodes the result.
func cometbftGet[T any](t *testing.T, p http.Handler, path string) T {
	t.Helper()
	var out struct {
		ID     int `json:"id"`
		Result T   `json:"result"`
	}
	got := get(p, path)
	require.Equal(t, http.StatusOK, got.status, got.body)
	got.decode(t, &out)
	require.Equal(t, -1, out.ID)
	return out.Result
}

func TestCosmosDialectsAgree(t *testing.T) {
	t.Parallel()
	c := newChain(config.Cosmos)
	comet := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.CometBFTRPC})
	rest := simulator.NewProvider(c, simulator.ProviderOptions{Name: "b", Type: config.CosmosREST})
	for _, height := range []string{"2", "999", "1000"} {
		a := cometbftGet[cosmosBlock](t, comet, "/block?height="+height)
		var b cosmosBlock
		get(rest, cosmosBlocks+height).decode(t, &b)
		upper := func(text string) string {
			raw, err := base64.StdEncoding.DecodeString(text)
			require.NoError(t, err)
			return strings.ToUpper(hex.EncodeToString(raw))
		}
		require.Equal(t, a.BlockID.Hash, upper(b.BlockID.Hash))
		require.Equal(t, a.Block.Header.LastBlockID.Hash, upper(b.Block.Header.LastBlockID.Hash))
		require.Equal(t, height, a.Block.Header.Height)
		require.Equal(t, a.Block.Header.Time, b.Block.Header.Time)
		require.Equal(t, a.Block.Data, b.Block.Data)
		require.Equal(t, "cosmoshub-4", a.Block.Header.ChainID)
		require.Equal(t, "cosmoshub-4", b.Block.Header.ChainID)
	}
	require.Equal(t, c.Hash(1000).Upper(), cometbftGet[cosmosBlock](t, comet, "/block").BlockID.Hash)
	require.Len(t, cometbftGet[cosmosBlock](t, comet, `/block?height="5"`).Block.Data.Txs, len(c.Block(5).Transactions))
}

func TestCometBFTStatus(t *testing.T) {
	t.Parallel()
	type status struct {
		NodeInfo struct {
			Network string `json:"network"`
		} `json:"node_info"`
		SyncInfo struct {
			Hash     string `json:"latest_block_hash"`
			Height   string `json:"latest_block_height"`
			Time     string `json:"latest_block_time"`
			Earliest string `json:"earliest_block_height"`
			Catching bool   `json:"catching_up"`
		} `json:"sync_info"`
	}
	p := newProvider(config.CometBFTRPC, simulator.Behaviour{})
	got := cometbftGet[status](t, p, "/status")
	require.Equal(t, "cosmoshub-4", got.NodeInfo.Network)
	require.Equal(t, p.Chain().Hash(1000).Upper(), got.SyncInfo.Hash)
	require.Equal(t, "1000", got.SyncInfo.Height)
	require.Equal(t, "2026-03-01T12:00:00Z", got.SyncInfo.Time)
	require.Equal(t, "1", got.SyncInfo.Earliest)
	require.False(t, got.SyncInfo.Catching)
	require.Equal(t, got, result[status](t, p, "status", `{}`), "both verbs say the same")
	require.Equal(t, "5", cometbftGet[map[string]any](t, p, "/net_info")["n_peers"])
	require.Empty(t, cometbftGet[map[string]any](t, p, "/health"))

	p.SetBehaviour(simulator.Behaviour{Syncing: true, Lag: 100, PrunedBelow: 700, Identity: simulator.Identity{Network: "noble-1"}})
	got = cometbftGet[status](t, p, "/status")
	require.Equal(t, "noble-1", got.NodeInfo.Network)
	require.Equal(t, "900", got.SyncInfo.Height)
	require.Equal(t, "700", got.SyncInfo.Earliest)
	require.True(t, got.SyncInfo.Catching)

	p.SetBehaviour(simulator.Behaviour{Syncing: true, Height: new(uint64)})
	got = cometbftGet[status](t, p, "/status")
	require.Equal(t, "0", got.SyncInfo.Height, "a node without a block")
	require.Empty(t, got.SyncInfo.Hash)
}

func TestCometBFTErrorsDependOnTheVerb(t *testing.T) {
	t.Parallel()
	p := newProvider(config.CometBFTRPC, simulator.Behaviour{PrunedBelow: 700})
	const high = "height 99999 must be less than or equal to the current blockchain height 1000"
	byGet := get(p, "/block?height=99999")
	require.Equal(t, http.StatusInternalServerError, byGet.status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"`+high+`"}}`, byGet.body)
	byPost := postTo(p, "/", `{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":"99999"}}`)
	require.Equal(t, http.StatusOK, byPost.status)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":"`+high+`"}}`, byPost.body)
	require.Contains(t, get(p, "/block?height=5").body, "height 5 is not available, lowest height is 700")
	require.Equal(t, answer{status: http.StatusNotFound, body: "404 page not found\n"},
		answer{status: get(p, "/nosuch").status, body: get(p, "/nosuch").body})
	code, _ := failure(t, p, "nosuch", `{}`)
	require.Equal(t, -32601, code)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, postTo(p, "/", `[{"jsonrpc":"2.0","id":1,"method":"health"}]`).body,
		"a batch of one is answered without an array")
	p.SetBehaviour(simulator.Behaviour{MissingNewest: 2})
	require.Contains(t, get(p, "/block?height=1000").body, `"block":null`)
}

func TestCosmosREST(t *testing.T) {
	t.Parallel()
	p := newProvider(config.CosmosREST, simulator.Behaviour{PrunedBelow: 700, Syncing: true})
	var latest cosmosBlock
	get(p, cosmosBlocks+"latest").decode(t, &latest)
	require.Equal(t, p.Chain().Hash(1000).Base64(), latest.BlockID.Hash)
	require.JSONEq(t, `{"syncing":true}`, get(p, "/cosmos/base/tendermint/v1beta1/syncing").body)
	var node struct {
		Default struct {
			Network string `json:"network"`
		} `json:"default_node_info"`
	}
	get(p, "/cosmos/base/tendermint/v1beta1/node_info").decode(t, &node)
	require.Equal(t, "cosmoshub-4", node.Default.Network)

	cases := []struct {
		name, path string
		status     int
		code       int
		message    string
	}{
		{"above the tip", cosmosBlocks + "1001", 400, 3, "requested block height is bigger then the chain length"},
		{"pruned", cosmosBlocks + "5", 500, 2, "height 5 is not available, lowest height is 700"},
		{"zero", cosmosBlocks + "0", 500, 2, "height must be greater than 0, but got 0"},
		{"not offered", "/cosmos/nosuch", 501, 12, "Not Implemented"},
	}
	for _, c := range cases {
		var got struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		a := get(p, c.path)
		a.decode(t, &got)
		require.Equal(t, c.status, a.status, c.name)
		require.Equal(t, c.code, got.Code, c.name)
		require.Equal(t, c.message, got.Message, c.name)
	}
}
