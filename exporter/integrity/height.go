package integrity

import (
	"cmp"
	"maps"
	"slices"
)

// participant is a member that is up, with its tip.
type participant struct {
	Member
	tip Tip
}

// plan is who is asked at which height.
type plan struct {
	// height is where the providers are compared with each other.
	height uint64
	level  []participant
	// behind are those that would drag the height down; each is compared at
	// its own.
	behind []participant
}

// newPlan finds the common height: the lowest tip − depth, without those more
// than lead blocks behind the median operator. The median is the lower one, so
// that of two operators neither is behind: which of them is right about the tip
// cannot be told here. It is false while no tip is deep enough.
func newPlan(participants []participant, depth, lead uint64) (plan, bool) {
	if len(participants) == 0 {
		return plan{}, false
	}
	median := medianHeight(participants)
	var p plan
	lowest := ^uint64(0)
	for _, one := range participants {
		if one.tip.Height < median && median-one.tip.Height > lead {
			p.behind = append(p.behind, one)
			continue
		}
		p.level = append(p.level, one)
		lowest = min(lowest, one.tip.Height)
	}
	// The one at the median is always level. The genesis block is no test.
	if lowest <= depth {
		return plan{}, false
	}
	p.height = lowest - depth
	return p, true
}

// medianHeight is the lower median of what the operators reached.
func medianHeight(participants []participant) uint64 {
	heights := slices.Sorted(maps.Values(reached(participants)))
	return heights[(len(heights)-1)/2]
}

// reached is the highest tip that each operator's providers have.
func reached(participants []participant) map[string]uint64 {
	heights := map[string]uint64{}
	for _, p := range participants {
		heights[p.Operator] = max(heights[p.Operator], p.tip.Height)
	}
	return heights
}

// ordered puts participants in the order of their names, so that a round does
// not depend on the order in which tips are told.
func ordered(participants []participant) []participant {
	slices.SortFunc(participants, func(a, b participant) int {
		return cmp.Compare(a.Key.Provider, b.Key.Provider)
	})
	return participants
}
