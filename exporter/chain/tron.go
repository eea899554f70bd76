package chain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The paths of java-tron's HTTP API. getblock came with version 4.5 and can
// leave the transactions out; getnowblock is there always, with all of them.
const (
	tronNewest   = "wallet/getblock"
	tronNow      = "wallet/getnowblock"
	tronByNumber = "wallet/getblockbynum"
	tronNode     = "wallet/getnodeinfo"
)

// tron speaks the HTTP API of java-tron and TronGrid. The newest block tells
// height, hash, parent and time in one answer.
type tron struct{}

func newTron(config.Chain, config.Provider) Dialect { return tron{} }

// tronBlock is the part of a block that counts. An empty object means that
// there is none.
type tronBlock struct {
	ID     string `json:"blockID"`
	Header struct {
		Data struct {
			// Number is left out at height 0, as protobuf does with zeros.
			Number Decimal `json:"number"`
			// Timestamp is in milliseconds.
			Timestamp Decimal `json:"timestamp"`
			Parent    string  `json:"parentHash"`
		} `json:"raw_data"`
	} `json:"block_header"`
	Transactions []struct {
		ID string `json:"txID"`
	} `json:"transactions"`
}

func (tron) Cost() config.Cost { return config.Cost{Cycle: 1, Identity: 1, Hints: 1, Block: 1} }

func (d tron) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	var b tronBlock
	err := d.newest(ctx, s, &b)
	if err != nil {
		return Tip{}, err
	}
	if b.ID == "" {
		return Tip{}, s.RejectMissing("no newest block")
	}
	block, err := b.read(s)
	if err != nil {
		return Tip{}, err
	}
	if block.Height == 0 {
		return Tip{}, s.rejectAs(Starting, "no block but the first")
	}
	return Tip{Height: block.Height, Hash: block.Hash, Parent: block.Parent, Time: block.Time}, nil
}

// newest asks for the newest block, without its transactions where that is
// possible.
func (tron) newest(ctx context.Context, s *Session, b *tronBlock) error {
	if !s.Unsupported(tronNewest) {
		err := s.PostJSON(ctx, tronNewest, map[string]bool{"detail": false}, b)
		if !notOffered(err) {
			return err
		}
		s.NoteUnsupported(tronNewest)
	}
	s.wantBlock()
	return s.PostJSON(ctx, tronNow, struct{}{}, b)
}

// Identity is the hash of block 0.
func (d tron) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	genesis, err := d.Block(ctx, s, 0, false)
	return genesis.Hash, err
}

// Hints asks getnodeinfo, which public gateways often close.
func (tron) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var h Hints
	if s.Unsupported(tronNode) {
		return h, nil
	}
	var node struct {
		Peers *Decimal `json:"currentConnectCount"`
	}
	err := s.PostJSON(ctx, tronNode, struct{}{}, &node)
	switch {
	case notOffered(err):
		s.NoteUnsupported(tronNode)
		return h, nil
	case err != nil:
		return h, err
	case node.Peers != nil:
		h.Peers = Some(int(*node.Peers))
	}
	return h, nil
}

func (tron) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	var b tronBlock
	if err := s.PostJSON(ctx, tronByNumber, map[string]uint64{"num": height}, &b); err != nil {
		return Block{}, err
	}
	if b.ID == "" {
		return Block{}, s.RejectMissing(fmt.Sprintf("block %d is an empty object", height))
	}
	block, err := b.read(s)
	if err != nil {
		return Block{}, err
	}
	if block.Height != height {
		return Block{}, s.Reject("another block than the one asked for")
	}
	if transactions {
		return b.withTransactions(s, block)
	}
	return block, nil
}

// read is the block without its transactions. The first eight bytes of a block
// id are the height, so that both must agree.
func (b tronBlock) read(s *Session) (Block, error) {
	hash, ok := hexHash(b.ID, 32)
	if !ok {
		return Block{}, s.Reject("blockID is not a hash")
	}
	data := b.Header.Data
	if !strings.HasPrefix(hash, fmt.Sprintf("%016x", uint64(data.Number))) {
		return Block{}, s.Reject("the height is not the one in blockID")
	}
	parent, _ := hexHash(data.Parent, 32)
	return Block{Height: uint64(data.Number), Hash: hash, Parent: parent, Time: milliTime(uint64(data.Timestamp))}, nil
}

// withTransactions adds the transactions, whose member is left out when there
// are none. They are identified by a hash over their ids in order: the header's
// own root would be the same for a provider that lost some.
func (b tronBlock) withTransactions(s *Session, block Block) (Block, error) {
	sum := sha256.New()
	for _, t := range b.Transactions {
		id, ok := hexHash(t.ID, 32)
		if !ok {
			return Block{}, s.Reject("a txID is not a hash")
		}
		sum.Write([]byte(id))
	}
	block.Transactions = Some(Transactions{Count: len(b.Transactions), Digest: hex.EncodeToString(sum.Sum(nil))})
	return block, nil
}
