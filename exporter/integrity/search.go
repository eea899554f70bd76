package integrity

import "github.com/understudy-rpc/understudy/exporter/chain"

// searchBudget is how many heights a search for the last common block may ask.
// Doubling the distance and then halving it takes at most 2·log2(d) steps for a
// fork of d > 1 blocks, so that forks of up to 65,536 blocks are found. Going
// back block by block instead would ask without bound.
const searchBudget = 32

// sameness is what the camps of a split say of one height.
type sameness uint8

const (
	// untold: one of them gave no answer, which ends the search.
	untold sameness = iota
	sameBlock
	otherBlocks
	// skippedByAll: no block exists there; the height below tells.
	skippedByAll
)

// search is one search for the last common block.
type search struct {
	ask  func(height uint64) sameness
	left int
	// high is the lowest height known to differ.
	high uint64
	// low is the highest height up to which nothing differs, and common the
	// block that was seen there, or below it if low was skipped.
	low, common uint64
	found, over bool
}

// lastCommon finds the highest block that the camps have in common, below a
// height at which they differ. hint is where an earlier search found it. It is
// false if the budget does not reach, nobody tells, or nothing is in common.
func lastCommon(high uint64, hint chain.Optional[uint64], budget int, ask func(height uint64) sameness) (uint64, bool) {
	s := &search{ask: ask, left: budget, high: high}
	if hint.Known && hint.Value < high {
		s.try(hint.Value)
		if s.found && hint.Value+1 < s.high {
			s.try(hint.Value + 1)
		}
	}
	from := s.high
	for distance := uint64(1); !s.found && !s.over; distance *= 2 {
		if s.high == 0 {
			return 0, false
		}
		s.try(min(from-min(distance, from), s.high-1))
	}
	for !s.over && s.high-s.low > 1 {
		s.try(s.low + (s.high-s.low)/2)
	}
	return s.common, s.found && !s.over
}

// try asks a height, and those below it while everybody says skipped.
func (s *search) try(height uint64) {
	for h := height; ; h-- {
		if s.left == 0 {
			s.over = true
			return
		}
		s.left--
		switch s.ask(h) {
		case sameBlock:
			s.low, s.common, s.found = height, h, true
			return
		case otherBlocks:
			s.high = h
			return
		case skippedByAll:
			if h == 0 {
				s.over = true
				return
			}
		default:
			s.over = true
			return
		}
	}
}
