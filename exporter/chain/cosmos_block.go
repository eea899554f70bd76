package chain

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"
)

// cosmosBlock is a block as CometBFT and the Cosmos REST API write it. Both use
// the same members; only the form of the hashes differs.
type cosmosBlock struct {
	ID    *cosmosBlockID `json:"block_id"`
	Block *cosmosContent `json:"block"`
	// SDKBlock stands beside Block since version 0.47 of the SDK, with the
	// proposer in another form.
	SDKBlock *cosmosContent `json:"sdk_block"`
}

type cosmosBlockID struct {
	Hash string `json:"hash"`
}

type cosmosContent struct {
	Header struct {
		ChainID  string        `json:"chain_id"`
		Height   *Quoted       `json:"height"`
		Time     time.Time     `json:"time"`
		Last     cosmosBlockID `json:"last_block_id"`
		DataHash string        `json:"data_hash"`
	} `json:"header"`
	Data *struct {
		Txs []json.RawMessage `json:"txs"`
	} `json:"data"`
}

// hashReader brings a hash to its normal form and says whether it is one.
type hashReader func(text string) (hash string, ok bool)

// content is the block itself, or nil.
func (b cosmosBlock) content() *cosmosContent {
	if b.Block != nil {
		return b.Block
	}
	return b.SDKBlock
}

// at is the block, which must be the one of a height.
func (b cosmosBlock) at(s *Session, height uint64, transactions bool, read hashReader) (Block, error) {
	block, err := b.read(s, read)
	if err != nil {
		return Block{}, err
	}
	if block.Height != height {
		return Block{}, s.Reject("another block than the one asked for")
	}
	if !transactions {
		block.Transactions = Optional[Transactions]{}
	}
	return block, nil
}

// read is the block with what is known of its transactions. The header commits
// to them by data_hash, the root of their hashes.
func (b cosmosBlock) read(s *Session, read hashReader) (Block, error) {
	c := b.content()
	switch {
	case b.ID == nil:
		return Block{}, s.Reject("no block_id")
	case c == nil:
		return Block{}, s.RejectMissing("the block is null")
	}
	hash, ok := read(b.ID.Hash)
	if !ok || c.Header.Height == nil {
		return Block{}, s.Reject("a block without height and hash")
	}
	block := Block{Height: uint64(*c.Header.Height), Hash: hash, Time: writtenTime(c.Header.Time)}
	// The first block names no parent.
	if parent := c.Header.Last.Hash; parent != "" {
		if block.Parent, ok = read(parent); !ok {
			return Block{}, s.Reject("last_block_id is not a hash")
		}
	}
	if c.Data != nil {
		digest, _ := read(c.Header.DataHash)
		block.Transactions = Some(Transactions{Count: len(c.Data.Txs), Digest: digest})
	}
	return block, nil
}

// base64Hash reads a hash of 32 bytes in base64.
func base64Hash(text string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != 32 {
		return "", false
	}
	return hex.EncodeToString(raw), true
}
