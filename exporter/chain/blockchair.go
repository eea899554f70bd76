package chain

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// blockchair speaks Blockchair's REST API, which serves several families, each
// chain under its own path. Its answers come out of a cache and may be a minute
// old. An API key stands in the query of the provider's URL and stays there.
type blockchair struct {
	// path is the chain's name in Blockchair's paths, or "" if the provider's
	// URL holds it already.
	path string
	kind config.Kind
}

func newBlockchair(c config.Chain, p config.Provider) Dialect {
	name, served := config.BlockchairPath(c.Name)
	if own := strings.Split(p.RPCHost.Reveal().Path, "/"); !served || slices.Contains(own, name) {
		name = ""
	}
	return blockchair{path: name, kind: c.Kind}
}

// ledgers says whether the chain belongs to the families that Blockchair serves
// as "ledgers", with less than of the others.
func (b blockchair) ledgers() bool { return b.kind == config.XRPL || b.kind == config.Stellar }

func (b blockchair) Cost() config.Cost {
	cost := config.Cost{Cycle: 1, Identity: 1, Block: 1}
	if b.ledgers() {
		cost.Identity = 0
	}
	return cost
}

// blockchairStats is the part of /stats that counts. Ledgers are named
// differently from blocks.
type blockchairStats struct {
	BlockHeight  *Decimal `json:"best_block_height"`
	BlockHash    string   `json:"best_block_hash"`
	BlockTime    string   `json:"best_block_time"`
	LedgerHeight *Decimal `json:"best_ledger_height"`
	LedgerHash   string   `json:"best_ledger_hash"`
	LedgerTime   string   `json:"best_ledger_time"`
}

func (b blockchair) Tip(ctx context.Context, s *Session, _ Tip) (Tip, error) {
	data, err := b.ask(ctx, s, "stats", nil)
	if err != nil {
		return Tip{}, err
	}
	var stats *blockchairStats
	if err := json.Unmarshal(data, &stats); err != nil {
		return Tip{}, s.Reject("malformed stats: " + err.Error())
	}
	if stats == nil {
		return Tip{}, s.Reject("no data")
	}
	height, text, when := stats.BlockHeight, stats.BlockHash, stats.BlockTime
	if b.ledgers() {
		height, text, when = stats.LedgerHeight, stats.LedgerHash, stats.LedgerTime
	}
	hash, ok := hexHash(text, 32)
	at, err := blockchairTime(when)
	if height == nil || !ok || err != nil {
		return Tip{}, s.Reject("no height, hash or time of the best block")
	}
	return Tip{Height: uint64(*height), Hash: hash, Time: at}, nil
}

// ask asks for a path below the chain's and hands out the data, null included.
// What went wrong stands in context.code, an HTTP status that the real one need
// not equal.
func (b blockchair) ask(ctx context.Context, s *Session, path string, query url.Values) (json.RawMessage, error) {
	if b.path != "" {
		path = b.path + "/" + path
	}
	r, err := s.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data    json.RawMessage `json:"data"`
		Context struct {
			Code  json.RawMessage `json:"code"`
			Error string          `json:"error"`
		} `json:"context"`
	}
	if err := json.Unmarshal(r.body, &answer); err != nil || r.status >= 300 {
		return nil, s.refuse(r, Optional[int64]{}, answer.Context.Error)
	}
	if code, err := parseDecimal(string(answer.Context.Code)); err == nil && code >= 300 {
		return nil, s.refuseAs(r, RPCError, Some(int64(code)), answer.Context.Error)
	}
	if answer.Data == nil {
		return nil, s.Reject("no data")
	}
	return answer.Data, nil
}

// blockchairTime reads a time of the form 2019-07-25 13:40:20, which is UTC.
func blockchairTime(text string) (time.Time, error) { return time.Parse(time.DateTime, text) }

// ethereumGenesis is the hash of Ethereum's genesis block (MainnetGenesisHash
// of go-ethereum's params).
const ethereumGenesis = "d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"

// Identity is the hash of the genesis block; of Ethereum's, the chain id 1,
// unless the hash is wanted. Blockchair tells no chain id, so that another EVM
// network is known here by its genesis hash alone. Nor does it tell anything by
// which a network of ledgers proves itself: there the path is what names it,
// and Blockchair serves the main networks under it.
func (b blockchair) Identity(ctx context.Context, s *Session, want string) (string, error) {
	switch b.kind {
	case config.XRPL:
		return "0", nil
	case config.Stellar:
		return "Public Global Stellar Network ; September 2015", nil
	}
	genesis, err := b.Block(ctx, s, 0, false)
	if err != nil {
		return "", err
	}
	if b.kind == config.EVM && len(want) != 64 && genesis.Hash == ethereumGenesis {
		return "1", nil
	}
	return genesis.Hash, nil
}

func (b blockchair) Block(ctx context.Context, s *Session, height uint64, transactions bool) (Block, error) {
	if b.ledgers() {
		return b.ledger(ctx, s, height)
	}
	var found struct {
		Block *struct {
			ID      *Decimal `json:"id"`
			Hash    string   `json:"hash"`
			Time    string   `json:"time"`
			TxCount *Decimal `json:"transaction_count"`
		} `json:"block"`
	}
	// The list of transactions would be cut off at a hundred.
	err := b.entry(ctx, s, "dashboards/block/", height, url.Values{"limit": {"0"}}, &found)
	if err != nil {
		return Block{}, err
	}
	summary := found.Block
	if summary == nil {
		return Block{}, s.RejectMissing("the block is null")
	}
	hash, ok := hexHash(summary.Hash, 32)
	at, err := blockchairTime(summary.Time)
	switch {
	case !ok || err != nil || summary.ID == nil || summary.TxCount == nil:
		return Block{}, s.Reject("a block without id, hash, time or transaction_count")
	case uint64(*summary.ID) != height:
		return Block{}, s.Reject("another block than the one asked for")
	}
	block := Block{Height: height, Hash: hash, Time: at}
	if transactions {
		block.Transactions = Some(Transactions{Count: int(*summary.TxCount)})
	}
	return block, nil
}

// ledger asks for a ledger as the node behind Blockchair knows it: xrpld's and
// Horizon's fields.
func (b blockchair) ledger(ctx context.Context, s *Session, height uint64) (Block, error) {
	var found struct {
		Ledger *struct {
			XRPLHash    string `json:"ledger_hash"`
			StellarHash string `json:"hash"`
		} `json:"ledger"`
	}
	if err := b.entry(ctx, s, "raw/ledger/", height, nil, &found); err != nil {
		return Block{}, err
	}
	if found.Ledger == nil {
		return Block{}, s.RejectMissing("the ledger is null")
	}
	text := found.Ledger.StellarHash
	if b.kind == config.XRPL {
		text = found.Ledger.XRPLHash
	}
	hash, ok := hexHash(text, 32)
	if !ok {
		return Block{}, s.Reject("a ledger without a hash")
	}
	return Block{Height: height, Hash: hash}, nil
}

// entry asks for what stands under a height. What Blockchair does not have is
// left out of the data, which then is null or an empty list.
func (b blockchair) entry(ctx context.Context, s *Session, path string, height uint64, query url.Values, found any) error {
	key := strconv.FormatUint(height, 10)
	data, err := b.ask(ctx, s, path+key, query)
	if f, ok := errors.AsType[*Failure](err); ok && f.Code == Some(int64(http.StatusNotFound)) {
		return s.RejectMissing(f.Text)
	}
	if err != nil {
		return s.notFoundIsMissing(err)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data, &entries); err != nil && string(data) != "[]" {
		return s.Reject("data of another shape: " + err.Error())
	}
	entry, ok := entries[key]
	if !ok {
		return s.RejectMissing("no block of this height")
	}
	if err := json.Unmarshal(entry, found); err != nil {
		return s.Reject("a malformed block: " + err.Error())
	}
	return nil
}
