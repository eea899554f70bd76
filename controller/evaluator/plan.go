package evaluator

import (
	"fmt"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// planner takes expressions apart into parts that are evaluated on their own, so
// that what stands in several rules is evaluated once, and what cannot have
// changed since the last time is not evaluated again. A part is put in the place
// where it stood as a selector of its result, so that the engine does all the
// work and the result is the same to the last bit.
type planner struct {
	// seen is how often an expression stands in the rules.
	seen  map[string]int
	parts map[string]*part
}

// sharedName is the name of the selector that stands for a part. Nobody may
// export such a name: two underscores at the front are Prometheus's own.
func sharedName(i int) string { return fmt.Sprintf("__part_%d__", i) }

// newPlanner makes a planner that knows the expressions of all rules.
func newPlanner(groups []Group) *planner {
	p := &planner{seen: map[string]int{}, parts: map[string]*part{}}
	for _, g := range groups {
		for _, r := range g.Rules {
			if expr, err := promQL.ParseExpr(r.Expr); err == nil && g.QueryOffset == 0 {
				p.count(expr)
			}
		}
	}
	return p
}

// count counts the expressions in an expression, but for those in subqueries,
// which are evaluated at other times.
func (p *planner) count(expr parser.Expr) {
	switch n := expr.(type) {
	case *parser.ParenExpr:
		p.count(n.Expr)
		return
	case *parser.SubqueryExpr, *parser.MatrixSelector, *parser.VectorSelector:
		return
	}
	p.seen[expr.String()]++
	for child := range parser.ChildrenIter(expr) {
		if e, ok := child.(parser.Expr); ok {
			p.count(e)
		}
	}
}

// plan is the part for the whole of an expression.
func (p *planner) plan(text string) (*part, error) {
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	return p.part(expr), nil
}

// part is the part for an expression, the same one for the same text.
func (p *planner) part(expr parser.Expr) *part {
	text := expr.String()
	if known, ok := p.parts[text]; ok {
		return known
	}
	made := &part{}
	p.parts[text] = made
	made.name = sharedName(len(p.parts))
	p.cutBelow(expr, made)
	if operates(expr) {
		made.operation = operationFor(expr, made.uses)
	}
	made.query = expr.String()
	made.study(expr)
	return made
}

// whole is a part that is evaluated as it stands and shares nothing, for rules
// that look from another time.
func whole(text string) *part { return &part{query: text, volatile: true} }

// cutBelow replaces what is worth it below an expression, and all vectors below
// one that there is an operation for.
func (p *planner) cutBelow(expr parser.Expr, user *part) {
	cut := p.cut
	if operates(expr) {
		cut = p.cutVector
	}
	switch n := expr.(type) {
	case *parser.ParenExpr:
		n.Expr = cut(n.Expr, user)
	case *parser.UnaryExpr:
		n.Expr = cut(n.Expr, user)
	case *parser.AggregateExpr:
		n.Expr = cut(n.Expr, user)
	case *parser.BinaryExpr:
		n.LHS, n.RHS = cut(n.LHS, user), cut(n.RHS, user)
	case *parser.Call:
		for i := range n.Args {
			n.Args[i] = cut(n.Args[i], user)
		}
	}
}

// cut is the expression itself, or the selector of the part for it.
func (p *planner) cut(expr parser.Expr, user *part) parser.Expr {
	if !p.worth(unwrap(expr)) {
		p.cutBelow(expr, user)
		return expr
	}
	return p.stand(expr, user)
}

// cutVector is the selector of the part for a vector, and a scalar itself.
func (p *planner) cutVector(expr parser.Expr, user *part) parser.Expr {
	if expr.Type() != parser.ValueTypeVector {
		return expr
	}
	return p.stand(expr, user)
}

// unwrap takes parentheses away.
func unwrap(expr parser.Expr) parser.Expr {
	for paren, ok := expr.(*parser.ParenExpr); ok; paren, ok = expr.(*parser.ParenExpr) {
		expr = paren.Expr
	}
	return expr
}

// stand is the selector that stands for an expression in the part that uses it.
func (p *planner) stand(expr parser.Expr, user *part) parser.Expr {
	used := p.part(unwrap(expr))
	if !slices.Contains(user.uses, used) {
		user.uses = append(user.uses, used)
	}
	name := &labels.Matcher{Type: labels.MatchEqual, Name: model.MetricNameLabel, Value: used.name}
	return &parser.VectorSelector{Name: used.name, LabelMatchers: []*labels.Matcher{name}}
}

// worth says whether an expression should be a part: if there is an operation for
// it, if it stands in several places, and where the result tends to stay as it is
// though the samples change, that is at comparisons, and at aggregations of a
// metric.
func (p *planner) worth(expr parser.Expr) bool {
	if expr.Type() != parser.ValueTypeVector {
		return false
	}
	if _, selector := expr.(*parser.VectorSelector); !selector && operates(expr) {
		return true
	}
	switch n := expr.(type) {
	case *parser.AggregateExpr:
		_, leaf := n.Expr.(*parser.VectorSelector)
		return leaf || p.seen[expr.String()] > 1
	case *parser.BinaryExpr:
		return n.Op.IsComparisonOperator() || p.seen[expr.String()] > 1
	case *parser.Call:
		return p.seen[expr.String()] > 1
	}
	return false
}

// named are the parts that selectors may stand for, by the selector's name.
func (p *planner) named() map[string]*part {
	named := make(map[string]*part, len(p.parts))
	for _, made := range p.parts {
		named[made.name] = made
	}
	return named
}
