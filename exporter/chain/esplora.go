package chain

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/understudy-rpc/understudy/internal/config"
)

// esplora speaks the REST API of Blockstream's Esplora, which mempool.space and
// electrs speak as well. Height and hashes are plain text. It knows neither
// peers nor whether the node behind it is catching up.
type esplora struct{}

func newEsplora(config.Chain, config.Provider) Dialect { return esplora{} }

// esploraBlock is the part of /block/HASH that counts.
type esploraBlock struct {
	ID       string   `json:"id"`
	Height   *Decimal `json:"height"`
	Time     *Decimal `json:"timestamp"`
	TxCount  *Decimal `json:"tx_count"`
	Previous *string  `json:"previousblockhash"`
}

func (esplora) Cost() config.Cost {
	return config.Cost{Cycle: 1, NewBlock: 2, Identity: 1, Block: 1, BlockTransactions: 1}
}

// Tip asks for the height, and for the block only when that has changed.
// Another block at the same height is therefore seen by the comparison of
// hashes between providers, not here.
func (e esplora) Tip(ctx context.Context, s *Session, previous Tip) (Tip, error) {
	text, err := s.GetText(ctx, "blocks/tip/height")
	if err != nil {
		return Tip{}, err
	}
	height, err := parseDecimal(text)
	if err != nil {
		return Tip{}, s.Reject("the height: " + err.Error())
	}
	if height == previous.Height && previous.Hash != "" {
		return Tip{Height: height, Hash: previous.Hash, Parent: previous.Parent, Time: previous.Time}, nil
	}
	block, err := e.Block(ctx, s, height, true)
	if err != nil {
		return Tip{}, err
	}
	return Tip{Height: height, Hash: block.Hash, Parent: block.Parent, Time: block.Time}, nil
}

// Identity is the hash of the genesis block.
func (e esplora) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	return e.hash(ctx, s, 0)
}

// hash asks for the hash of the block at a height. A height beyond the tip is
// answered with 404.
func (esplora) hash(ctx context.Context, s *Session, height uint64) (string, error) {
	text, err := s.GetText(ctx, "block-height/"+strconv.FormatUint(height, 10))
	if err != nil {
		return "", s.notFoundIsMissing(err)
	}
	hash, ok := hexHash(text, 32)
	if !ok {
		return "", s.Reject("what should be a hash is none")
	}
	return hash, nil
}

// Block asks for the hash and, for time and number of transactions, for the
// block's summary.
func (e esplora) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	hash, err := e.hash(ctx, s, height)
	if err != nil || !transactions {
		return Block{Height: height, Hash: hash}, err
	}
	var summary esploraBlock
	if err := s.GetJSON(ctx, "block/"+hash, nil, &summary); err != nil {
		return Block{}, s.notFoundIsMissing(err)
	}
	return summary.block(s, height, hash)
}

// block checks that a summary is the one of a block and reads it.
func (b esploraBlock) block(s *Session, height uint64, hash string) (Block, error) {
	id, ok := hexHash(b.ID, 32)
	switch {
	case !ok || b.Height == nil || b.Time == nil || b.TxCount == nil:
		return Block{}, s.Reject("a block without id, height, timestamp or tx_count")
	case id != hash || uint64(*b.Height) != height:
		return Block{}, s.Reject("another block than the one asked for")
	}
	block := Block{
		Height: height, Hash: hash, Time: unixTime(uint64(*b.Time)),
		Transactions: Some(Transactions{Count: int(*b.TxCount)}),
	}
	if b.Previous != nil {
		if block.Parent, ok = hexHash(*b.Previous, 32); !ok {
			return Block{}, s.Reject("the hash of the previous block is none")
		}
	}
	return block, nil
}

// notFoundIsMissing gives a 404 for a block its class, whatever words come
// with it: by then the service has shown that it knows its paths.
func (s *Session) notFoundIsMissing(err error) error {
	if f, ok := errors.AsType[*Failure](err); ok && f.Status == http.StatusNotFound && f.Reason == HTTP4xx {
		return s.RejectMissing(f.Text)
	}
	return err
}
