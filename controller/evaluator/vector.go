package evaluator

import (
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
)

// vector is a result: values and, at the same places, the labels they belong to.
// Nobody changes the labels of a vector, so that several may share them: most
// expressions give other values each time, and the same labels. The zero value is
// empty.
type vector struct {
	labels []labels.Labels
	values []float64
}

func (v vector) len() int { return len(v.values) }

// sameLabels says whether two lists of labels are one list. Lists that are not may
// still be equal.
func sameLabels(a, b []labels.Labels) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// equalLabels says whether two lists hold the same labels in the same order.
func equalLabels(a, b []labels.Labels) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !labels.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// fromEngine is the engine's result, with the list of labels given if it is equal.
func fromEngine(result promql.Vector, before []labels.Labels, values []float64) vector {
	same := len(result) == len(before)
	for i := 0; same && i < len(result); i++ {
		same = labels.Equal(result[i].Metric, before[i])
	}
	if !same {
		before = make([]labels.Labels, len(result))
		for i, s := range result {
			before[i] = s.Metric
		}
	}
	for _, s := range result {
		values = append(values, s.F)
	}
	return vector{before, values}
}

// distinct says whether no labels stand twice in a list.
func distinct(all []labels.Labels) bool {
	seen := make(map[string]struct{}, len(all))
	var key []byte
	for _, ls := range all {
		key = ls.Bytes(key)
		seen[string(key)] = struct{}{}
	}
	return len(seen) == len(all)
}

// interned are labels by their hash. What many results are about, as a provider,
// has its labels in memory once, and they are quick to compare.
type interned map[uint64]labels.Labels

// of gives the labels that were seen first of all equal ones. It forgets all if
// there are more than the limit, of which most must be of what is gone.
func (in interned) of(ls labels.Labels, limit int) labels.Labels {
	hash := ls.Hash()
	first, ok := in[hash]
	switch {
	case ok && labels.Equal(first, ls):
		return first
	case len(in) >= limit:
		clear(in)
	}
	in[hash] = ls
	return ls
}

// intern is the interned form of labels of a result.
func (m *memory) intern(ls labels.Labels) labels.Labels { return m.interned.of(ls, max(1000, m.count)) }

// choice is which elements of a vector are in a result. It remembers the last one
// and its labels, as it tends to be the next one too. The zero value is ready.
type choice struct {
	from    []labels.Labels
	indexes []int32
	labels  []labels.Labels
	next    int
	same    bool
}

// begin starts a choice among the elements with these labels.
func (c *choice) begin(from []labels.Labels) {
	c.same, c.next = sameLabels(from, c.from), 0
	c.from = from
}

// add chooses an element. None may be chosen twice.
func (c *choice) add(i int) {
	if c.same && c.next < len(c.indexes) && c.indexes[c.next] == int32(i) {
		c.next++
		return
	}
	c.same = false
	c.indexes = append(c.indexes[:c.next], int32(i))
	c.next++
}

// end gives the labels of the elements chosen.
func (c *choice) end() []labels.Labels {
	if c.same && c.next == len(c.indexes) {
		return c.labels
	}
	c.indexes = c.indexes[:c.next]
	if len(c.indexes) == len(c.from) && slices.IsSorted(c.indexes) {
		c.labels = c.from
		return c.labels
	}
	c.labels = make([]labels.Labels, len(c.indexes))
	for k, i := range c.indexes {
		c.labels[k] = c.from[i]
	}
	return c.labels
}

// sameValues says whether two lists of values are the same to the last bit.
func sameValues(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}
