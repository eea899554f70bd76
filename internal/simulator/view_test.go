package simulator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

func TestHeightThatAProviderSees(t *testing.T) {
	t.Parallel()
	// The chain is at 1000 when the behaviour begins, and at 1100 when it is
	// looked at.
	cases := []struct {
		name      string
		behaviour simulator.Behaviour
		first     uint64
		later     uint64
	}{
		{"all of it", simulator.Behaviour{}, 1000, 1100},
		{"a lag", simulator.Behaviour{Lag: 7}, 993, 1093},
		{"a lead", simulator.Behaviour{Lag: -7}, 1007, 1107},
		{"a lag below the first block", simulator.Behaviour{Lag: 5000}, 0, 0},
		{"frozen when it began", simulator.Behaviour{Freeze: true}, 1000, 1000},
		{"frozen and lagging", simulator.Behaviour{Freeze: true, Lag: 7}, 993, 993},
		{"frozen at a height", simulator.Behaviour{FreezeAt: 1050}, 1000, 1050},
		{"half as fast", simulator.Behaviour{Pace: 0.5, Lag: 10}, 990, 1040},
		{"a claim", simulator.Behaviour{Height: new(uint64(50_000_000)), Lag: 7}, 50_000_000, 50_000_000},
		{"a claim of nothing", simulator.Behaviour{Height: new(uint64)}, 0, 0},
		{"out of a cache of a minute", simulator.Behaviour{Cache: time.Minute}, 1000, 1090},
	}
	for _, c := range cases {
		chain, clock := ticking(config.EVM)
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a", Type: config.EVMRPC})
		p.SetBehaviour(c.behaviour)
		require.Equal(t, c.first, p.Height(), c.name)
		*clock = clock.Add(200 * time.Second)
		require.Equal(t, c.later, p.Height(), c.name)
	}
}

func TestBackendsBehindOneURL(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{Backends: []int64{0, 3, 25}})
	var heights []string
	for range 6 {
		heights = append(heights, result[string](t, p, "eth_blockNumber", `[]`))
	}
	require.Equal(t, []string{"0x3e8", "0x3e5", "0x3cf", "0x3e8", "0x3e5", "0x3cf"}, heights)
	require.Equal(t, "0x3e8", result[string](t, p, "eth_blockNumber", `[]`))
	require.Equal(t, "null", string(rpc(t, p, "eth_getBlockByNumber", `["0x3e8",false]`).Result),
		"another backend does not have what one announced")
}

func TestBlocksThatAreNotThere(t *testing.T) {
	t.Parallel()
	p := newProvider(config.EVMRPC, simulator.Behaviour{MissingNewest: 2, Missing: []simulator.Range{{From: 900, To: 910}}})
	require.Equal(t, "0x3e8", result[string](t, p, "eth_blockNumber", `[]`), "announced")
	for height, there := range map[string]bool{"0x3e8": false, "0x3e7": false, "0x3e6": true, "0x384": false, "0x38e": false, "0x38f": true, "0x383": true} {
		got := string(rpc(t, p, "eth_getBlockByNumber", `["`+height+`",false]`).Result)
		require.Equal(t, there, got != "null", height)
	}
}

func TestForksPartFromTheChain(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		chain := newChain(kind)
		main := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "a"})
		forked := simulator.NewProvider(chain, simulator.ProviderOptions{
			Name: "b", Behaviour: simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: 990}},
		})
		require.Equal(t, main.Hash(989), forked.Hash(989), kind)
		require.NotEqual(t, main.Hash(990), forked.Hash(990), kind)
		require.NotEqual(t, main.Hash(1000), forked.Hash(1000), kind)
	}
	forked := newProvider(config.BitcoinRPC, simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: 990}})
	header := result[bitcoinHeader](t, forked, "getblockheader", `["`+forked.Hash(990).Hex()+`"]`)
	require.Equal(t, forked.Chain().HashText(989), header.Previous, "the fork has the common block for its parent")
	code, _ := failure(t, forked, "getblockheader", `["`+forked.Chain().HashText(990)+`"]`)
	require.Equal(t, -5, code, "and does not know the block of the chain")
}

func TestABlockOfTheFutureIsNotDated(t *testing.T) {
	t.Parallel()
	p := newProvider(config.BitcoinRPC, simulator.Behaviour{Lag: -100})
	header := result[bitcoinHeader](t, p, "getblockheader", `["`+p.Hash(1100).Hex()+`"]`)
	require.Equal(t, started.Unix(), header.Time)
}
