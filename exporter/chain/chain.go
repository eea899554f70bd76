// Package chain knows how each provider type is asked and how it fails.
//
// A Dialect turns the words of one protocol into a Tip, an identity or a Block;
// there is one file per provider type. Around the dialects stand the parts that
// all share: a Session carries bounded requests to one provider and notes each
// exchange, the tables of failures say what an answer that is none means, and
// the number readers accept nothing but what the protocol allows.
//
// A question ends in one of three ways: an answer, a *Failure of the provider
// with a typed reason, or a *NoVerdict, which says nothing about the provider
// because it was our own side that gave up. Nothing here knows when questions
// are asked or what follows from the answers, and nothing panics on what a
// provider says.
package chain

import (
	"context"
	"fmt"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Dialect asks one provider type in its own words. Its methods ask as little as
// the protocol allows, return errors as the session classified them, and keep
// no state between calls: what they may remember is in the previous Tip.
type Dialect interface {
	// Tip asks for the newest block. The first exchange is the height request,
	// whose latency counts. previous is the last tip that this provider told,
	// or the zero Tip; what cannot have changed while the hash stays the same
	// may be taken over from it.
	Tip(ctx context.Context, s *Session, previous Tip) (Tip, error)
	// Identity asks which network the provider serves, in the normal form of
	// config.Network.Value. want is the expected identity or "": where a
	// network has two names (an EVM chain id and its genesis hash), the answer
	// is in the form of want. "" without an error says that the provider does
	// not tell it and the configuration proves it otherwise.
	Identity(ctx context.Context, s *Session, want string) (string, error)
	// Block asks for the block at a height, with its transactions if wanted and
	// if the protocol tells them. ErrSkipped means that no block exists at that
	// height, ErrPruned that the provider no longer has it; neither is a fault.
	Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error)
	// Cost is the number of requests that each question takes.
	Cost() config.Cost
}

// Hinter is a Dialect whose self-reports (syncing, peers) take requests beyond
// Tip's. A dialect whose Tip already carries them does not implement it.
type Hinter interface {
	// Hints adds to what the tip already told. What the provider does not offer
	// stays unknown and is no error.
	Hints(ctx context.Context, s *Session, tip Tip) (Hints, error)
}

// CapabilityProber is a Dialect that can verify some of the capabilities that a
// provider declares.
type CapabilityProber interface {
	// Capabilities says of each declared capability that can be verified
	// whether the provider has it. Those missing from the answer are unknown.
	Capabilities(ctx context.Context, s *Session, tip Tip, declared []string) (map[string]bool, error)
}

// dialects is the one registry: how each type's dialect is made for a provider
// of a chain.
var dialects = map[config.Type]func(config.Chain, config.Provider) Dialect{
	config.BitcoinRPC:     newBitcoin,
	config.BlockchairREST: newBlockchair,
	config.EsploraREST:    newEsplora,
	config.EVMRPC:         newEVM,
	config.CometBFTRPC:    newCometBFT,
	config.CosmosREST:     newCosmosREST,
	config.XRPLRPC:        newXRPL,
	config.TronHTTP:       newTron,
	config.SolanaRPC:      newSolana,
	config.SorobanRPC:     newSoroban,
	config.HorizonREST:    newHorizon,
}

// CostOf is the number of requests that each question to a provider takes.
func CostOf(c config.Chain, p config.Provider) (config.Cost, error) {
	make, ok := dialects[p.Type]
	if !ok {
		return config.Cost{}, fmt.Errorf("chain %q: provider %q: unknown type %q", c.Name, p.Name, p.Type)
	}
	return make(c, p).Cost(), nil
}
