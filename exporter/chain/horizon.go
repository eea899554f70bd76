package chain

import (
	"context"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// maxIngestLag is how many ledgers Horizon may be behind its own Stellar Core
// before it counts as syncing: about a minute of them. A few are always under
// way.
const maxIngestLag = 12

// horizon speaks Stellar's Horizon API. Its root tells height, time and network
// in one answer, but not the hash.
type horizon struct{}

func newHorizon(config.Chain, config.Provider) Dialect { return horizon{} }

// horizonRoot is the part of the root that counts.
type horizonRoot struct {
	Passphrase string    `json:"network_passphrase"`
	Newest     *Decimal  `json:"history_latest_ledger"`
	ClosedAt   time.Time `json:"history_latest_ledger_closed_at"`
	// Core is 0 while Horizon cannot reach its Stellar Core.
	Core Decimal `json:"core_latest_ledger"`
}

func (horizon) Cost() config.Cost { return config.Cost{Cycle: 1, Block: 1} }

func (horizon) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	var root horizonRoot
	if err := s.GetJSON(ctx, "", nil, &root); err != nil {
		return Tip{}, err
	}
	if root.Newest == nil {
		return Tip{}, s.Reject("no history_latest_ledger")
	}
	if *root.Newest == 0 {
		return Tip{}, s.rejectAs(Starting, "no ledger yet")
	}
	tip := Tip{Height: uint64(*root.Newest), Time: writtenTime(root.ClosedAt), Network: root.Passphrase}
	if root.Core > 0 {
		tip.Hints.Syncing = Some(root.Core > *root.Newest+maxIngestLag)
	}
	return tip, nil
}

// Identity is the network's passphrase.
func (horizon) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	var root horizonRoot
	if err := s.GetJSON(ctx, "", nil, &root); err != nil {
		return "", err
	}
	if root.Passphrase == "" {
		return "", s.Reject("no network_passphrase")
	}
	return root.Passphrase, nil
}

func (horizon) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	var ledger struct {
		Hash       string    `json:"hash"`
		Previous   string    `json:"prev_hash"`
		Sequence   *Decimal  `json:"sequence"`
		ClosedAt   time.Time `json:"closed_at"`
		Successful *Decimal  `json:"successful_transaction_count"`
		// Failed is null for ledgers of early versions of Horizon.
		Failed *Decimal `json:"failed_transaction_count"`
	}
	if err := s.GetJSON(ctx, "ledgers/"+strconv.FormatUint(height, 10), nil, &ledger); err != nil {
		return Block{}, s.gap(err)
	}
	hash, ok := hexHash(ledger.Hash, 32)
	switch {
	case !ok || ledger.Sequence == nil:
		return Block{}, s.Reject("a ledger without sequence and hash")
	case uint64(*ledger.Sequence) != height:
		return Block{}, s.Reject("another ledger than the one asked for")
	}
	parent, _ := hexHash(ledger.Previous, 32)
	block := Block{Height: height, Hash: hash, Parent: parent, Time: writtenTime(ledger.ClosedAt)}
	if transactions && ledger.Successful != nil && ledger.Failed != nil {
		block.Transactions = Some(Transactions{Count: int(*ledger.Successful + *ledger.Failed)})
	}
	return block, nil
}
