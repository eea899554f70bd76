package chain

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// asking makes what asks a simulated provider, in memory. It declares all
// capabilities and expects the chain's network.
func asking(t *testing.T, asked *simulator.Provider) *Provider {
	t.Helper()
	chain := asked.Chain()
	c, declared := scriptedChain(t, chain.Kind(), asked.Type(), capabilityWords...)
	if asked.Type() == config.BlockchairREST {
		declared.RPCHost = mustURL(t, "https://provider.test/chain")
	}
	c.Network.Value = chain.Identity().Network
	p, err := New(c, declared)
	require.NoError(t, err)
	answeredBy(p, handled{asked})
	return p
}

// mustURL is an address that is one.
func mustURL(tb testing.TB, text string) config.URL {
	tb.Helper()
	address, err := config.ParseURL(text)
	require.NoError(tb, err)
	return address
}

// simulatedWithoutBlocks says whether the simulator's provider of a type tells
// its tip alone: Blockchair's ledgers.
func simulatedWithoutBlocks(typ config.Type, kind config.Kind) bool {
	return typ == config.BlockchairREST && (kind == config.XRPL || kind == config.Stellar)
}

// TestDialectsSeeTheSimulatedChain asks every type about a chain whose blocks
// are known: all find the same heights and hashes, now, later and after a
// reorganisation.
func TestDialectsSeeTheSimulatedChain(t *testing.T) {
	t.Parallel()
	for _, tc := range costCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			chain := simulator.NewChain(simulator.ChainOptions{Name: "seen", Kind: tc.kind})
			p := asking(t, simulator.NewProvider(chain, simulator.ProviderOptions{Name: "p", Type: tc.typ, Software: tc.software}))
			var previous Tip
			for _, step := range []func(){
				func() {}, func() {}, func() { chain.Advance(1) }, func() { chain.Advance(7) },
				func() { chain.Reorganise("other", 3); chain.Advance(1) },
			} {
				step()
				o, err := p.Observe(t.Context(), Ask{Identity: true, Previous: previous})
				require.NoError(t, err)
				requireSeen(t, chain, o)
				previous = o.Tip
				if simulatedWithoutBlocks(tc.typ, tc.kind) {
					continue
				}
				height := o.Height - 2
				block, err := p.Block(t.Context(), height, true)
				require.NoError(t, err)
				require.Equal(t, height, block.Height)
				require.Equal(t, chain.HashText(height), block.Hash)
			}
		})
	}
}

// requireSeen compares an observation with the chain itself.
func requireSeen(t *testing.T, chain *simulator.Chain, o Observation) {
	t.Helper()
	require.Equal(t, chain.Height(), o.Height)
	require.Equal(t, chain.Identity().Network, o.Identity)
	if o.Hash != "" {
		require.Equal(t, chain.HashText(o.Height), o.Hash)
	}
	if o.Parent != "" {
		require.Equal(t, chain.HashText(o.Height-1), o.Parent)
	}
	if !o.Time.IsZero() {
		require.Equal(t, chain.TimeOf(o.Height).Unix(), o.Time.Unix())
	}
}

// TestTransactionsThatAreLeftOut asks a type whose protocol tells how many there
// should be, and those that only count.
func TestTransactionsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		typ     config.Type
		kind    config.Kind
		missing int
	}{
		{config.BitcoinRPC, config.Bitcoin, 1}, {config.EsploraREST, config.Bitcoin, 0},
		{config.BlockchairREST, config.Bitcoin, 0}, {config.EVMRPC, config.EVM, 0},
	} {
		t.Run(string(tc.typ), func(t *testing.T) {
			t.Parallel()
			chain := simulator.NewChain(simulator.ChainOptions{Name: "left-out", Kind: tc.kind, Transactions: 9})
			asked := simulator.NewProvider(chain, simulator.ProviderOptions{Name: "p", Type: tc.typ})
			p := asking(t, asked)
			whole, err := p.Block(t.Context(), 990, true)
			require.NoError(t, err)
			require.Equal(t, len(chain.Block(990).Transactions), whole.Transactions.Value.Count)
			require.Zero(t, whole.Transactions.Value.Missing)
			asked.SetBehaviour(simulator.Behaviour{DropTransactions: 1})
			less, err := p.Block(t.Context(), 990, true)
			require.NoError(t, err)
			require.Equal(t, whole.Transactions.Value.Count-1, less.Transactions.Value.Count)
			require.Equal(t, tc.missing, less.Transactions.Value.Missing)
			require.Equal(t, whole.Hash, less.Hash)
		})
	}
}
