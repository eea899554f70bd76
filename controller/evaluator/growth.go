package evaluator

import (
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
)

// growth is increase() over a range of the series of a selector.
type growth struct {
	selecting

	// of are the labels of the series that those of the results were made from.
	of       []labels.Labels
	results  []labels.Labels
	distinct bool
}

func newGrowth(m *parser.MatrixSelector) *growth {
	return &growth{selecting: *newSelecting(m.VectorSelector.(*parser.VectorSelector), m.Range.Milliseconds())}
}

func (g *growth) apply(m *memory, t int64, values []float64) (vector, bool) {
	if !g.look(m) {
		return vector{}, false
	}
	if !sameLabels(g.of, g.labels) {
		g.learnResults()
	}
	if !g.distinct {
		return vector{}, false
	}
	g.choice.begin(g.results)
	for i, one := range g.series {
		if v, ok := increase(&one.points, t-g.back, t); ok {
			g.choice.add(i)
			values = append(values, v)
		}
	}
	return vector{g.choice.end(), values}, true
}

// learnResults finds the labels of the results.
func (g *growth) learnResults() {
	g.of, g.results = g.labels, make([]labels.Labels, len(g.labels))
	for i, ls := range g.labels {
		g.results[i] = ls.DropReserved(isMetadata)
	}
	g.distinct = distinct(g.results)
}

// increase is how much a counter has grown in the range that begins after start,
// extrapolated to the whole of it. It takes two points to know. The order of the
// additions is the engine's, so that they round alike.
func increase(points *ring, start, end int64) (float64, bool) {
	from, to := points.search(start+1), points.search(end+1)
	for from < to && value.IsStaleNaN(points.at(from).v) {
		from++
	}
	for from < to && value.IsStaleNaN(points.at(to-1).v) {
		to--
	}
	if to-from < 2 {
		return 0, false
	}
	first, last := *points.at(from), *points.at(to - 1)
	grown, before, steps := last.v-first.v, first.v, 0
	for i := from + 1; i < to; i++ {
		v := points.at(i).v
		if value.IsStaleNaN(v) {
			continue
		}
		if v < before {
			// The counter began anew.
			grown += before
		}
		before = v
		steps++
	}
	return grown * extension(first, last, steps, grown, start, end), true
}

// extension is by how much a growth between two points is extended to the range
// around them: to its bounds if these are about as near as the points are to each
// other, else by half a step, and never to before the counter was zero.
func extension(first, last point, steps int, grown float64, start, end int64) float64 {
	toStart, toEnd := float64(first.t-start)/1000, float64(end-last.t)/1000
	sampled := float64(last.t-first.t) / 1000
	step := sampled / float64(steps)
	near := step * 1.1
	if toStart >= near {
		toStart = step / 2
	}
	toZero := toStart
	if grown > 0 && first.v >= 0 {
		toZero = sampled * (first.v / grown)
	}
	if toZero < toStart {
		toStart = toZero
	}
	if toEnd >= near {
		toEnd = step / 2
	}
	return (sampled + toStart + toEnd) / sampled
}
