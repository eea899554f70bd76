package chain

import (
	"errors"
	"time"
)

// Optional is a value that a provider may not have told. The zero value is
// unknown, which is never the same as zero.
type Optional[T any] struct {
	Value T
	Known bool
}

// Some is a known value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Known: true} }

// Tip is the newest block that a provider knows.
type Tip struct {
	// Height is the block's number: a slot on Solana, a ledger's sequence on
	// Stellar and the XRP Ledger.
	Height uint64
	// Hash is lower-case hexadecimal without 0x (base58 on Solana); "" if the
	// protocol does not tell it with the height.
	Hash string
	// Parent is the hash of the block before, or "".
	Parent string
	// Time is the block's own time stamp; zero if unknown.
	Time time.Time
	// Network is the identity, where the same answer carries it; else "".
	Network string
	// Hints are the self-reports that the same answer carries.
	Hints Hints
}

// Follows says whether the tip may well be a later look at the same chain as
// the previous one: not lower, not another block at the same height, a child
// that names its parent, and no more than step blocks further. A reorganisation
// breaks this as well; it is a reason to look closer, not a verdict.
func (t Tip) Follows(previous Tip, step uint64) bool {
	switch {
	case t.Height < previous.Height || t.Height-previous.Height > step:
		return false
	case t.Height == previous.Height:
		return t.Hash == "" || previous.Hash == "" || t.Hash == previous.Hash
	case t.Height == previous.Height+1:
		return t.Parent == "" || previous.Hash == "" || t.Parent == previous.Hash
	}
	return true
}

// Hints are what a provider says of itself. Real nodes say "ok" thousands of
// slots behind and "syncing" at the tip, so that these count only together with
// heights.
type Hints struct {
	Syncing Optional[bool]
	Peers   Optional[int]
}

// merge prefers what the later hints know.
func (h Hints) merge(later Hints) Hints {
	if later.Syncing.Known {
		h.Syncing = later.Syncing
	}
	if later.Peers.Known {
		h.Peers = later.Peers
	}
	return h
}

// Observation is what one probe found out.
type Observation struct {
	Tip
	// HasTip says whether the provider told its tip; without it Tip is zero.
	HasTip bool
	// Latency is that of the height request.
	Latency time.Duration
	// Identity is what the provider said which network it serves; "" if it was
	// not asked.
	Identity string
	// OffCheckpoint says whether the block at the configured checkpoint is
	// another one; unknown if it was not asked or could not be told.
	OffCheckpoint Optional[bool]
	// Capabilities holds what was verified in this probe; nil if not asked.
	Capabilities map[string]bool
	// CertificateExpiry is when the provider's certificate, or one above it,
	// ends; also of one that was not accepted. Zero without TLS.
	CertificateExpiry time.Time
	// Exchanges are the requests of this probe, in order, the failed one last.
	Exchanges []Exchange
}

// Block is one block as a provider knows it.
type Block struct {
	Height uint64
	Hash   string
	Parent string
	Time   time.Time
	// Transactions is unknown if it was not asked for or the protocol does not
	// tell it.
	Transactions Optional[Transactions]
}

// Transactions is what is compared of a block's transactions.
type Transactions struct {
	// Count is the number that the provider hands out.
	Count int
	// Missing is how many fewer that is than the block's own header says.
	Missing int
	// Digest identifies them (a root, or a hash over the ids in order); "" if
	// the protocol tells only the number. Digests of different provider types
	// do not compare.
	Digest string
}

var (
	// ErrSkipped says that the chain has no block at that height: Solana's
	// skipped slots.
	ErrSkipped = errors.New("no block exists at this height")
	// ErrPruned says that the provider no longer keeps the block.
	ErrPruned = errors.New("the provider no longer keeps this block")
)
