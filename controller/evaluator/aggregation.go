package evaluator

import (
	"math"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/kahansum"
)

// aggregation is an aggregation of the elements of a vector in groups.
type aggregation struct {
	of      *part
	op      parser.ItemType
	without bool
	names   []string // In order.

	// group is that of each element, numbered in the order in which they begin, and
	// labels those of each group, for a shape of the vector.
	learned bool
	shape   uint64
	group   []int32
	labels  []labels.Labels
	// lost is what each sum has lost to rounding.
	lost []float64
}

// aggregates says whether an aggregation is known here.
func aggregates(op parser.ItemType) bool {
	switch op {
	case parser.SUM, parser.MIN, parser.MAX, parser.COUNT, parser.GROUP:
		return true
	}
	return false
}

func newAggregation(n *parser.AggregateExpr, of *part) *aggregation {
	names := slices.Clone(n.Grouping)
	if n.Without {
		names = append(names, model.MetricNameLabel, model.MetricTypeLabel, model.MetricUnitLabel)
	}
	slices.Sort(names)
	return &aggregation{of: of, op: n.Op, without: n.Without, names: names}
}

func (a *aggregation) apply(m *memory, _ int64, values []float64) (vector, bool) {
	a.know(m)
	first := len(values)
	for i, v := range a.of.result.values {
		if g := int(a.group[i]); g == len(values)-first {
			values = append(values, a.begin(g, v))
		} else {
			a.include(g, &values[first+g], v)
		}
	}
	if a.op == parser.SUM {
		for g, lost := range a.lost {
			values[first+g] += lost
		}
	}
	return vector{a.labels, values}, true
}

// begin is the value of a group with one element.
func (a *aggregation) begin(g int, v float64) float64 {
	switch a.op {
	case parser.COUNT, parser.GROUP:
		return 1
	case parser.SUM:
		a.lost[g] = 0
	}
	return v
}

// include takes one more element into a group.
func (a *aggregation) include(g int, of *float64, v float64) {
	switch a.op {
	case parser.COUNT:
		*of++
	case parser.SUM:
		*of, a.lost[g] = kahansum.Inc(v, *of, a.lost[g])
	case parser.MAX:
		if *of < v || math.IsNaN(*of) {
			*of = v
		}
	case parser.MIN:
		if *of > v || math.IsNaN(*of) {
			*of = v
		}
	}
}

// know learns the groups, if it does not know them.
func (a *aggregation) know(m *memory) {
	if !a.learned || a.shape != a.of.shape {
		a.learn(m)
	}
}

// learn finds the groups.
func (a *aggregation) learn(m *memory) {
	a.learned, a.shape = true, a.of.shape
	from := a.of.result.labels
	a.group, a.labels = a.group[:0], make([]labels.Labels, 0, len(from))
	var (
		key     []byte
		index   = map[string]int32{}
		builder = labels.NewBuilder(labels.EmptyLabels())
	)
	for _, ls := range from {
		if a.without {
			key = ls.BytesWithoutLabels(key, a.names...)
		} else {
			key = ls.BytesWithLabels(key, a.names...)
		}
		g, ok := index[string(key)]
		if !ok {
			g = int32(len(a.labels))
			index[string(key)] = g
			a.labels = append(a.labels, m.intern(a.labelsOf(builder, ls)))
		}
		a.group = append(a.group, g)
	}
	if equalLabels(a.labels, from) {
		a.labels = from
	} else {
		a.labels = slices.Clip(a.labels)
	}
	if a.op == parser.SUM {
		a.lost = make([]float64, len(a.labels))
	}
}

// labelsOf are the labels of a group with this element.
func (a *aggregation) labelsOf(b *labels.Builder, ls labels.Labels) labels.Labels {
	if !a.without && len(a.names) == 0 {
		return labels.EmptyLabels()
	}
	b.Reset(ls)
	if a.without {
		b.Del(a.names...)
	} else {
		b.Keep(a.names...)
	}
	return b.Labels()
}
