package chain

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// handled is a transport that hands each request to a handler, without sockets.
type handled struct{ http.Handler }

// RoundTrip answers one request.
func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// simulated is a provider of a simulated chain.
func simulated(tb testing.TB, c *simulator.Chain, typ config.Type, b simulator.Behaviour) *Provider {
	tb.Helper()
	network, p := scriptedChain(tb, c.Kind(), typ)
	made, err := New(network, p)
	require.NoError(tb, err)
	answeredBy(made, handled{simulator.NewProvider(c, simulator.ProviderOptions{Name: "p", Type: typ, Behaviour: b})})
	return made
}

// inTheYear2026 runs a test in a bubble whose clock is past the year 2000, with
// which it begins: before it, the XRP Ledger has no time.
func inTheYear2026(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)))
			test(t)
		})
	})
}

// simulatedType is what a type tells of a simulated chain.
type simulatedType struct {
	typ config.Type
	// Whether a tip has a hash and names its parent, a block names its parent,
	// and its transactions are told.
	tipHash, tipParent, parent, transactions bool
	hints                                    Hints
	// pruned is what a block says that is no longer kept; nil if that cannot be
	// told from one that is not there.
	pruned error
}

var simulatedTypes = []simulatedType{
	{config.CometBFTRPC, true, false, true, true, Hints{Some(false), Some(5)}, ErrPruned},
	{config.CosmosREST, true, true, true, true, Hints{Syncing: Some(false)}, ErrPruned},
	{config.XRPLRPC, true, false, true, true, Hints{Some(false), Some(21)}, nil},
	{config.TronHTTP, true, true, true, true, Hints{Peers: Some(30)}, nil},
	{config.SolanaRPC, true, false, true, true, Hints{Syncing: Some(false)}, ErrPruned},
	{config.SorobanRPC, true, false, false, false, Hints{Syncing: Some(false)}, ErrPruned},
	{config.HorizonREST, false, false, true, true, Hints{Syncing: Some(false)}, ErrPruned},
}

// simulatedChain is a chain of a type's family that moves every five seconds.
func simulatedChain(typ config.Type) *simulator.Chain {
	return simulator.NewChain(simulator.ChainOptions{Name: "simulated", Kind: typ.Kind(), BlockTime: 5 * time.Second})
}

// wantedTip is the tip that a type tells when the chain is at a height.
func (st simulatedType) wantedTip(c *simulator.Chain, height uint64) Tip {
	tip := Tip{Height: height, Time: c.TimeOf(height).UTC(), Hints: st.hints}
	if st.tipHash {
		tip.Hash = c.HashText(height)
	}
	if st.tipParent {
		tip.Parent = c.HashText(height - 1)
	}
	return tip
}

func TestSimulatedProviders(t *testing.T) {
	t.Parallel()
	for _, st := range simulatedTypes {
		inTheYear2026(t, string(st.typ), func(t *testing.T) {
			c := simulatedChain(st.typ)
			p := simulated(t, c, st.typ, simulator.Behaviour{})
			var previous Tip
			for range 3 {
				o, err := p.Observe(t.Context(), Ask{Identity: true, Hints: true, Capabilities: true, Previous: previous})
				require.NoError(t, err)
				want := st.wantedTip(c, c.Height())
				want.Network = o.Tip.Network
				require.Empty(t, cmp.Diff(want, o.Tip))
				require.Equal(t, c.Identity().Network, o.Identity)
				require.True(t, o.Tip.Follows(previous, 2000))
				previous = o.Tip
				time.Sleep(7 * time.Second)
			}
			for height := c.Height() - 5; height <= c.Height(); height++ {
				got, err := p.Block(t.Context(), height, true)
				require.NoError(t, err)
				requireSimulatedBlock(t, c, st, got, height)
			}
		})
	}
}

// requireSimulatedBlock asserts that a block is the chain's own of a height.
func requireSimulatedBlock(t *testing.T, c *simulator.Chain, st simulatedType, got Block, height uint64) {
	t.Helper()
	want := Block{Height: height, Hash: c.HashText(height), Time: c.TimeOf(height).UTC(), Transactions: got.Transactions}
	if st.parent {
		want.Parent = c.HashText(height - 1)
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Equal(t, st.transactions, got.Transactions.Known)
	if st.transactions {
		require.Equal(t, len(c.Block(height).Transactions), got.Transactions.Value.Count)
	}
}

func TestSimulatedBlocksThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, st := range simulatedTypes {
		inTheYear2026(t, string(st.typ), func(t *testing.T) {
			c := simulatedChain(st.typ)
			p := simulated(t, c, st.typ, simulator.Behaviour{PrunedBelow: c.Height() - 10})
			_, err := p.Block(t.Context(), c.Height()+1, false)
			requireFailure(t, err, Missing)
			_, err = p.Block(t.Context(), c.Height()-11, false)
			if st.pruned == nil {
				requireFailure(t, err, Missing)
			} else {
				require.ErrorIs(t, err, st.pruned)
			}
			_, err = p.Block(t.Context(), c.Height()-10, false)
			require.NoError(t, err)
		})
	}
}

func TestSimulatedForksAndLostTransactions(t *testing.T) {
	t.Parallel()
	for _, st := range simulatedTypes {
		inTheYear2026(t, string(st.typ), func(t *testing.T) {
			c := simulatedChain(st.typ)
			from := c.Height() - 3
			fork := simulated(t, c, st.typ, simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: from}, DropTransactions: 1})
			main := simulated(t, c, st.typ, simulator.Behaviour{})
			for height := from - 2; height < from+2; height++ {
				a, err := main.Block(t.Context(), height, true)
				require.NoError(t, err)
				b, err := fork.Block(t.Context(), height, true)
				require.NoError(t, err)
				require.Equal(t, height < from, a.Hash == b.Hash)
				if st.transactions && height < from {
					require.Equal(t, a.Transactions.Value.Count-1, b.Transactions.Value.Count)
				}
			}
		})
	}
}

func TestSimulatedProvidersThatAreNotWell(t *testing.T) {
	t.Parallel()
	fine := Reason("")
	for _, tc := range []struct {
		name      string
		behaviour simulator.Behaviour
		want      map[config.Type]Reason
	}{
		{"starting", simulator.Behaviour{Starting: true}, map[config.Type]Reason{
			config.XRPLRPC: Starting, config.SorobanRPC: Starting,
		}},
		{"null results", simulator.Behaviour{NullResults: true}, map[config.Type]Reason{
			config.CometBFTRPC: BadResponse, config.XRPLRPC: BadResponse, config.SolanaRPC: BadResponse, config.SorobanRPC: BadResponse,
		}},
		{"the id of another request", simulator.Behaviour{WrongID: true}, map[config.Type]Reason{
			config.CometBFTRPC: fine, config.XRPLRPC: BadResponse, config.SolanaRPC: BadResponse, config.SorobanRPC: BadResponse,
		}},
	} {
		for typ, want := range tc.want {
			inTheYear2026(t, tc.name+", "+string(typ), func(t *testing.T) {
				_, err := simulated(t, simulatedChain(typ), typ, tc.behaviour).Observe(t.Context(), Ask{})
				if want == fine {
					require.NoError(t, err)
					return
				}
				requireFailure(t, err, want)
			})
		}
	}
}

func TestSimulatedHeightsInTheWrongForm(t *testing.T) {
	t.Parallel()
	forms := []simulator.Number{
		simulator.NumberOtherType, simulator.NumberFraction, simulator.NumberNegative, simulator.Number63, simulator.Number64,
		simulator.NumberLeadingZero, simulator.NumberLetters, simulator.NumberNull,
	}
	for _, st := range simulatedTypes {
		for _, form := range forms {
			inTheYear2026(t, string(st.typ)+", "+string(form), func(t *testing.T) {
				c := simulatedChain(st.typ)
				p := simulated(t, c, st.typ, simulator.Behaviour{Heights: form})
				_, err := p.Observe(t.Context(), Ask{})
				requireFailure(t, err, BadResponse)
				if st.typ == config.SolanaRPC {
					return // its blocks do not repeat the slot
				}
				_, err = p.Block(t.Context(), c.Height(), false)
				requireFailure(t, err, BadResponse)
			})
		}
	}
}

func TestSimulatedSyncingIsAHint(t *testing.T) {
	t.Parallel()
	for _, typ := range []config.Type{config.CometBFTRPC, config.CosmosREST, config.XRPLRPC} {
		inTheYear2026(t, string(typ), func(t *testing.T) {
			o, err := simulated(t, simulatedChain(typ), typ, simulator.Behaviour{Syncing: true}).Observe(t.Context(), Ask{Hints: true})
			require.NoError(t, err)
			require.Equal(t, Some(true), o.Hints.Syncing)
		})
	}
	for _, typ := range []config.Type{config.SolanaRPC, config.SorobanRPC} {
		inTheYear2026(t, string(typ), func(t *testing.T) {
			o, err := simulated(t, simulatedChain(typ), typ, simulator.Behaviour{Health: simulator.HealthBad}).Observe(t.Context(), Ask{Hints: true})
			require.NoError(t, err)
			require.Equal(t, Some(true), o.Hints.Syncing)
		})
	}
	inTheYear2026(t, string(config.HorizonREST), func(t *testing.T) {
		o, err := simulated(t, simulatedChain(config.HorizonREST), config.HorizonREST, simulator.Behaviour{Lag: maxIngestLag + 1}).Observe(t.Context(), Ask{})
		require.NoError(t, err)
		require.Equal(t, Some(true), o.Hints.Syncing)
	})
}

func TestSimulatedHashesAgreeAcrossTypes(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]config.Type{
		{config.CometBFTRPC, config.CosmosREST}, {config.SorobanRPC, config.HorizonREST},
	} {
		inTheYear2026(t, string(pair[0])+" and "+string(pair[1]), func(t *testing.T) {
			c := simulatedChain(pair[0])
			a, b := simulated(t, c, pair[0], simulator.Behaviour{}), simulated(t, c, pair[1], simulator.Behaviour{})
			for height := c.Height() - 5; height <= c.Height(); height++ {
				one, err := a.Block(t.Context(), height, false)
				require.NoError(t, err)
				other, err := b.Block(t.Context(), height, false)
				require.NoError(t, err)
				require.Equal(t, one.Hash, other.Hash)
				require.Equal(t, one.Time, other.Time)
			}
			ask := Ask{Identity: true}
			one, err := a.Observe(t.Context(), ask)
			require.NoError(t, err)
			other, err := b.Observe(t.Context(), ask)
			require.NoError(t, err)
			require.Equal(t, one.Identity, other.Identity)
			require.Equal(t, one.Height, other.Height)
		})
	}
}

func TestSimulatedSkippedSlots(t *testing.T) {
	t.Parallel()
	inTheYear2026(t, "every fourth", func(t *testing.T) {
		c := simulator.NewChain(simulator.ChainOptions{Name: "simulated", Kind: config.Solana, BlockTime: 400 * time.Millisecond, SkipEvery: 4})
		p := simulated(t, c, config.SolanaRPC, simulator.Behaviour{})
		for range 12 {
			o, err := p.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			block, err := p.Block(t.Context(), o.Height, false)
			require.NoError(t, err, "a tip is never a skipped slot")
			require.Equal(t, o.Hash, block.Hash, "getLatestBlockhash tells the hash of its own slot")
			require.Equal(t, o.Time, block.Time)
			time.Sleep(400 * time.Millisecond)
		}
		for slot := uint64(990); slot < 1000; slot++ {
			_, err := p.Block(t.Context(), slot, false)
			require.Equal(t, slot%4 == 3, errors.Is(err, ErrSkipped), "slot %d: %v", slot, err)
		}
	})
}
