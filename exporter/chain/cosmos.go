package chain

import (
	"context"
	"strconv"

	"github.com/understudy-rpc/understudy/internal/config"
)

// cosmosPath is where the Cosmos SDK's service for its consensus engine lies.
const cosmosPath = "cosmos/base/tendermint/v1beta1/"

// cosmosREST speaks the REST API of the Cosmos SDK, a gateway to gRPC. The
// latest block tells height, hash, parent, time and network in one answer.
type cosmosREST struct{}

func newCosmosREST(config.Chain, config.Provider) Dialect { return cosmosREST{} }

func (cosmosREST) Cost() config.Cost { return config.Cost{Cycle: 1, Hints: 1, Block: 1} }

// Tip asks for the newest block, which comes whole, and twice since version 0.47
// of the SDK.
func (cosmosREST) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	s.wantBlock()
	var b cosmosBlock
	if err := s.GetJSON(ctx, cosmosPath+"blocks/latest", nil, &b); err != nil {
		return Tip{}, err
	}
	block, err := b.read(s, base64Hash)
	if err != nil {
		return Tip{}, err
	}
	if block.Height == 0 {
		return Tip{}, s.rejectAs(Starting, "no block yet")
	}
	return Tip{
		Height: block.Height, Hash: block.Hash, Parent: block.Parent, Time: block.Time,
		Network: b.content().Header.ChainID,
	}, nil
}

// Identity is the chain id. It is asked only if the tip did not tell it.
func (cosmosREST) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	var info struct {
		Node struct {
			Network string `json:"network"`
		} `json:"default_node_info"`
	}
	if err := s.GetJSON(ctx, cosmosPath+"node_info", nil, &info); err != nil {
		return "", err
	}
	if info.Node.Network == "" {
		return "", s.Reject("no network in default_node_info")
	}
	return info.Node.Network, nil
}

func (cosmosREST) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	path := cosmosPath + "syncing"
	if s.Unsupported(path) {
		return Hints{}, nil
	}
	var answer struct {
		Syncing *bool `json:"syncing"`
	}
	err := s.GetJSON(ctx, path, nil, &answer)
	switch {
	case notOffered(err):
		s.NoteUnsupported(path)
		return Hints{}, nil
	case err != nil:
		return Hints{}, err
	case answer.Syncing == nil:
		return Hints{}, s.Reject("no syncing")
	}
	return Hints{Syncing: Some(*answer.Syncing)}, nil
}

func (cosmosREST) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	var b cosmosBlock
	if err := s.GetJSON(ctx, cosmosPath+"blocks/"+strconv.FormatUint(height, 10), nil, &b); err != nil {
		return Block{}, s.gap(err)
	}
	return b.at(s, height, transactions, base64Hash)
}
