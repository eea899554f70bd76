package prober

import "slices"

// tally counts by a fixed set of labels. What it holds is replaced and never
// changed, so that copies are independent, and takes no memory before the first
// count.
type tally[L ~string] struct {
	labels []L
	counts []uint64
}

// of is the count of one label; 0 for one outside the set.
func (t tally[L]) of(label L) uint64 {
	if i := slices.Index(t.labels, label); i >= 0 && t.counts != nil {
		return t.counts[i]
	}
	return 0
}

// plus is the tally with one more of a label. A label outside the set is counted
// as other, which must be in it.
func (t tally[L]) plus(label, other L) tally[L] {
	i := slices.Index(t.labels, label)
	if i < 0 {
		i = slices.Index(t.labels, other)
	}
	counts := make([]uint64, len(t.labels))
	copy(counts, t.counts)
	counts[i]++
	return tally[L]{labels: t.labels, counts: counts}
}
