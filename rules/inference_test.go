package rules_test

import (
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// target are the labels that Prometheus adds to what it scrapes.
var target = []string{"instance", "job"}

// inference tells which labels the results of an expression have. It knows the
// parts of PromQL that the rule files use.
type inference struct {
	published, recorded map[string][]string
}

func newInference() inference {
	published := map[string][]string{"up": target}
	for _, m := range slices.Concat(rules.Exporter(), rules.Controller()) {
		published[m.Name] = slices.Concat(m.Labels, target)
	}
	return inference{published, map[string][]string{}}
}

// labels are those of each result; none of a scalar. It fails for a series that
// does not exist yet, and for a join on labels that a side does not have.
func (i inference) labels(expr parser.Expr) ([]string, error) {
	switch e := expr.(type) {
	case *parser.NumberLiteral, *parser.StringLiteral:
		return nil, nil
	case *parser.ParenExpr:
		return i.labels(e.Expr)
	case *parser.UnaryExpr:
		return i.labels(e.Expr)
	case *parser.MatrixSelector:
		return i.labels(e.VectorSelector)
	case *parser.VectorSelector:
		return i.selector(e)
	case *parser.AggregateExpr:
		return i.aggregate(e)
	case *parser.Call:
		return i.call(e)
	case *parser.BinaryExpr:
		return i.binary(e)
	}
	return nil, fmt.Errorf("%T is new here", expr)
}

func (i inference) selector(e *parser.VectorSelector) ([]string, error) {
	for _, known := range []map[string][]string{i.published, i.recorded} {
		if labels, ok := known[e.Name]; ok {
			return labels, nil
		}
	}
	// A rule that remembers its own results has the labels of its name.
	if parts := recordName.FindStringSubmatch(e.Name); parts != nil && i.recorded[e.Name] == nil {
		return levels[parts[1]], nil
	}
	return nil, fmt.Errorf("nobody publishes %s, nor was it recorded before", e.Name)
}

func (i inference) aggregate(e *parser.AggregateExpr) ([]string, error) {
	inner, err := i.labels(e.Expr)
	if err != nil {
		return nil, err
	}
	for _, l := range e.Grouping {
		if !slices.Contains(inner, l) {
			return nil, fmt.Errorf("%s: no label %s", e, l)
		}
	}
	switch {
	case e.Op == parser.TOPK:
		return inner, nil
	case e.Without:
		return minus(inner, e.Grouping), nil
	}
	return e.Grouping, nil
}

func (i inference) call(e *parser.Call) ([]string, error) {
	switch e.Func.Name {
	case "time", "vector", "absent":
		return nil, nil
	case "label_replace":
		inner, err := i.labels(e.Args[0])
		return append(slices.Clone(inner), e.Args[1].(*parser.StringLiteral).Val), err
	case "increase", "round", "last_over_time", "max_over_time":
		return i.labels(e.Args[0])
	}
	return nil, fmt.Errorf("function %s is new here", e.Func.Name)
}

func (i inference) binary(e *parser.BinaryExpr) ([]string, error) {
	left, err := i.labels(e.LHS)
	if err != nil {
		return nil, err
	}
	right, err := i.labels(e.RHS)
	if err != nil {
		return nil, err
	}
	match := e.VectorMatching
	switch {
	case match == nil && e.LHS.Type() == parser.ValueTypeScalar:
		return right, nil
	case match == nil:
		return left, nil
	}
	if match.On {
		for _, l := range match.MatchingLabels {
			if !slices.Contains(left, l) || !slices.Contains(right, l) {
				return nil, fmt.Errorf("%s: a side has no label %s", e, l)
			}
		}
	} else if e.Op != parser.LOR && !same(minus(left, match.MatchingLabels), minus(right, match.MatchingLabels)) {
		return nil, fmt.Errorf("%s: one side has the labels %v, the other %v", e, left, right)
	}
	// absent() tells of a target that is not there, and so has no labels to tell.
	absence := slices.Equal(left, target) && len(right) == 0
	switch {
	case e.Op == parser.LOR && !same(left, right) && !absence:
		return nil, fmt.Errorf("%s: either %v or %v", e, left, right)
	case e.Op.IsSetOperator(), match.Card == parser.CardManyToOne:
		return append(slices.Clone(left), match.Include...), nil
	case match.Card == parser.CardOneToMany:
		return append(slices.Clone(right), match.Include...), nil
	case match.On:
		return match.MatchingLabels, nil
	}
	return left, nil
}

// minus are the labels that are not among others.
func minus(labels, others []string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return slices.Contains(others, l) })
}

// same compares without regard to order.
func same(a, b []string) bool { return len(minus(a, b)) == 0 && len(minus(b, a)) == 0 }
