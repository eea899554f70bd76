package simulator

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// stellarProtocol is the version of the network's protocol.
const stellarProtocol = 23

// xdr is a buffer of Stellar's binary form (RFC 4506), in which the clients of
// stellar-rpc read what is not JSON.
type xdr []byte

func (x xdr) u32(values ...uint32) xdr {
	for _, n := range values {
		x = binary.BigEndian.AppendUint32(x, n)
	}
	return x
}

func (x xdr) u64(values ...uint64) xdr {
	for _, n := range values {
		x = binary.BigEndian.AppendUint64(x, n)
	}
	return x
}

func (x xdr) hash(values ...Hash) xdr {
	for _, h := range values {
		x = append(x, h[:]...)
	}
	return x
}

func (x xdr) base64() string { return base64.StdEncoding.EncodeToString(x) }

// stellarHeader is a LedgerHeader. Its hash is not the ledger's, which follows
// from the height.
func stellarHeader(b Block) xdr {
	x := xdr(nil).u32(stellarProtocol).hash(b.Parent)
	// The value: transaction set, close time, no upgrades, no extension.
	x = x.hash(derived("transactions", b.Hash)).u64(uint64(b.Time.Unix())).u32(0, 0)
	x = x.hash(derived("results", b.Hash), derived("buckets", b.Hash)).u32(uint32(b.Height))
	// Coins, fee pool, inflation, ids, base fee, base reserve, largest set.
	x = x.u64(1_054_439_020_873_472_865, 1000).u32(0).u64(1).u32(100, 5_000_000, 100)
	return x.hash(Hash{}, Hash{}, Hash{}, Hash{}).u32(0)
}

// stellarHistoryEntry is a LedgerHeaderHistoryEntry: a header with its hash.
func stellarHistoryEntry(b Block) xdr {
	return append(xdr(nil).hash(b.Hash), stellarHeader(b)...).u32(0)
}

// stellarMeta is a LedgerCloseMeta of version 0, without transactions.
func stellarMeta(b Block) xdr {
	x := append(xdr(nil).u32(0), stellarHistoryEntry(b)...)
	return x.hash(b.Parent).u32(0, 0, 0, 0)
}

// stellarAccount is the LedgerEntryData of an account; key is its LedgerKey.
// ok is false for the key of anything else.
func stellarAccount(key []byte) (entry xdr, ok bool) {
	if len(key) != 40 || binary.BigEndian.Uint64(key) != 0 {
		return nil, false
	}
	x := append(xdr(nil), key...)
	// Balance, sequence number, sub-entries, no inflation destination, flags,
	// no home domain, thresholds, no signers, no extension.
	return x.u64(10_000_000_000, 1).u32(0, 0, 0, 0, 0x01000000, 0, 0), true
}

// stellarVoid is the ScVal of a call that returns nothing.
func stellarVoid() xdr { return xdr(nil).u32(1) }

// stellarResources are the SorobanTransactionData of a call that touches
// nothing.
func stellarResources() xdr { return xdr(nil).u32(0, 0, 0, 1000, 0, 0).u64(100) }

// stellarSuccess is the TransactionResult of a transaction without operations,
// and stellarNoChange its TransactionMeta of version 3.
func stellarSuccess() xdr { return xdr(nil).u64(100).u32(0, 0, 0) }

func stellarNoChange() xdr { return xdr(nil).u32(3, 0, 0, 0, 0, 0) }

// stellarTime is a time as Horizon writes it.
func stellarTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// submission is a transaction that a provider took in.
type submission struct {
	raw string
	// at is the height that the provider had.
	at uint64
}

// maxSubmissions bounds what a chain remembers of them; the oldest go first.
const maxSubmissions = 1000

// submit remembers a transaction for the whole chain: it is in the block after
// the one that the provider had.
func (c *Chain) submit(raw string, at uint64) Hash {
	id := derived("sent"+raw, Hash{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.submitted[id]; known {
		return id
	}
	if c.submitted == nil {
		c.submitted = map[Hash]submission{}
	}
	if len(c.order) == maxSubmissions {
		delete(c.submitted, c.order[0])
		c.order = c.order[1:]
	}
	c.submitted[id], c.order = submission{raw: raw, at: at}, append(c.order, id)
	return id
}

// submission is a transaction by its id in hexadecimal.
func (c *Chain) submission(id string) (submission, bool) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != len(Hash{}) {
		return submission{}, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.submitted[Hash(b)]
	return s, ok
}
