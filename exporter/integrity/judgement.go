package integrity

import (
	"context"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

// standard is what is right at a height, as far as it is known. Without a hash
// only those are blamed who contradict themselves.
type standard struct {
	height uint64
	hash   string
	norm   norm
	// holders are those who have the right block. At a laggard's own height it
	// is the one that was asked.
	holders []statement
}

// newStandard is the standard that the majority sets.
func newStandard(height uint64, right string, tellers []statement) standard {
	std := standard{height: height, hash: right}
	for _, s := range tellers {
		if s.block.Hash == right {
			std.holders = append(std.holders, s)
		}
	}
	std.norm = newNorm(std.holders)
	return std
}

// elect is the hash that the majority says, or, where there is none, that of
// those who are not blamed for a fork: who was outvoted before can't bring about
// a tie when one of the others no longer answers.
func (r *round) elect(statements []statement) (string, bool) {
	if right, agreed := electHash(statements); agreed {
		return right, true
	}
	return electHash(slices.DeleteFunc(slices.Clone(statements), func(s statement) bool {
		return r.records[s.Key].HashCause == CauseFork
	}))
}

// suspect is a provider that one look spoke against.
type suspect struct {
	statement
	std   standard
	cause Cause
}

// settleAll settles the statements of a first look and returns the suspects.
func (r *round) settleAll(statements []statement, std standard) []suspect {
	var suspects []suspect
	for _, s := range statements {
		if cause := r.settle(s, std, ""); cause != "" {
			suspects = append(suspects, suspect{s, std, cause})
		}
	}
	return suspects
}

// settle notes what a statement means for its provider. It blames for the cause
// that an earlier look found or that the provider is blamed for already; any
// other cause is returned, to be confirmed.
func (r *round) settle(s statement, std standard, earlier Cause) Cause {
	rec := r.records[s.Key]
	switch s.standing {
	case told:
		rec.noteBlock(s.height, r.checker.now())
	case missing:
		return r.settleMissing(s)
	default:
		return ""
	}
	switch {
	case std.hash == "":
		rec.leaveHash()
	case s.block.Hash == std.hash:
		if !r.stillForked(s) {
			rec.agreeHash()
		}
	case earlier == CauseFork, rec.HashCause == CauseFork:
		rec.blameFork(s.height)
		return ""
	default:
		return CauseFork
	}
	return r.settleTransactions(s, std, earlier)
}

// stillForked says whether a provider that has the right block may yet be on the
// fork that it was blamed for. It may while it was asked below that fork only,
// because another one has fallen behind; unless its own chain no longer reaches
// so high, as after a roll-back of all of them.
func (r *round) stillForked(s statement) bool {
	rec := r.records[s.Key]
	return rec.HashCause == CauseFork && s.height < rec.forked && s.tip.Height >= rec.forked
}

// settleTransactions is the part of settle about the transactions of a block
// that is right, or that nobody knows to be wrong.
func (r *round) settleTransactions(s statement, std standard, earlier Cause) Cause {
	rec := r.records[s.Key]
	if !s.block.Transactions.Known {
		return ""
	}
	cause, compared := std.norm.judge(s.Type, s.block.Transactions.Value)
	switch {
	case cause == "" && compared:
		rec.agreeTransactions()
	case cause == "":
		rec.leaveTransactions()
	case cause == earlier, cause == rec.TransactionsCause:
		rec.blameTransactions(cause)
	default:
		return cause
	}
	return ""
}

// settleMissing notes that a provider lacks a block. It is blamed the second
// time in a row that it lacks the same one, if in between it announced a tip that
// is far enough above: neither a chain that went back, nor a backend that is
// late, nor a block that takes a while to be served is enough.
func (r *round) settleMissing(s statement) Cause {
	rec := r.records[s.Key]
	switch {
	case rec.HashCause == CauseMissing:
		return ""
	case rec.missed.IsZero():
		rec.missed, rec.missedHeight = r.checker.now(), s.height
	case s.height != rec.missedHeight:
		return ""
	case r.contradicts(s.participant):
		rec.blameHash(CauseMissing)
		return ""
	}
	return CauseMissing
}

// askMissed asks those who lacked a block in an earlier round for the same one
// again, if it would mean something that they still do.
func (r *round) askMissed(ctx context.Context, participants []participant) {
	var questions []question
	for _, p := range participants {
		if rec := r.records[p.Key]; !rec.missed.IsZero() && rec.HashCause != CauseMissing && r.contradicts(p) {
			questions = append(questions, question{p, rec.missedHeight, false})
		}
	}
	for _, s := range r.ask(ctx, questions) {
		switch s.standing {
		case told:
			r.records[s.Key].missed = time.Time{}
		case missing:
			r.settleMissing(s)
		default:
			// It is left for the next round.
		}
	}
}

// contradicts says whether a provider that lacked a block has announced a tip
// since from which it must have it.
func (r *round) contradicts(p participant) bool {
	rec := r.records[p.Key]
	return p.tip.LastGood.After(rec.missed) &&
		p.tip.Height >= rec.missedHeight && p.tip.Height-rec.missedHeight >= r.spec.Integrity.Depth
}

// lookAgain waits and asks suspects a second time, those of them who are still
// up and high enough. Where nothing could follow from the answer, it is spared.
func (r *round) lookAgain(ctx context.Context, suspects []suspect) []statement {
	if len(suspects) == 0 || !sleep(ctx, r.spec.SuspectCheckInterval) {
		return nil
	}
	up := map[prober.Key]participant{}
	for _, p := range r.participants() {
		up[p.Key] = p
	}
	var questions []question
	for _, s := range suspects {
		p, ok := up[s.Key]
		if !ok || p.tip.Height < s.height || (s.cause == CauseMissing && !r.contradicts(p)) {
			continue
		}
		questions = append(questions, question{p, s.height, s.block.Transactions.Known})
	}
	return r.ask(ctx, questions)
}

// place is one provider at one height.
type place struct {
	key    prober.Key
	height uint64
}

// confirm is the second look at the suspects, together with one of the majority
// for each height: if that one has another block by now, the majority has moved
// and nobody is blamed for having another one than it had.
func (r *round) confirm(ctx context.Context, suspects []suspect, holders []statement) {
	all := suspects
	suspected := suspicion(suspects)
	references := map[uint64]prober.Key{}
	for _, s := range suspects {
		if _, done := references[s.height]; done || s.std.hash == "" || s.cause == CauseMissing || s.cause == CauseIncomplete {
			continue
		}
		key := pickReference(s.std, holders, suspected)
		references[s.height] = key
		if !suspected.of[place{key, s.height}] {
			reference := statement{participant: participant{Member: r.members[key]}, height: s.height}
			all = append(all, suspect{statement: reference, std: s.std})
		}
	}
	again := map[place]statement{}
	for _, s := range r.lookAgain(ctx, all) {
		again[place{s.Key, s.height}] = s
	}
	for _, s := range suspects {
		second, ok := again[place{s.Key, s.height}]
		if !ok {
			continue
		}
		std := s.std
		reference := again[place{references[s.height], s.height}]
		if reference.standing != told || reference.block.Hash != std.hash {
			std = standard{height: s.height}
		}
		r.settle(second, std, s.cause)
	}
}

// suspected is who and whose is suspect.
type suspected struct {
	of        map[place]bool
	operators map[string]bool
}

// suspicion is the suspects as a set.
func suspicion(suspects []suspect) suspected {
	s := suspected{map[place]bool{}, map[string]bool{}}
	for _, one := range suspects {
		s.of[place{one.Key, one.height}] = true
		s.operators[one.Operator] = true
	}
	return s
}

// pickReference is one of the majority, if possible of an operator none of whose
// providers is suspect. At a laggard's own height it is, if possible, another
// one than the first look asked.
func pickReference(std standard, holders []statement, s suspected) prober.Key {
	best, rank := holders[0], -1
	for _, h := range holders {
		n := 0
		if !s.operators[h.Operator] {
			n += 2
		}
		if h.height == std.height || h.Key != std.holders[0].Key {
			n++
		}
		if n > rank {
			best, rank = h, n
		}
	}
	return best.Key
}
