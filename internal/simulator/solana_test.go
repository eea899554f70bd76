package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

type solanaBlock struct {
	Hash       string   `json:"blockhash"`
	Previous   string   `json:"previousBlockhash"`
	Parent     uint64   `json:"parentSlot"`
	Height     uint64   `json:"blockHeight"`
	Time       int64    `json:"blockTime"`
	Signatures []string `json:"signatures"`
}

func TestSolanaBlocks(t *testing.T) {
	t.Parallel()
	p := newProvider(config.SolanaRPC, simulator.Behaviour{})
	c := p.Chain()
	require.Equal(t, uint64(968), result[uint64](t, p, "getSlot", `[]`), "finalized is the default")
	require.Equal(t, uint64(1000), result[uint64](t, p, "getSlot", `[{"commitment":"processed"}]`))
	require.Equal(t, uint64(1000), result[uint64](t, p, "getSlot", `[{"commitment":"confirmed"}]`))
	info := result[map[string]uint64](t, p, "getEpochInfo", `[{"commitment":"confirmed"}]`)
	require.Equal(t, uint64(1000), info["absoluteSlot"])
	require.Equal(t, uint64(1000), info["blockHeight"])
	require.Equal(t, solanaBlock{
		Hash: c.HashText(990), Previous: c.HashText(989), Parent: 989, Height: 990, Time: started.Add(-10 * time.Second).Unix(),
	}, result[solanaBlock](t, p, "getBlock", `[990,{"commitment":"confirmed","transactionDetails":"none","rewards":false,"maxSupportedTransactionVersion":0}]`))
	signed := result[solanaBlock](t, p, "getBlock", `[900,{"transactionDetails":"signatures"}]`)
	require.Len(t, signed.Signatures, len(c.Block(900).Transactions))
	require.Equal(t, uint64(900), result[struct {
		Slot uint64 `json:"slot"`
	}](t, p, "getTransaction", `["`+signed.Signatures[0]+`"]`).Slot)
	latest := result[struct {
		Value struct {
			Hash string `json:"blockhash"`
		} `json:"value"`
	}](t, p, "getLatestBlockhash", `[{"commitment":"confirmed"}]`)
	require.Equal(t, c.HashText(1000), latest.Value.Hash)
	require.Equal(t, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", result[string](t, p, "getGenesisHash", `[]`))
	require.Equal(t, started.Unix(), result[int64](t, p, "getBlockTime", `[1000]`))
	require.Len(t, result[[]map[string]any](t, p, "getClusterNodes", `[]`), 20)

	p.SetBehaviour(simulator.Behaviour{PrunedBelow: 500})
	require.Equal(t, uint64(500), result[uint64](t, p, "getFirstAvailableBlock", `[]`))
	cases := []struct {
		name, method, params string
		code                 int
		message              string
	}{
		{"pruned", "getBlock", `[5]`, -32001, "Block 5 cleaned up, does not exist on node. First available block: 500"},
		{"above the commitment", "getBlock", `[990]`, -32004, "Block not available for slot 990"},
		{"above the tip", "getBlockTime", `[1001]`, -32004, "Block not available for slot 1001"},
		{"below confirmed", "getBlock", `[990,{"commitment":"processed"}]`, -32602, "Method does not support commitment below `confirmed`"},
		{"before the context", "getSlot", `[{"commitment":"confirmed","minContextSlot":1001}]`, -32016, "Minimum context slot has not been reached"},
		{"unknown", "nosuch", `[]`, -32601, "Method not found"},
	}
	for _, c := range cases {
		code, message := failure(t, p, c.method, c.params)
		require.Equal(t, c.code, code, c.name)
		require.Equal(t, c.message, message, c.name)
	}
}

func TestSolanaSkipsSlots(t *testing.T) {
	t.Parallel()
	c := simulator.NewChain(simulator.ChainOptions{
		Name: "sol", Kind: config.Solana, BaseHeight: 1009, SkipEvery: 10, Now: func() time.Time { return started },
	})
	p := simulator.NewProvider(c, simulator.ProviderOptions{Name: "a", Type: config.SolanaRPC})
	const confirmed = `{"commitment":"confirmed"}`
	require.Equal(t, uint64(1008), result[uint64](t, p, "getSlot", `[`+confirmed+`]`), "slot 1009 has no block")
	require.Equal(t, uint64(1008-100), result[uint64](t, p, "getBlockHeight", `[`+confirmed+`]`), "every tenth is skipped")
	code, message := failure(t, p, "getBlock", `[999,`+confirmed+`]`)
	require.Equal(t, -32007, code)
	require.Equal(t, "Slot 999 was skipped, or missing due to ledger jump to recent snapshot", message)
	after := result[solanaBlock](t, p, "getBlock", `[1000,`+confirmed+`]`)
	require.Equal(t, uint64(998), after.Parent)
	require.Equal(t, c.HashText(998), after.Previous)
	require.Equal(t, result[solanaBlock](t, p, "getBlock", `[998,`+confirmed+`]`).Height+1, after.Height)
	require.Equal(t, []uint64{997, 998, 1000, 1001}, result[[]uint64](t, p, "getBlocks", `[997,1001,`+confirmed+`]`))
}

func TestSolanaHealthIsOnlyAWord(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name      string
		behaviour simulator.Behaviour
		want      string
	}{
		{"well", simulator.Behaviour{}, `{"jsonrpc":"2.0","id":1,"result":"ok"}`},
		{"a little behind is well", simulator.Behaviour{Lag: 128}, `{"jsonrpc":"2.0","id":1,"result":"ok"}`},
		{"behind", simulator.Behaviour{Lag: 213}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Node is behind by 213 slots","data":{"numSlotsBehind":213}}}`},
		{"behind and says it is not", simulator.Behaviour{Lag: 900, Health: simulator.HealthGood}, `{"jsonrpc":"2.0","id":1,"result":"ok"}`},
		{"well and says it is not", simulator.Behaviour{Health: simulator.HealthBad}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Node is unhealthy","data":{"numSlotsBehind":null}}}`},
	}
	for _, c := range cases {
		got := postTo(newProvider(config.SolanaRPC, c.behaviour), "/", `{"jsonrpc":"2.0","id":1,"method":"getHealth"}`)
		require.JSONEq(t, c.want, got.body, c.name)
	}
}
