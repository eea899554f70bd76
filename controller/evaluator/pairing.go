package evaluator

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// pairing is two vectors and the labels by which their elements match.
type pairing struct {
	left, right *part
	on          bool
	names       []string // In order.

	// What was learned holds for these shapes.
	learned               bool
	leftShape, rightShape uint64
}

func newPairing(left, right *part, by *parser.VectorMatching) pairing {
	names := slices.Clone(by.MatchingLabels)
	if !by.On {
		names = append(names, model.MetricNameLabel, model.MetricTypeLabel, model.MetricUnitLabel)
	}
	slices.Sort(names)
	return pairing{left: left, right: right, on: by.On, names: names}
}

// changed says whether the shapes are others than the last time that it was asked.
func (p *pairing) changed() bool {
	if p.learned && p.leftShape == p.left.shape && p.rightShape == p.right.shape {
		return false
	}
	p.learned, p.leftShape, p.rightShape = true, p.left.shape, p.right.shape
	return true
}

// signature is what of some labels has to be equal in a match.
func (p *pairing) signature(ls labels.Labels, buf []byte) []byte {
	if p.on {
		return ls.BytesWithLabels(buf, p.names...)
	}
	return ls.BytesWithoutLabels(buf, p.names...)
}

// index is where each signature stands in a list, and whether each stands there
// but once.
func (p *pairing) index(all []labels.Labels) (map[string]int32, bool) {
	index := make(map[string]int32, len(all))
	var buf []byte
	for i, ls := range all {
		buf = p.signature(ls, buf)
		index[string(buf)] = int32(i)
	}
	return index, len(index) == len(all)
}

// combination is a set operator.
type combination struct {
	pairing
	op parser.ItemType

	// fromLeft and fromRight are the elements of the result, and labels theirs.
	fromLeft, fromRight []int32
	labels              []labels.Labels
}

func (c *combination) apply(_ *memory, _ int64, values []float64) (vector, bool) {
	if c.changed() {
		c.learn()
	}
	for _, i := range c.fromLeft {
		values = append(values, c.left.result.values[i])
	}
	for _, i := range c.fromRight {
		values = append(values, c.right.result.values[i])
	}
	return vector{c.labels, values}, true
}

// learn finds what is in the result. No labels can be there twice, as equal ones
// match.
func (c *combination) learn() {
	c.fromLeft, c.fromRight = c.fromLeft[:0], c.fromRight[:0]
	left, right := c.left.result.labels, c.right.result.labels
	if c.op == parser.LOR {
		for i := range left {
			c.fromLeft = append(c.fromLeft, int32(i))
		}
		c.fromRight = c.among(c.fromRight, right, left, false)
	} else {
		c.fromLeft = c.among(c.fromLeft, left, right, c.op == parser.LAND)
	}
	switch {
	case len(c.fromRight) == 0 && len(c.fromLeft) == len(left):
		c.labels = left
	case len(c.fromLeft) == 0 && len(c.fromRight) == len(right):
		c.labels = right
	default:
		c.labels = make([]labels.Labels, 0, len(c.fromLeft)+len(c.fromRight))
		for _, i := range c.fromLeft {
			c.labels = append(c.labels, left[i])
		}
		for _, i := range c.fromRight {
			c.labels = append(c.labels, right[i])
		}
	}
}

// among adds the places of those in a list that match one in another, or none.
func (c *combination) among(to []int32, list, others []labels.Labels, match bool) []int32 {
	index, _ := c.index(others)
	var buf []byte
	for i, ls := range list {
		buf = c.signature(ls, buf)
		if _, ok := index[string(buf)]; ok == match {
			to = append(to, int32(i))
		}
	}
	return to
}

// join is an operator between the elements of two vectors that match. Each of
// the many matches one element at most on the side of the one.
type join struct {
	pairing
	op          parser.ItemType
	returnsBool bool
	matching    *parser.VectorMatching

	// many and one are the places of the pairs in the two lists, labels those of
	// the results; odd says that there are matches that must not be.
	many, one []int32
	labels    []labels.Labels
	odd       bool
	choice    choice
}

func (j *join) apply(m *memory, _ int64, values []float64) (vector, bool) {
	if j.left.result.len() == 0 || j.right.result.len() == 0 {
		return vector{nil, values}, true
	}
	if j.changed() {
		j.learn(m)
	}
	if j.odd {
		return vector{}, false
	}
	lefts, rights := j.left.result.values, j.right.result.values
	fromLeft, fromRight := j.many, j.one
	if j.matching.Card == parser.CardOneToMany {
		fromLeft, fromRight = fromRight, fromLeft
	}
	filters := !changesMeaning(j.op, j.returnsBool)
	j.choice.begin(j.labels)
	for i := range j.labels {
		result, holds := compute(j.op, lefts[fromLeft[i]], rights[fromRight[i]])
		switch {
		case j.returnsBool:
			values = append(values, asNumber(holds))
		case !filters:
			values = append(values, result)
		case holds:
			j.choice.add(i)
			values = append(values, result)
		}
	}
	if filters {
		return vector{j.choice.end(), values}, true
	}
	return vector{j.labels, values}, true
}

// learn finds the pairs and their labels.
func (j *join) learn(m *memory) {
	many, one := j.left.result.labels, j.right.result.labels
	if j.matching.Card == parser.CardOneToMany {
		many, one = one, many
	}
	j.many, j.one, j.labels = j.many[:0], j.one[:0], make([]labels.Labels, 0, len(many))
	index, unique := j.index(one)
	if j.odd = !unique; j.odd {
		return
	}
	var (
		buf     []byte
		taken   = make([]bool, len(one))
		builder = labels.NewBuilder(labels.EmptyLabels())
	)
	for i, ls := range many {
		buf = j.signature(ls, buf)
		k, ok := index[string(buf)]
		if !ok {
			continue
		}
		if j.matching.Card == parser.CardOneToOne && taken[k] {
			j.odd = true
			return
		}
		taken[k] = true
		j.many, j.one = append(j.many, int32(i)), append(j.one, k)
		j.labels = append(j.labels, m.intern(j.labelsOf(builder, ls, one[k])))
	}
	j.odd = !distinct(j.labels)
	if equalLabels(j.labels, many) {
		j.labels = many
	}
}

// labelsOf are the labels of the result of a pair.
func (j *join) labelsOf(b *labels.Builder, many, one labels.Labels) labels.Labels {
	b.Reset(many)
	if changesMeaning(j.op, j.returnsBool) {
		b.Del(model.MetricNameLabel, model.MetricTypeLabel, model.MetricUnitLabel)
	}
	if j.matching.Card == parser.CardOneToOne {
		if j.on {
			b.Keep(j.matching.MatchingLabels...)
		} else {
			b.Del(j.matching.MatchingLabels...)
		}
	}
	for _, name := range j.matching.Include {
		b.Set(name, one.Get(name)) // An empty value takes the label away.
	}
	return b.Labels()
}
