package evaluator

import (
	"container/heap"
	"math"
	"sort"

	"github.com/prometheus/prometheus/promql/parser"
)

// ranking is topk: the elements with the highest values of each group.
type ranking struct {
	of     *part
	groups *aggregation
	number func(t int64) float64
	heaps  []ranks
	choice choice
}

// ranksPlainly says whether an aggregation is topk with a number that is known.
func ranksPlainly(n *parser.AggregateExpr) bool {
	return n.Op == parser.TOPK && numberOf(n.Param) != nil
}

func newRanking(n *parser.AggregateExpr, of *part) *ranking {
	return &ranking{of: of, groups: newAggregation(n, of), number: numberOf(n.Param)}
}

func (r *ranking) apply(m *memory, t int64, values []float64) (vector, bool) {
	k := r.number(t)
	if !(k >= 1 && k < math.MaxInt32) {
		return vector{}, false
	}
	r.groups.know(m)
	for len(r.heaps) < len(r.groups.labels) {
		r.heaps = append(r.heaps, ranks{})
	}
	heaps := r.heaps[:len(r.groups.labels)]
	for i := range heaps {
		heaps[i].indexes, heaps[i].values = heaps[i].indexes[:0], r.of.result.values
	}
	for i := range r.of.result.values {
		heaps[r.groups.group[i]].offer(i, int(k))
	}
	r.choice.begin(r.of.result.labels)
	for i := range heaps {
		h := &heaps[i]
		if h.Len() > 1 {
			sort.Sort(sort.Reverse(h))
		}
		for _, at := range h.indexes {
			r.choice.add(int(at))
			values = append(values, h.values[at])
		}
		h.values = nil
	}
	return vector{r.choice.end(), values}, true
}

// ranks are places in a list of values, as a heap with the lowest value first. It
// does all as the engine does, so that equal values come in the same order.
type ranks struct {
	indexes []int32
	values  []float64
}

// offer takes in a place if its value is among the k highest.
func (r *ranks) offer(i, k int) {
	if r.Len() < k {
		heap.Push(r, int32(i))
		return
	}
	lowest, v := r.values[r.indexes[0]], r.values[i]
	if lowest < v || (math.IsNaN(lowest) && !math.IsNaN(v)) {
		r.indexes[0] = int32(i)
		if k > 1 {
			heap.Fix(r, 0)
		}
	}
}

// Len is the number of places.
func (r *ranks) Len() int { return len(r.indexes) }

// Less says whether one value is below another; what is no number is below all.
func (r *ranks) Less(i, j int) bool {
	a, b := r.values[r.indexes[i]], r.values[r.indexes[j]]
	return math.IsNaN(a) || a < b
}

// Swap swaps two places.
func (r *ranks) Swap(i, j int) { r.indexes[i], r.indexes[j] = r.indexes[j], r.indexes[i] }

// Push appends a place.
func (r *ranks) Push(i any) { r.indexes = append(r.indexes, i.(int32)) }

// Pop takes the last place away.
func (r *ranks) Pop() any {
	last := r.indexes[len(r.indexes)-1]
	r.indexes = r.indexes[:len(r.indexes)-1]
	return last
}
