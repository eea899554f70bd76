package evaluator

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// part is an expression that is evaluated on its own, with its last result.
type part struct {
	// name is the selector that stands for the result in other parts.
	name string
	// query is the expression, with selectors in the place of the parts it uses.
	query string
	uses  []*part
	// inputs are the metrics that query reads itself.
	inputs []string
	// timed says that the result depends on the time or on earlier samples, and
	// so holds for its own time only; volatile, that nobody knows what it depends
	// on, and it never holds.
	timed, volatile bool

	// known says that elements are the result for the time at and the versions.
	known    bool
	at       int64
	versions []uint64
	elements []element
	// version changes with the result, shape with its labels and their order.
	version, shape uint64
}

// element is an element of a vector.
type element struct {
	labels labels.Labels
	value  float64
}

// timeless are the functions whose result depends on their arguments alone.
var timeless = []string{
	"abs", "absent", "ceil", "clamp", "clamp_max", "clamp_min", "exp", "floor", "label_join", "label_replace",
	"ln", "log10", "log2", "round", "scalar", "sgn", "sort", "sort_desc", "sqrt", "vector",
}

// study finds out what the query depends on.
func (p *part) study(expr parser.Expr) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.Call:
			p.timed = p.timed || !slices.Contains(timeless, n.Func.Name)
		case *parser.MatrixSelector, *parser.SubqueryExpr:
			p.timed = true
		case *parser.VectorSelector:
			p.studySelector(n)
		}
		return nil
	})
}

func (p *part) studySelector(n *parser.VectorSelector) {
	if slices.ContainsFunc(p.uses, func(u *part) bool { return u.name == n.Name }) {
		return
	}
	if n.OriginalOffset != 0 || n.OriginalOffsetExpr != nil || n.Timestamp != nil || n.StartOrEnd != 0 {
		p.timed = true
	}
	i := slices.IndexFunc(n.LabelMatchers, func(m *labels.Matcher) bool {
		return m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual
	})
	if i < 0 {
		p.volatile = true
		return
	}
	if name := n.LabelMatchers[i].Value; !slices.Contains(p.inputs, name) {
		p.inputs = append(p.inputs, name)
	}
}

// ensure makes the result of a part hold for a time.
func (e *Evaluator) ensure(ctx context.Context, p *part, at time.Time) error {
	for _, used := range p.uses {
		if err := e.ensure(ctx, used, at); err != nil {
			p.known = false
			return err
		}
	}
	t := timestamp.FromTime(at)
	if p.holds(e.memory, t) {
		return nil
	}
	p.known = false
	vector, err := e.query(ctx, p.query, at)
	if err != nil {
		return err
	}
	if !p.take(vector) {
		p.version++
	}
	p.remember(e.memory, t)
	return nil
}

// holds says whether the last result is that of the time t.
func (p *part) holds(m *memory, t int64) bool {
	if !p.known || p.volatile || (p.timed && p.at != t) {
		return false
	}
	for i, name := range p.inputs {
		if version, ok := m.version(name, t, p.timed); !ok || version != p.versions[i] {
			return false
		}
	}
	for i, used := range p.uses {
		if used.version != p.versions[len(p.inputs)+i] {
			return false
		}
	}
	return true
}

// remember notes what the result depends on.
func (p *part) remember(m *memory, t int64) {
	p.at, p.known = t, true
	p.versions = p.versions[:0]
	for _, name := range p.inputs {
		version, ok := m.version(name, t, p.timed)
		p.known = p.known && ok
		p.versions = append(p.versions, version)
	}
	for _, used := range p.uses {
		p.versions = append(p.versions, used.version)
	}
}

// take takes in a result, and says whether it is the same as the last one.
func (p *part) take(vector promql.Vector) bool {
	same := len(vector) == len(p.elements)
	for i := 0; same && i < len(vector); i++ {
		same = labels.Equal(vector[i].Metric, p.elements[i].labels)
	}
	if !same {
		p.elements = slices.Grow(p.elements[:0], len(vector))
		for _, s := range vector {
			p.elements = append(p.elements, element{s.Metric, plain(s.F)})
		}
		p.shape++
		return false
	}
	for i, s := range vector {
		if v := plain(s.F); math.Float64bits(v) != math.Float64bits(p.elements[i].value) {
			p.elements[i].value, same = v, false
		}
	}
	return same
}
