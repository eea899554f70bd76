package integrity

import (
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// Cause says in which way a provider is inconsistent. "" is none.
type Cause string

// The causes of HashDiffers and of TransactionsDiffer.
const (
	// CauseFork: another block than the majority's.
	CauseFork Cause = "fork"
	// CauseMissing: twice no block at a height well below the announced tip.
	CauseMissing Cause = "missing"
	// CauseIncomplete: fewer transactions than the block's own header says.
	CauseIncomplete Cause = "incomplete"
	// CauseFewer and CauseMore: another number than the majority's.
	CauseFewer Cause = "fewer"
	CauseMore  Cause = "more"
	// CauseDigest: the same number, but others.
	CauseDigest Cause = "other"
)

// Result is what is known of the integrity of one provider. Each verdict is
// unknown until a check said something about it.
type Result struct {
	// HashDiffers and TransactionsDiffer stand until a later check of the
	// provider says otherwise.
	HashDiffers, TransactionsDiffer chain.Optional[bool]
	// HashCause and TransactionsCause are "" unless the verdict is true.
	HashCause, TransactionsCause Cause
	// TipVerified is known of leaders only, and only until the next round.
	TipVerified chain.Optional[bool]
	// CheckedHeight and CheckedAt are those of the last check in which the
	// provider told its block; zero if it never did.
	CheckedHeight uint64
	CheckedAt     time.Time
}

// ChainResult is what is known of a chain as a whole.
type ChainResult struct {
	// Split says that there is no majority.
	Split bool
	// SplitSince is when the split was noticed; zero if there is none.
	SplitSince time.Time
	// AgreedAt is when a majority last agreed on a block, and AgreedHeight
	// which one; zero if none ever did.
	AgreedAt     time.Time
	AgreedHeight uint64
	// CommonHeight is the last block that all sides of a split have; unknown
	// without a split, or if it could not be found.
	CommonHeight chain.Optional[uint64]
	// CheckedAt is when the last round ended; zero before the first.
	CheckedAt time.Time
}

// record is what is kept of one provider between rounds.
type record struct {
	Result
	// missed is when the provider said that it lacks a block that it should
	// have, and missedHeight which one; zero if it has told a block since.
	missed       time.Time
	missedHeight uint64
	// forked is the lowest height at which it has had another block since it was
	// blamed for a fork. That it has the right one below says nothing.
	forked uint64
	// side is the block it had when its chain was last seen to be split; "" if none.
	side string
	// quiet is until when it asked to be left alone.
	quiet time.Time
	// begun is when the last round that asked it began.
	begun time.Time
	// asked counts the blocks it was asked for. It is shared between copies.
	asked *atomic.Uint64
}

// noteBlock notes that the provider told its block.
func (r *record) noteBlock(height uint64, now time.Time) {
	r.missed = time.Time{}
	r.CheckedHeight, r.CheckedAt = height, now
}

// agreeHash notes that the block is the right one.
func (r *record) agreeHash() { r.HashDiffers, r.HashCause = chain.Some(false), "" }

// blameHash notes that the block is not the right one, or not there.
func (r *record) blameHash(c Cause) { r.HashDiffers, r.HashCause = chain.Some(true), c }

// blameFork notes that the block at a height is of another chain.
func (r *record) blameFork(height uint64) {
	if r.HashCause != CauseFork || height < r.forked {
		r.forked = height
	}
	r.blameHash(CauseFork)
}

// leaveHash notes a block that could not be compared. That it is there at all
// ends a verdict that it is missing.
func (r *record) leaveHash() {
	if r.HashCause == CauseMissing {
		r.HashDiffers, r.HashCause = chain.Optional[bool]{}, ""
	}
}

// agreeTransactions notes that the transactions are the right ones.
func (r *record) agreeTransactions() {
	r.TransactionsDiffer, r.TransactionsCause = chain.Some(false), ""
}

// blameTransactions notes that the transactions are not the right ones.
func (r *record) blameTransactions(c Cause) {
	r.TransactionsDiffer, r.TransactionsCause = chain.Some(true), c
}

// leaveTransactions notes transactions that could not be compared. That they
// are as many as the header says ends a verdict that they are fewer than that.
func (r *record) leaveTransactions() {
	if r.TransactionsCause == CauseIncomplete {
		r.TransactionsDiffer, r.TransactionsCause = chain.Optional[bool]{}, ""
	}
}

// forget drops what was found out by comparison, when nobody is left to compare
// with.
func (r *record) forget() {
	if r.HashCause != CauseMissing {
		r.HashDiffers, r.HashCause = chain.Optional[bool]{}, ""
	}
	if r.TransactionsCause != CauseIncomplete {
		r.TransactionsDiffer, r.TransactionsCause = chain.Optional[bool]{}, ""
	}
	r.TipVerified = chain.Optional[bool]{}
}
