package chain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// costCases are all types, some of them more than once: what Blockchair costs
// depends on the family. Bitcoin Core tells the time of its tip from 23.0 on, so
// that a new block costs nothing there; the Cost is that of the others, and of
// btcd.
var costCases = []struct {
	name     string
	kind     config.Kind
	typ      config.Type
	software simulator.Software
}{
	{"bitcoin-rpc", config.Bitcoin, config.BitcoinRPC, simulator.SoftwareBtcd},
	{"blockchair-rest of Bitcoin", config.Bitcoin, config.BlockchairREST, ""},
	{"blockchair-rest of Ethereum", config.EVM, config.BlockchairREST, ""},
	{"blockchair-rest of the XRP Ledger", config.XRPL, config.BlockchairREST, ""},
	{"blockchair-rest of Stellar", config.Stellar, config.BlockchairREST, ""},
	{"esplora-rest", config.Bitcoin, config.EsploraREST, ""},
	{"evm-rpc", config.EVM, config.EVMRPC, ""},
	{"cometbft-rpc", config.Cosmos, config.CometBFTRPC, ""},
	{"cosmos-rest", config.Cosmos, config.CosmosREST, ""},
	{"xrpl-rpc", config.XRPL, config.XRPLRPC, ""},
	{"tron-http", config.Tron, config.TronHTTP, ""},
	{"solana-rpc", config.Solana, config.SolanaRPC, ""},
	{"soroban-rpc", config.Stellar, config.SorobanRPC, ""},
	{"horizon-rest", config.Stellar, config.HorizonREST, ""},
}

// capabilityWords are all words that a provider can declare.
var capabilityWords = []string{
	config.CapabilityWallet, config.CapabilityTxIndex, config.CapabilityArchive, config.CapabilityReceipts, config.CapabilityBatch,
}

func TestCostIsWhatAProviderReceives(t *testing.T) {
	t.Parallel()
	covered := map[config.Type]bool{}
	for _, tc := range costCases {
		covered[tc.typ] = true
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			chain := simulator.NewChain(simulator.ChainOptions{Name: tc.name, Kind: tc.kind})
			asked := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "p", Type: tc.typ, Software: tc.software})
			p := asking(t, asked)
			require.Empty(t, cmp.Diff(p.Cost(), costSeen(t, p, chain, asked)))
		})
	}
	for _, typ := range config.Types {
		require.True(t, covered[typ], "the cost of %s is not checked", typ)
	}
}

// costSeen counts what a provider receives for each question.
func costSeen(t *testing.T, p *Provider, chain *simulator.Chain, asked *simulator.Provider) config.Cost {
	t.Helper()
	var previous Tip
	probe := func(ask Ask) float64 {
		before := asked.Requests()
		ask.Previous = previous
		o, err := p.Observe(t.Context(), ask)
		require.NoError(t, err)
		previous = o.Tip
		return float64(asked.Requests() - before)
	}
	block := func(transactions bool) float64 {
		before := asked.Requests()
		_, err := p.Block(t.Context(), chain.Height()-5, transactions)
		if !simulatedWithoutBlocks(p.typ, chain.Kind()) {
			require.NoError(t, err)
		}
		return float64(asked.Requests() - before)
	}
	first := probe(Ask{})
	cost := config.Cost{Cycle: probe(Ask{})}
	chain.Advance(1)
	cost.NewBlock = probe(Ask{}) - cost.Cycle
	require.Equal(t, first, cost.Cycle+cost.NewBlock, "the first look")
	cost.Identity = probe(Ask{Identity: true}) - cost.Cycle
	cost.Hints = probe(Ask{Hints: true}) - cost.Cycle
	cost.Capabilities = probe(Ask{Capabilities: true}) - cost.Cycle
	cost.Block = block(false)
	cost.BlockTransactions = block(true) - cost.Block
	return cost
}
