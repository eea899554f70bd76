package integrity

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// maxCamps bounds how many sides of a split are asked in the search for their
// last common block.
const maxCamps = 4

// dispute is what follows a first look without a majority: a second one, and a
// split only if that has none either. In a split that was noticed before, one
// look is enough to see that it goes on. Those who contradict themselves are
// blamed all the same.
func (r *round) dispute(ctx context.Context, height uint64, first []statement) {
	suspects := r.settleAll(first, standard{height: height})
	if r.result.Split {
		r.takeSides(first)
		r.confirm(ctx, suspects, nil)
		r.search(ctx, height, first)
		return
	}
	earlier := map[place]Cause{}
	all := suspects
	for _, s := range suspects {
		earlier[place{s.Key, s.height}] = s.cause
	}
	for _, s := range with(first, told) {
		if _, listed := earlier[place{s.Key, s.height}]; !listed {
			all = append(all, suspect{statement: s})
		}
	}
	again := r.lookAgain(ctx, all)
	std := standard{height: height}
	tellers := with(again, told)
	right, agreed := r.elect(again)
	if agreed && len(tellers) > 1 {
		// Who still differs has been seen against a majority only once.
		std = newStandard(height, right, tellers)
		r.agree(height)
	}
	for _, s := range again {
		r.settle(s, std, earlier[place{s.Key, s.height}])
	}
	if !agreed && len(tellers) > 1 {
		r.result.Split, r.result.SplitSince = true, r.checker.now()
		r.takeSides(again)
		r.search(ctx, height, again)
	}
}

// takeSides notes who is on which side of a split.
func (r *round) takeSides(statements []statement) {
	for _, rec := range r.records {
		rec.side = ""
	}
	for _, s := range with(statements, told) {
		r.records[s.Key].side = s.block.Hash
	}
}

// ofOneSide says whether those who are left of a split are all of one side of it.
func (w *watched) ofOneSide() bool {
	sides := map[string]bool{}
	for _, rec := range w.records {
		if rec.side != "" {
			sides[rec.side] = true
		}
	}
	return len(sides) == 1
}

// search finds the last block that the camps have in common, beginning where it
// was found before.
func (r *round) search(ctx context.Context, height uint64, statements []statement) {
	camps := campsOf(with(statements, told))
	hint := r.result.CommonHeight
	common, found := lastCommon(height, hint, searchBudget, func(h uint64) sameness {
		return compareCamps(r.ask(ctx, blocksOf(camps, h, false)))
	})
	r.result.CommonHeight.Value, r.result.CommonHeight.Known = common, found
}

// campsOf has one provider for each hash, those of the most operators first.
func campsOf(tellers []statement) []participant {
	type camp struct {
		first     statement
		operators map[string]bool
	}
	byHash := map[string]camp{}
	for _, s := range tellers {
		c, ok := byHash[s.block.Hash]
		if !ok {
			c = camp{s, map[string]bool{}}
			byHash[s.block.Hash] = c
		}
		c.operators[s.Operator] = true
	}
	camps := slices.SortedFunc(maps.Values(byHash), func(a, b camp) int {
		return cmp.Or(cmp.Compare(len(b.operators), len(a.operators)), cmp.Compare(a.first.block.Hash, b.first.block.Hash))
	})
	var firsts []participant
	for _, c := range camps[:min(len(camps), maxCamps)] {
		firsts = append(firsts, c.first.participant)
	}
	return firsts
}

// compareCamps says whether the camps have the same block. A block that one has
// where another has none is not common.
func compareCamps(statements []statement) sameness {
	tellers, skips := with(statements, told), with(statements, skipped)
	switch {
	case len(tellers)+len(skips) < len(statements):
		return untold
	case len(tellers) == 0:
		return skippedByAll
	case len(skips) > 0:
		return otherBlocks
	}
	for _, s := range tellers[1:] {
		if s.block.Hash != tellers[0].block.Hash {
			return otherBlocks
		}
	}
	return sameBlock
}
