package chain

import (
	"context"
	"errors"
	"regexp"
	"strconv"

	"github.com/understudy-rpc/understudy/internal/config"
)

// soroban speaks the JSON-RPC of stellar-rpc (once soroban-rpc). It tells
// neither peers nor the transactions of a ledger.
type soroban struct{}

func newSoroban(config.Chain, config.Provider) Dialect { return soroban{} }

func (soroban) Cost() config.Cost { return config.Cost{Cycle: 1, Identity: 1, Hints: 1, Block: 1} }

// Tip asks getLatestLedger. Its answer holds the whole metadata of the ledger,
// which on a busy network is longer than other probes may be.
func (soroban) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	s.wantBlock()
	var ledger struct {
		Hash      string   `json:"id"`
		Sequence  *Decimal `json:"sequence"`
		CloseTime *Quoted  `json:"closeTime"`
	}
	if err := s.Call(ctx, "getLatestLedger", nil, &ledger); err != nil {
		return Tip{}, err
	}
	hash, ok := hexHash(ledger.Hash, 32)
	if !ok || ledger.Sequence == nil {
		return Tip{}, s.Reject("a ledger without sequence and id")
	}
	if *ledger.Sequence == 0 {
		return Tip{}, s.rejectAs(Starting, "no ledger yet")
	}
	tip := Tip{Height: uint64(*ledger.Sequence), Hash: hash}
	// Older versions do not tell the time.
	if ledger.CloseTime != nil {
		tip.Time = unixTime(uint64(*ledger.CloseTime))
	}
	return tip, nil
}

// Identity is the network's passphrase.
func (soroban) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	var network struct {
		Passphrase string `json:"passphrase"`
	}
	if err := s.Call(ctx, "getNetwork", nil, &network); err != nil {
		return "", err
	}
	if network.Passphrase == "" {
		return "", s.Reject("no passphrase")
	}
	return network.Passphrase, nil
}

// Hints asks getHealth, which is "healthy", or "backfill in progress", or the
// error -32603 while the node is starting or its newest ledger is old.
func (soroban) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var health struct {
		Status string `json:"status"`
	}
	err := s.Call(ctx, "getHealth", nil, &health)
	switch {
	case err == nil && health.Status == "":
		return Hints{}, s.Reject("no status")
	case err == nil:
		return Hints{Syncing: Some(health.Status != "healthy")}, nil
	case reasonOf(err) == Starting, reasonOf(err) == Behind:
		return Hints{Syncing: Some(true)}, nil
	}
	return Hints{}, err
}

func (d soroban) Block(ctx context.Context, s *Session, height uint64, _ bool) (Block, error) {
	s.wantBlock()
	var answer struct {
		Ledgers []struct {
			Hash      string   `json:"hash"`
			Sequence  *Decimal `json:"sequence"`
			CloseTime *Quoted  `json:"ledgerCloseTime"`
		} `json:"ledgers"`
	}
	params := map[string]any{"startLedger": height, "pagination": map[string]int{"limit": 1}}
	if err := s.Call(ctx, "getLedgers", params, &answer); err != nil {
		return Block{}, d.outside(s, height, err)
	}
	if len(answer.Ledgers) == 0 {
		return Block{}, s.RejectMissing("no ledger")
	}
	ledger := answer.Ledgers[0]
	hash, ok := hexHash(ledger.Hash, 32)
	switch {
	case !ok || ledger.Sequence == nil:
		return Block{}, s.Reject("a ledger without sequence and hash")
	case uint64(*ledger.Sequence) != height:
		return Block{}, s.Reject("another ledger than the one asked for")
	}
	block := Block{Height: height, Hash: hash}
	if ledger.CloseTime != nil {
		block.Time = unixTime(uint64(*ledger.CloseTime))
	}
	return block, nil
}

// sorobanWindow is how stellar-rpc tells which ledgers it keeps (protocol
// package, ValidatePagination).
var sorobanWindow = regexp.MustCompile(`oldest ledger: (\d+) and the latest ledger: (\d+)`)

// outside tells a ledger that is no longer kept from one that is not there yet:
// both are refused with the same words.
func (soroban) outside(s *Session, height uint64, err error) error {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	window := sorobanWindow.FindStringSubmatch(f.Text)
	if window == nil {
		return err
	}
	oldest, below := strconv.ParseUint(window[1], 10, 64)
	latest, above := strconv.ParseUint(window[2], 10, 64)
	switch {
	case below == nil && height < oldest:
		return s.answeredBy(ErrPruned)
	case above == nil && height > latest:
		f.Reason = Missing
		return s.fail(f)
	}
	return err
}
