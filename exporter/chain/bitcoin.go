package chain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/understudy-rpc/understudy/internal/config"
)

// bitcoin speaks the JSON-RPC of Bitcoin Core, of its descendants (Litecoin
// Core, Dogecoin Core, Bitcoin Cash Node) and of btcd. One getblockchaininfo
// tells height, hash and progress together; the time of a block is asked once
// per block, and not at all of Bitcoin Core from 23.0 on, which tells it there.
// Parameters that have a default are left out: their type differs between
// versions (Dogecoin Core's getblock takes a boolean, Bitcoin Core's a number).
type bitcoin struct{ declared []string }

func newBitcoin(_ config.Chain, p config.Provider) Dialect { return bitcoin{p.Capabilities} }

// headersAhead is how many headers may be known before their blocks while a
// node is well: headers arrive first, and blocks that were found close to each
// other arrive together.
const headersAhead = 6

// bitcoinInfo is the part of getblockchaininfo that counts.
type bitcoinInfo struct {
	Blocks        *Decimal `json:"blocks"`
	BestBlockHash string   `json:"bestblockhash"`
	// Headers is -1 in a node that has none yet.
	Headers json.RawMessage `json:"headers"`
	// InitialBlockDownload is not told by btcd.
	InitialBlockDownload *bool   `json:"initialblockdownload"`
	Time                 Decimal `json:"time"`
}

// syncing is the node's word on whether it is catching up.
func (i bitcoinInfo) syncing() Optional[bool] {
	headers, err := parseDecimal(string(i.Headers))
	if err == nil && headers > uint64(*i.Blocks)+headersAhead {
		return Some(true)
	}
	if i.InitialBlockDownload != nil {
		return Some(*i.InitialBlockDownload)
	}
	return Optional[bool]{}
}

// bitcoinHeader is the part of getblockheader that counts.
type bitcoinHeader struct {
	Hash     string   `json:"hash"`
	Height   *Decimal `json:"height"`
	Time     *Decimal `json:"time"`
	Previous *string  `json:"previousblockhash"`
}

// bitcoinBlock is the part of getblock with verbosity 1, the default, that
// counts. NTx is not told by btcd.
type bitcoinBlock struct {
	bitcoinHeader
	NTx *Decimal `json:"nTx"`
	Tx  []string `json:"tx"`
}

func (b bitcoin) Cost() config.Cost {
	cost := config.Cost{Cycle: 1, NewBlock: 1, Identity: 1, Hints: 1, Block: 1, BlockTransactions: 1}
	requests := map[string]float64{config.CapabilityWallet: 1, config.CapabilityTxIndex: 3, config.CapabilityBatch: 1}
	for _, capability := range b.declared {
		cost.Capabilities += requests[capability]
	}
	return cost
}

func (b bitcoin) Tip(ctx context.Context, s *Session, previous Tip) (Tip, error) {
	tip, err := b.newest(ctx, s)
	if err != nil {
		return Tip{}, err
	}
	if tip.Hash == previous.Hash {
		tip.Parent = previous.Parent
		if tip.Time.IsZero() {
			tip.Time = previous.Time
		}
		return tip, nil
	}
	if !tip.Time.IsZero() {
		return tip, nil
	}
	var header *bitcoinHeader
	if err := s.CallOptional(ctx, "getblockheader", []any{tip.Hash}, &header); err != nil {
		return Tip{}, err
	}
	if s.Unsupported("getblockheader") {
		return tip, nil
	}
	block, err := header.block(s, tip.Height, tip.Hash)
	tip.Time, tip.Parent = block.Time, block.Parent
	return tip, err
}

// newest asks for height and hash of the newest block.
func (b bitcoin) newest(ctx context.Context, s *Session) (Tip, error) {
	if s.Unsupported("getblockchaininfo") {
		return b.counted(ctx, s)
	}
	var info *bitcoinInfo
	err := s.Call(ctx, "getblockchaininfo", []any{}, &info)
	switch {
	case reasonOf(err) == MethodUnsupported:
		s.NoteUnsupported("getblockchaininfo")
		return b.counted(ctx, s)
	case err != nil:
		return Tip{}, err
	case info == nil || info.Blocks == nil:
		return Tip{}, s.Reject("no number of blocks")
	}
	hash, ok := hexHash(info.BestBlockHash, sha256.Size)
	if !ok {
		return Tip{}, s.Reject("no hash of the best block")
	}
	return Tip{
		Height: uint64(*info.Blocks), Hash: hash, Time: unixTime(uint64(info.Time)),
		Hints: Hints{Syncing: info.syncing()},
	}, nil
}

// counted asks for the newest block where getblockchaininfo is not offered.
func (b bitcoin) counted(ctx context.Context, s *Session) (Tip, error) {
	var count *Decimal
	if err := s.Call(ctx, "getblockcount", []any{}, &count); err != nil {
		return Tip{}, err
	}
	if count == nil {
		return Tip{}, s.Reject("no number of blocks")
	}
	hash, err := b.hash(ctx, s, uint64(*count))
	if err != nil {
		return Tip{}, err
	}
	return Tip{Height: uint64(*count), Hash: hash}, nil
}

// Identity is the hash of the genesis block.
func (b bitcoin) Identity(ctx context.Context, s *Session, _ string) (string, error) {
	return b.hash(ctx, s, 0)
}

// hash asks for the hash of the block at a height.
func (bitcoin) hash(ctx context.Context, s *Session, height uint64) (string, error) {
	var text *string
	if err := s.Call(ctx, "getblockhash", []any{height}, &text); err != nil {
		return "", err
	}
	if text == nil {
		return "", s.RejectMissing("the hash of the block is null")
	}
	hash, ok := hexHash(*text, sha256.Size)
	if !ok {
		return "", s.Reject("what should be a hash is none")
	}
	return hash, nil
}

func (b bitcoin) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	hash, err := b.hash(ctx, s, height)
	if err != nil || !transactions {
		return Block{Height: height, Hash: hash}, err
	}
	var whole *bitcoinBlock
	if err := s.Call(ctx, "getblock", []any{hash}, &whole); err != nil {
		return Block{}, s.gap(err)
	}
	if whole == nil {
		return Block{}, s.RejectMissing("the block is null")
	}
	block, err := whole.block(s, height, hash)
	if err != nil {
		return Block{}, err
	}
	found, err := whole.transactions(s)
	block.Transactions = Some(found)
	return block, err
}

// block checks that a header is the one of a block and reads it. A header that
// is nil was null.
func (h *bitcoinHeader) block(s *Session, height uint64, hash string) (Block, error) {
	switch {
	case h == nil:
		return Block{}, s.RejectMissing("the header of the block is null")
	case h.Height == nil || h.Time == nil:
		return Block{}, s.Reject("a header without height or time")
	case uint64(*h.Height) != height:
		return Block{}, s.Reject("the header of another height")
	}
	if got, ok := hexHash(h.Hash, sha256.Size); !ok || got != hash {
		return Block{}, s.Reject("the header of another block")
	}
	block := Block{Height: height, Hash: hash, Time: unixTime(uint64(*h.Time))}
	if h.Previous != nil {
		var ok bool
		if block.Parent, ok = hexHash(*h.Previous, sha256.Size); !ok {
			return Block{}, s.Reject("the hash of the previous block is none")
		}
	}
	return block, nil
}

// transactions counts the ids and makes a digest of them. The header's own
// number, where it is told, shows what the node leaves out.
func (b *bitcoinBlock) transactions(s *Session) (Transactions, error) {
	if b.Tx == nil {
		return Transactions{}, s.Reject("a block without transactions")
	}
	digest := sha256.New()
	for _, text := range b.Tx {
		id, ok := hexHash(text, sha256.Size)
		if !ok {
			return Transactions{}, s.Reject("what should be the id of a transaction is none")
		}
		digest.Write([]byte(id))
	}
	t := Transactions{Count: len(b.Tx), Digest: hex.EncodeToString(digest.Sum(nil))}
	if b.NTx != nil {
		t.Missing = max(0, int(*b.NTx)-t.Count)
	}
	return t, nil
}

// Hints asks for the number of peers; the tip tells the rest.
func (bitcoin) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var h Hints
	var peers *Decimal
	err := s.CallOptional(ctx, "getconnectioncount", []any{}, &peers)
	if peers != nil && err == nil {
		h.Peers = Some(int(*peers))
	}
	return h, err
}
