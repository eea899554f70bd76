package rulelint

import (
	"fmt"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// remark is something wrong within an expression.
type remark struct {
	// position counts bytes from the beginning of the expression.
	position int
	severity Severity
	check    string
	message  string
}

// reader goes through one expression.
type reader struct {
	*knowledge
	report func(remark)
}

// labels is the set of the series of an expression. What cannot be right on the
// way is reported, if anybody wants to know.
func (k *knowledge) labels(e parser.Expr, report func(remark)) labelSet {
	if report == nil {
		report = func(remark) {}
	}
	return reader{k, report}.read(e)
}

// say reports a remark at the beginning of a node.
func (r reader) say(at parser.Node, s Severity, check, format string, values ...any) {
	r.report(remark{int(at.PositionRange().Start), s, check, fmt.Sprintf(format, values...)})
}

// read derives the labels of an expression from those of its parts. Scalars and
// texts have none.
func (r reader) read(e parser.Expr) labelSet {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return r.read(e.Expr)
	case *parser.StepInvariantExpr:
		return r.read(e.Expr)
	case *parser.UnaryExpr:
		return r.read(e.Expr)
	case *parser.SubqueryExpr:
		return r.read(e.Expr)
	case *parser.MatrixSelector:
		return r.read(e.VectorSelector)
	case *parser.VectorSelector:
		return r.selector(e)
	case *parser.AggregateExpr:
		return r.aggregate(e)
	case *parser.Call:
		return r.call(e)
	case *parser.BinaryExpr:
		return r.binary(e)
	}
	return labelSet{}
}

// nameOf is the name of the metric that a selector selects; empty if it is not
// given as such.
func nameOf(v *parser.VectorSelector) string {
	if v.Name != "" {
		return v.Name
	}
	for _, m := range v.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return ""
}

// selector is the set of a metric, narrowed by the matchers.
func (r reader) selector(v *parser.VectorSelector) labelSet {
	name, s := nameOf(v), anything()
	if m, ok := r.exported[name]; ok {
		s = r.scraped(m)
	}
	if recorded, ok := r.recorded[name]; ok {
		s = recorded.labels
	}
	if s.none {
		return s
	}
	for _, m := range v.LabelMatchers {
		if m.Name != model.MetricNameLabel {
			s = r.matched(v, s, m)
		}
	}
	return s
}

// matched narrows a set by one matcher.
func (r reader) matched(v *parser.VectorSelector, s labelSet, m *labels.Matcher) labelSet {
	switch {
	case m.Matches(""):
		if m.Type == labels.MatchEqual {
			return s.with(m.Name, never)
		}
		return s
	case s.presence(m.Name) == never:
		r.say(v, Error, checkSelector, "%s has no label %q, so that %s selects nothing; it has %s", nameOf(v), m.Name, m, list(s.names(sure)))
		return labelSet{none: true}
	case m.Type == labels.MatchEqual:
		return s.with(m.Name, fixed)
	}
	return s.with(m.Name, max(sure, s.presence(m.Name)))
}

// aggregate is the set after an aggregation.
func (r reader) aggregate(a *parser.AggregateExpr) labelSet {
	s := r.read(a.Expr)
	if a.Param != nil {
		r.read(a.Param)
	}
	switch {
	case slices.Contains([]parser.ItemType{parser.TOPK, parser.BOTTOMK, parser.LIMITK, parser.LIMIT_RATIO}, a.Op):
		return s
	case a.Without:
		s = s.drop(a.Grouping)
	default:
		s = s.keep(a.Grouping)
	}
	if a.Op == parser.COUNT_VALUES {
		if name := text(a.Param); name != "" && !s.none {
			s = s.with(name, sure)
		}
	}
	return s
}

// binary is the set of an operation between two expressions.
func (r reader) binary(b *parser.BinaryExpr) labelSet {
	left, right := r.read(b.LHS), r.read(b.RHS)
	switch {
	case b.LHS.Type() == parser.ValueTypeScalar:
		return right
	case b.RHS.Type() == parser.ValueTypeScalar:
		return left
	case b.VectorMatching == nil:
		return anything()
	case b.Op == parser.LOR:
		return union(left, right)
	}
	if left.none || right.none {
		if b.Op == parser.LUNLESS {
			return left
		}
		return labelSet{none: true}
	}
	r.join(b, left, right)
	return joined(b, left, right)
}

// joined is the set of the pairs that match.
func joined(b *parser.BinaryExpr, left, right labelSet) labelSet {
	m := b.VectorMatching
	switch {
	case b.Op == parser.LUNLESS:
		return left
	case b.Op == parser.LAND:
		return alike(left, right, m)
	case m.Card == parser.CardOneToMany:
		left, right = right, left
	case m.Card == parser.CardOneToOne && m.On:
		left = alike(left, right, m)
		return left.keep(m.MatchingLabels)
	case m.Card == parser.CardOneToOne:
		return alike(left, right, m).drop(m.MatchingLabels)
	}
	result := alike(left, right, m)
	for _, name := range m.Include {
		result = result.with(name, right.presence(name))
	}
	return result
}

// alike is the left set with what the match says of it: a label that pairs are
// matched on is there if it is there on either side.
func alike(left, right labelSet, m *parser.VectorMatching) labelSet {
	names := m.MatchingLabels
	if !m.On {
		names = slices.Concat(left.names(never), right.names(never))
		names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(m.MatchingLabels, name) })
	}
	for _, name := range names {
		switch p, q := left.presence(name), right.presence(name); {
		case p == maybe && q >= sure:
			left = left.with(name, q)
		case p == sure && q == fixed:
			left = left.with(name, fixed)
		case p == maybe && q == never:
			left = left.with(name, never)
		}
	}
	return left
}
