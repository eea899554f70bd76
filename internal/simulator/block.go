package simulator

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Block is one block, in no dialect's form.
type Block struct {
	Height uint64
	Hash   Hash
	// Parent is the hash of the block before; zero for block 0.
	Parent Hash
	Time   time.Time
	// Transactions are the ids, in order.
	Transactions []Hash
}

// maxInBlock bounds the place of a transaction in its block; see
// transactionID.
const maxInBlock = 1 << 16

// Block is the chain's own block of a height, whether the chain has reached it
// yet or not.
func (c *Chain) Block(height uint64) Block { return c.blockOn(Fork{}, c.genesis, height) }

// Hash is the hash of the chain's own block of a height.
func (c *Chain) Hash(height uint64) Hash { return c.hashOn(Fork{}, c.genesis, height) }

// HashText is Hash in the form in which a configuration names it: lower-case
// hexadecimal, and base58 on Solana.
func (c *Chain) HashText(height uint64) string {
	if c.options.Kind == config.Solana {
		return c.Hash(height).Base58()
	}
	return c.Hash(height).Hex()
}

func (c *Chain) blockOn(fork Fork, genesis Hash, height uint64) Block {
	b := Block{Height: height, Hash: c.hashOn(fork, genesis, height), Time: c.TimeOf(height)}
	if height > 0 {
		b.Parent = c.hashOn(fork, genesis, height-1)
	}
	b.Transactions = make([]Hash, c.count(b.Hash))
	for i := range b.Transactions {
		b.Transactions[i] = transactionID(b.Hash, height, i)
	}
	return b
}

// hashOn is the hash of a height on a fork; the zero Fork is the chain itself.
func (c *Chain) hashOn(fork Fork, genesis Hash, height uint64) Hash {
	if height == 0 {
		return genesis
	}
	name := fork.Name
	if name == "" || height < fork.From {
		name = c.forkAt(height)
	}
	seed := make([]byte, 0, 64)
	seed = append(seed, c.options.Name...)
	seed = append(seed, '/')
	seed = append(seed, name...)
	seed = append(seed, '/')
	seed = binary.BigEndian.AppendUint64(seed, height)
	h := Hash(sha256.Sum256(seed))
	switch c.options.Kind {
	case config.Bitcoin:
		// Proof of work shows as zeros at the front.
		clear(h[:4])
	case config.Tron:
		// A block id of Tron begins with the height.
		binary.BigEndian.PutUint64(h[:8], height)
	}
	h.hide(height)
	return h
}

// forkAt is the name of the last reorganisation that changed a height.
func (c *Chain) forkAt(height uint64) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for i := len(c.forks) - 1; i >= 0; i-- {
		if height >= c.forks[i].From {
			return c.forks[i].Name
		}
	}
	return ""
}

// count is the number of transactions in a block.
func (c *Chain) count(hash Hash) int {
	if c.options.Transactions == 0 {
		return 0
	}
	return 1 + int(hash[16])%min(c.options.Transactions, maxInBlock-1)
}

// transactionID is the id of a transaction by its place.
func transactionID(block Hash, height uint64, place int) Hash {
	seed := binary.BigEndian.AppendUint32(append(make([]byte, 0, 48), block[:]...), uint32(place))
	h := Hash(sha256.Sum256(seed))
	h.hide(height<<16 | uint64(place))
	return h
}

// derived is a hash of something that belongs to a block, such as its state
// root.
func derived(what string, block Hash) Hash {
	return sha256.Sum256(append([]byte(what), block[:]...))
}
