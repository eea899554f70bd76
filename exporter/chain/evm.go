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
type evm struct{}

func newEVM(config.Chain, config.Provider) Dialect { return evm{} }

// evmBlock is the part of a block that counts. Hashes are 32 bytes.
type evmBlock struct {
	Number           *Quantity         `json:"number"`
	Hash             string            `json:"hash"`
	ParentHash       string            `json:"parentHash"`
	Timestamp        Quantity          `json:"timestamp"`
	TransactionsRoot string            `json:"transactionsRoot"`
	Transactions     []json.RawMessage `json:"transactions"`
}

func (evm) Cost() config.Cost {
	return config.Cost{Cycle: 1, Identity: 1, Hints: 2, Capabilities: 1, Block: 1}
}

func (d evm) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	b, hash, err := d.block(ctx, s, "latest")
	if err != nil {
		return Tip{}, err
	}
	parent, _ := hexHash(b.ParentHash, 32)
	return Tip{Height: uint64(*b.Number), Hash: hash, Parent: parent, Time: unixTime(uint64(b.Timestamp))}, nil
}

// Identity is the chain id in decimal, or the genesis hash if that is wanted.
func (d evm) Identity(ctx context.Context, s *Session, want string) (string, error) {
	if len(want) == 64 {
		_, hash, err := d.block(ctx, s, "0x0")
		return hash, err
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
	b, hash, err := d.block(ctx, s, "0x"+strconv.FormatUint(height, 16))
	if err != nil {
		return Block{}, err
	}
	if uint64(*b.Number) != height {
		return Block{}, s.Reject("another block than the one asked for")
	}
	parent, _ := hexHash(b.ParentHash, 32)
	block := Block{Height: height, Hash: hash, Parent: parent, Time: unixTime(uint64(b.Timestamp))}
	if root, ok := hexHash(b.TransactionsRoot, 32); transactions && b.Transactions != nil {
		block.Transactions = Some(Transactions{Count: len(b.Transactions)})
		if ok {
			block.Transactions.Value.Digest = root
		}
	}
	return block, nil
}

// block asks for one block by its tag or number. null, for a block that the
// provider announced or should have, is a failure of its own class.
func (evm) block(ctx context.Context, s *Session, number string) (evmBlock, string, error) {
	var b evmBlock
	raw, err := s.CallRaw(ctx, "eth_getBlockByNumber", []any{number, false})
	if err != nil {
		return b, "", err
	}
	if raw == nil {
		return b, "", s.RejectMissing(fmt.Sprintf("block %s is null", number))
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, "", s.Reject("a malformed block: " + err.Error())
	}
	hash, ok := hexHash(b.Hash, 32)
	if !ok || b.Number == nil {
		return b, "", s.Reject("a block without number and hash")
	}
	return b, hash, nil
}

// Hints asks eth_syncing, which is false or an object (true on some forks), and
// net_peerCount, which many vendors do not offer.
func (evm) Hints(ctx context.Context, s *Session, _ Tip) (Hints, error) {
	var h Hints
	raw, err := s.CallRaw(ctx, "eth_syncing", []any{})
	switch {
	case err == nil && raw != nil:
		h.Syncing = Some(string(raw) != "false")
	case seriousOnly(err) != nil:
		return h, err
	}
	if s.Unsupported("net_peerCount") {
		return h, nil
	}
	var peers *Quantity
	err = s.Call(ctx, "net_peerCount", []any{}, &peers)
	switch {
	case err == nil && peers != nil:
		h.Peers = Some(int(*peers))
	case reasonOf(err) == MethodUnsupported:
		s.NoteUnsupported("net_peerCount")
	default:
		return h, err
	}
	return h, nil
}
