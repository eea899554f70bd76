package evaluator

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql/parser"
)

// part is an expression that is evaluated on its own, with its last result.
type part struct {
	// name is the selector that stands for the result in other parts.
	name string
	// query is the expression, with selectors in the place of the parts it uses.
	query string
	uses  []*part
	// operation gives the result without the engine, mostly; nil if none can.
	operation operation
	// inputs are the metrics that query reads itself.
	inputs []string
	// timed says that the result depends on the time or on earlier samples, and
	// so holds for its own time only; volatile, that nobody knows what it depends
	// on, and it never holds.
	timed, volatile bool

	// known says that result is the one for the time at and the versions.
	known    bool
	at       int64
	versions []uint64
	result   vector
	// version changes with the result, shape with its labels and their order.
	version, shape uint64
	// The result held at the time held, when the memory had changed that often.
	held    int64
	changes uint64
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
	t := timestamp.FromTime(at)
	if p.known && !p.volatile && p.held == t && p.changes == e.memory.changes {
		return nil
	}
	for _, used := range p.uses {
		if err := e.ensure(ctx, used, at); err != nil {
			p.known = false
			return err
		}
	}
	if p.holds(e.memory, t) {
		p.held, p.changes = t, e.memory.changes
		return nil
	}
	p.known = false
	result, err := e.find(ctx, p, at)
	if err != nil {
		return err
	}
	if !p.take(result) {
		p.version++
	}
	p.remember(e.memory, t)
	return nil
}

// find finds the result of a part whose parts are found. It is good until the
// next.
func (e *Evaluator) find(ctx context.Context, p *part, at time.Time) (vector, error) {
	if p.operation != nil {
		result, ok := p.operation.apply(e.memory, timestamp.FromTime(at), e.values[:0])
		e.values = result.values
		samples := result.len()
		for _, used := range p.uses {
			samples += used.result.len()
		}
		if ok && samples <= e.maxSamples {
			return result, nil
		}
	}
	answer, err := e.query(ctx, p.query, at)
	if err != nil {
		return vector{}, err
	}
	result := fromEngine(answer, p.result.labels, e.values[:0])
	e.values = result.values
	return result, nil
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
	p.known, p.at, p.held, p.changes = true, t, t, m.changes
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
func (p *part) take(result vector) bool {
	same := true
	if !sameLabels(result.labels, p.result.labels) {
		if same = equalLabels(result.labels, p.result.labels); !same {
			p.shape++
		}
		p.result.labels = result.labels
	}
	for i, v := range result.values {
		result.values[i] = plain(v)
	}
	same = same && sameValues(result.values, p.result.values)
	p.result.values = append(p.result.values[:0], result.values...)
	return same
}
