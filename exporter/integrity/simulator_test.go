package integrity

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// simulated is a simulated chain under a checker, with real requests between
// them. Rounds are done by hand.
type simulated struct {
	t         *testing.T
	checker   *Checker
	spec      Chain
	mu        sync.Mutex
	tips      []Tip
	providers map[string]*simulator.Provider
	blocks    map[string]*chain.Provider
}

// simulate makes a chain of providers of one type.
func simulate(t *testing.T, kind config.Kind, typ config.Type, names ...string) *simulated {
	t.Helper()
	s := &simulated{t: t, providers: map[string]*simulator.Provider{}, blocks: map[string]*chain.Provider{}}
	s.checker = New(Options{Logger: slog.New(slog.DiscardHandler), Tips: func(string) []Tip {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.tips
	}})
	s.spec = Chain{
		Name: "c", MaxBlockLead: 30, SuspectCheckInterval: time.Millisecond,
		Integrity: config.Integrity{Enabled: true, Depth: 2, Interval: time.Minute, Transactions: true},
	}
	network := simulator.NewChain(simulator.ChainOptions{Name: "c", Kind: kind, BaseHeight: 1000})
	server := new(simulator.Server)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for _, name := range names {
		p := simulator.NewProvider(network, simulator.ProviderOptions{Name: name, Type: typ})
		raw, err := server.Listen(p)
		require.NoError(t, err)
		u, err := config.ParseURL(raw)
		require.NoError(t, err)
		asked, err := chain.New(
			config.Chain{Name: "c", Kind: kind, BlockTime: time.Second, Failover: config.Failover{RequestTimeout: 10 * time.Second}},
			config.Provider{Name: name, Operator: name, Type: typ, RPCHost: u})
		require.NoError(t, err)
		s.providers[name], s.blocks[name] = p, asked
		s.spec.Members = append(s.spec.Members, Member{Key: key(name), Operator: name, Type: typ, Blocks: asked})
	}
	s.checker.Apply([]Chain{s.spec})
	return s
}

// check reads every tip as a probe does, and then does a round.
func (s *simulated) check() {
	s.t.Helper()
	var tips []Tip
	for _, m := range s.spec.Members {
		o, err := s.blocks[m.Key.Provider].Observe(s.t.Context(), chain.Ask{})
		require.NoError(s.t, err)
		tips = append(tips, Tip{Key: m.Key, Up: true, Height: o.Height, Hash: o.Hash, Parent: o.Parent, LastGood: time.Now()})
	}
	s.mu.Lock()
	s.tips = tips
	s.mu.Unlock()
	s.checker.check(s.t.Context(), s.spec, 1)
}

func (s *simulated) result(provider string) Result {
	s.t.Helper()
	r, ok := s.checker.Result(prober.Key{Chain: "c", Provider: provider})
	require.True(s.t, ok)
	return r
}

func TestSimulatedFork(t *testing.T) {
	t.Parallel()
	s := simulate(t, config.EVM, config.EVMRPC, "a", "b", "c")
	s.check()
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, chain.Some(false), s.result(name).HashDiffers, name)
		require.Equal(t, chain.Some(false), s.result(name).TransactionsDiffer, name)
		require.Equal(t, chain.Some(true), s.result(name).TipVerified, name)
		require.EqualValues(t, 998, s.result(name).CheckedHeight, name)
	}

	s.providers["b"].SetBehaviour(simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: 900}})
	s.check()
	require.Equal(t, CauseFork, s.result("b").HashCause)
	require.Equal(t, chain.Some(false), s.result("b").TipVerified)
	require.Equal(t, chain.Some(false), s.result("a").HashDiffers)

	s.providers["b"].SetBehaviour(simulator.Behaviour{})
	s.check()
	require.Equal(t, chain.Some(false), s.result("b").HashDiffers)
}

func TestSimulatedSplit(t *testing.T) {
	t.Parallel()
	s := simulate(t, config.EVM, config.EVMRPC, "a", "b")
	s.providers["b"].SetBehaviour(simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: 700}})
	s.check()
	split, ok := s.checker.ChainResult("c")
	require.True(t, ok)
	require.True(t, split.Split)
	require.Equal(t, chain.Some(uint64(699)), split.CommonHeight)
}

func TestSimulatedTransactions(t *testing.T) {
	t.Parallel()
	t.Run("fewer than the others", func(t *testing.T) {
		t.Parallel()
		s := simulate(t, config.EVM, config.EVMRPC, "a", "b", "c")
		s.providers["b"].SetBehaviour(simulator.Behaviour{DropTransactions: 1})
		s.check()
		require.Equal(t, CauseFewer, s.result("b").TransactionsCause)
		require.Equal(t, chain.Some(false), s.result("b").HashDiffers)
		require.Equal(t, chain.Some(false), s.result("a").TransactionsDiffer)
	})
	t.Run("fewer than its own header says, of two", func(t *testing.T) {
		t.Parallel()
		s := simulate(t, config.Bitcoin, config.BitcoinRPC, "a", "b")
		s.providers["b"].SetBehaviour(simulator.Behaviour{DropTransactions: 1})
		s.check()
		require.Equal(t, CauseIncomplete, s.result("b").TransactionsCause)
		require.Equal(t, chain.Some(false), s.result("b").HashDiffers)
	})
}

func TestSimulatedMissing(t *testing.T) {
	t.Parallel()
	s := simulate(t, config.EVM, config.EVMRPC, "a", "b")
	s.providers["b"].SetBehaviour(simulator.Behaviour{MissingNewest: 5})
	s.check()
	require.False(t, s.result("b").HashDiffers.Known, "once is nothing")
	s.check()
	require.Equal(t, CauseMissing, s.result("b").HashCause)
	require.False(t, s.result("a").HashDiffers.Known, "nobody agreed with it")
}
