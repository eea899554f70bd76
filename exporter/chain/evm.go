package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/understudy-rpc/understudy/internal/config"
)

// evm speaks the Ethereum JSON-RPC (execution-apis). One eth_getBlockByNumber
// tells height, hash, parent and time together, so that they cannot belong to
// different backends of one URL.
type evm struct{ declared []string }

func newEVM(_ config.Chain, p config.Provider) Dialect { return evm{p.Capabilities} }

// evmBlock is the part of a block that counts. Hashes are 32 bytes.
type evmBlock struct {
	Number           *Quantity `json:"number"`
	Hash             string    `json:"hash"`
	ParentHash       string    `json:"parentHash"`
	Timestamp        Quantity  `json:"timestamp"`
	TransactionsRoot string    `json:"transactionsRoot"`
	Transactions     *Count    `json:"transactions"`
}

func (d evm) Cost() config.Cost {
	cost := config.Cost{Cycle: 1, Identity: 1, Hints: 2, Block: 1}
	for _, capability := range d.declared {
		if _, ok := evmProbes[capability]; ok {
			cost.Capabilities++
		}
	}
	return cost
}

func (d evm) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	b, err := d.block(ctx, s, "latest")
	return Tip{Height: b.Height, Hash: b.Hash, Parent: b.Parent, Time: b.Time}, err
}

// Identity is the chain id in decimal, or the genesis hash if that is wanted.
func (d evm) Identity(ctx context.Context, s *Session, want string) (string, error) {
	if len(want) == 64 {
		genesis, err := d.block(ctx, s, "0x0")
		return genesis.Hash, err
	}
	var id Quantity
	if err := s.Call(ctx, "eth_chainId", []any{}, &id); err != nil {
		return "", err
	}
	if id == 0 {
		return "", s.Reject("no chain id")
	}
	return strconv.FormatUint(uint64(id), 10), nil
}

func (d evm) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	b, err := d.block(ctx, s, quantity(height))
	switch {
	case err != nil:
		return Block{}, s.gap(err)
	case b.Height != height:
		return Block{}, s.Reject("another block than the one asked for")
	}
	if !transactions {
		b.Transactions = Optional[Transactions]{}
	}
	return b, nil
}

// block asks for one block by its tag or number. null, for a block that the
// provider announced or should have, is a failure of its own class.
func (evm) block(ctx context.Context, s *Session, number string) (Block, error) {
	var b *evmBlock
	if err := s.Call(ctx, "eth_getBlockByNumber", []any{number, false}, &b); err != nil {
		return Block{}, err
	}
	if b == nil {
		return Block{}, s.RejectMissing(fmt.Sprintf("block %s is null", number))
	}
	hash, ok := hexHash(b.Hash, 32)
	if !ok || b.Number == nil {
		return Block{}, s.Reject("a block without number and hash")
	}
	parent, parentOK := optionalHash(b.ParentHash)
	root, rootOK := optionalHash(b.TransactionsRoot)
	if !parentOK || !rootOK {
		return Block{}, s.Reject("a block whose parentHash or transactionsRoot is no hash")
	}
	block := Block{Height: uint64(*b.Number), Hash: hash, Parent: parent, Time: unixTime(uint64(b.Timestamp))}
	if b.Transactions != nil {
		block.Transactions = Some(Transactions{Count: int(*b.Transactions), Digest: root})
	}
	return block, nil
}

// optionalHash is hexHash for 32 bytes that need not be told.
func optionalHash(text string) (string, bool) {
	if text == "" {
		return "", true
	}
	return hexHash(text, 32)
}

// quantity writes a number as the protocol wants it.
func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

// Hints asks eth_syncing and net_peerCount, which many vendors do not offer.
func (evm) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var h Hints
	var progress evmSyncing
	err := s.CallOptional(ctx, "eth_syncing", []any{}, &progress)
	if seriousOnly(err) != nil {
		return h, err
	}
	if err == nil {
		h.Syncing = progress.Optional
	}
	var peers *Quantity
	err = s.CallOptional(ctx, "net_peerCount", []any{}, &peers)
	if err == nil && peers != nil {
		h.Peers = Some(int(*peers))
	}
	return h, err
}

// evmSyncing is the answer to eth_syncing: false, or an object with the
// progress, whose fields differ between clients; true on some forks.
type evmSyncing struct{ Optional[bool] }

// UnmarshalJSON accepts a boolean or an object.
func (p *evmSyncing) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		p.Optional = Some(true)
		return nil
	}
	p.Known = true
	return json.Unmarshal(raw, &p.Value)
}
