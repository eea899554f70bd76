package chain

import (
	"context"
	"errors"

	"github.com/understudy-rpc/understudy/internal/config"
)

// solana speaks Solana's JSON-RPC. The height is the slot, of which some have no
// block; everything is asked at the commitment "confirmed".
type solana struct{}

func newSolana(config.Chain, config.Provider) Dialect { return solana{} }

// confirmed is the parameter that sets the commitment.
var confirmed = map[string]any{"commitment": "confirmed"}

func (solana) Cost() config.Cost {
	return config.Cost{Cycle: 1, NewBlock: 1, Identity: 1, Hints: 1, Block: 1}
}

// Tip asks getLatestBlockhash, which tells slot and hash together. They belong
// to the same block: for "confirmed" Agave answers from one frozen bank, whose
// slot is the context's and whose last block hash is that of its own block
// (rpc/src/rpc.rs, rpc/src/optimistically_confirmed_bank_tracker.rs). The time
// takes a second request, which is spared while the hash stays the same.
func (d solana) Tip(ctx context.Context, s *Session, previous Tip) (Tip, error) {
	var answer struct {
		Context struct {
			Slot *Decimal `json:"slot"`
		} `json:"context"`
		Value struct {
			Hash string `json:"blockhash"`
		} `json:"value"`
	}
	if err := s.Call(ctx, "getLatestBlockhash", []any{confirmed}, &answer); err != nil {
		return Tip{}, err
	}
	if answer.Context.Slot == nil || !isBase58Hash(answer.Value.Hash) {
		return Tip{}, s.Reject("no slot with a block hash")
	}
	tip := Tip{Height: uint64(*answer.Context.Slot), Hash: answer.Value.Hash}
	if tip.Hash == previous.Hash && tip.Height == previous.Height && !previous.Time.IsZero() {
		tip.Time = previous.Time
		return tip, nil
	}
	var seconds *Decimal
	err := s.Call(ctx, "getBlockTime", []any{tip.Height}, &seconds)
	if err = s.gap(err); err != nil && !timeUnknown(err) {
		return Tip{}, err
	}
	if err == nil && seconds != nil {
		tip.Time = unixTime(uint64(*seconds))
	}
	return tip, nil
}

// timeUnknown says whether an error means only that the time of a block cannot
// be told: it was skipped, is not there yet, or the node keeps no times.
func timeUnknown(err error) bool {
	return errors.Is(err, ErrSkipped) || errors.Is(err, ErrPruned) || reasonOf(err) == Missing || notOffered(err)
}

// Identity is the genesis hash.
func (solana) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	var genesis string
	if err := s.Call(ctx, "getGenesisHash", nil, &genesis); err != nil {
		return "", err
	}
	if !isBase58Hash(genesis) {
		return "", s.Reject("the genesis hash is not a hash")
	}
	return genesis, nil
}

// Hints asks getHealth, which has been seen to say "ok" 2,500 slots behind and
// "behind" at the tip.
func (solana) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var health string
	err := s.Call(ctx, "getHealth", nil, &health)
	switch {
	case err == nil && health == "ok":
		return Hints{Syncing: Some(false)}, nil
	case err == nil:
		return Hints{}, s.Reject("the health is not ok and not an error")
	case reasonOf(err) == Behind:
		return Hints{Syncing: Some(true)}, nil
	}
	return Hints{}, err
}

// solanaBlock is the part of a block that counts.
type solanaBlock struct {
	Hash       string   `json:"blockhash"`
	Previous   string   `json:"previousBlockhash"`
	Time       *Decimal `json:"blockTime"`
	Signatures []string `json:"signatures"`
}

func (solana) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	details := "none"
	if transactions {
		details = "signatures"
	}
	var b *solanaBlock
	err := s.Call(ctx, "getBlock", []any{height, map[string]any{
		"commitment": "confirmed", "transactionDetails": details,
		"rewards": false, "maxSupportedTransactionVersion": 0,
	}}, &b)
	if err != nil {
		return Block{}, s.gap(err)
	}
	if b == nil {
		return Block{}, s.RejectMissing("the block is null")
	}
	if !isBase58Hash(b.Hash) {
		return Block{}, s.Reject("blockhash is not a hash")
	}
	block := Block{Height: height, Hash: b.Hash}
	if isBase58Hash(b.Previous) {
		block.Parent = b.Previous
	}
	if b.Time != nil {
		block.Time = unixTime(uint64(*b.Time))
	}
	if transactions && b.Signatures != nil {
		block.Transactions = Some(Transactions{Count: len(b.Signatures)})
	}
	return block, nil
}
