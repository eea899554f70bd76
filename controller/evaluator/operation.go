package evaluator

import (
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// operation does for one operator of PromQL, over results that are there already,
// what the engine would do, to the last bit. What it saves is what the engine does
// anew each time: which elements match which, and what labels come of it, depend
// on the labels alone, and these hardly ever change.
//
// An operation knows the plain case. It declines for everything else, as where
// elements match that must not, and the engine finds the result, or the words for
// what is wrong.
type operation interface {
	// apply gives the result for a time, its values in the list given. It says
	// whether it could.
	apply(m *memory, t int64, values []float64) (vector, bool)
}

// The functions of ranges that there are operations for.
const (
	lastOverTime     = "last_over_time"
	increaseFunction = "increase"
)

// operates says whether there is an operation for an expression.
func operates(expr parser.Expr) bool {
	switch n := expr.(type) {
	case *parser.VectorSelector:
		return plainSelector(n)
	case *parser.Call:
		_, last := rangeOf(n, lastOverTime)
		_, grown := rangeOf(n, increaseFunction)
		return last || grown
	case *parser.AggregateExpr:
		return (n.Param == nil && aggregates(n.Op)) || ranksPlainly(n)
	case *parser.BinaryExpr:
		left, right := n.LHS.Type(), n.RHS.Type()
		switch {
		case left == parser.ValueTypeVector && right == parser.ValueTypeVector:
			return n.VectorMatching.FillValues == (parser.VectorMatchFillValues{}) && (n.Op.IsSetOperator() || computes(n.Op))
		case left == parser.ValueTypeVector:
			return computes(n.Op) && numberOf(n.RHS) != nil
		case right == parser.ValueTypeVector:
			return computes(n.Op) && numberOf(n.LHS) != nil
		}
	}
	return false
}

// operationFor is the operation for an expression that has one, and whose vectors
// are selectors of the parts given.
func operationFor(expr parser.Expr, uses []*part) operation {
	used := func(e parser.Expr) *part {
		name := unwrap(e).(*parser.VectorSelector).Name
		for _, u := range uses {
			if u.name == name {
				return u
			}
		}
		return nil
	}
	switch n := expr.(type) {
	case *parser.VectorSelector:
		return newSelecting(n, 0)
	case *parser.Call:
		if m, ok := rangeOf(n, increaseFunction); ok {
			return newGrowth(m)
		}
		m, _ := rangeOf(n, lastOverTime)
		return newSelecting(m.VectorSelector.(*parser.VectorSelector), m.Range.Milliseconds())
	case *parser.AggregateExpr:
		if n.Op == parser.TOPK {
			return newRanking(n, used(n.Expr))
		}
		return newAggregation(n, used(n.Expr))
	case *parser.BinaryExpr:
		switch {
		case n.LHS.Type() != parser.ValueTypeVector:
			return &scaling{of: used(n.RHS), number: numberOf(n.LHS), op: n.Op, swapped: true, returnsBool: n.ReturnBool}
		case n.RHS.Type() != parser.ValueTypeVector:
			return &scaling{of: used(n.LHS), number: numberOf(n.RHS), op: n.Op, returnsBool: n.ReturnBool}
		case n.Op.IsSetOperator():
			return &combination{op: n.Op, pairing: newPairing(used(n.LHS), used(n.RHS), n.VectorMatching)}
		}
		return &join{op: n.Op, returnsBool: n.ReturnBool, matching: n.VectorMatching, pairing: newPairing(used(n.LHS), used(n.RHS), n.VectorMatching)}
	}
	return nil
}

// computes says whether compute knows an operator.
func computes(op parser.ItemType) bool {
	switch op {
	case parser.ADD, parser.SUB, parser.MUL, parser.DIV:
		return true
	}
	return op.IsComparisonOperator()
}

// compute is an operator between two numbers. A comparison gives the left one, and
// whether it holds.
func compute(op parser.ItemType, left, right float64) (float64, bool) {
	switch op {
	case parser.ADD:
		return left + right, true
	case parser.SUB:
		return left - right, true
	case parser.MUL:
		return left * right, true
	case parser.DIV:
		return left / right, true
	case parser.EQLC:
		return left, left == right
	case parser.NEQ:
		return left, left != right
	case parser.GTR:
		return left, left > right
	case parser.LSS:
		return left, left < right
	case parser.GTE:
		return left, left >= right
	default:
		return left, left <= right
	}
}

// asNumber is what a comparison with bool gives.
func asNumber(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// changesMeaning says whether the result of an operator is no longer what the
// metric's name says.
func changesMeaning(op parser.ItemType, returnsBool bool) bool {
	return returnsBool || !op.IsComparisonOperator()
}

// isMetadata says whether a label says what kind of metric a series belongs to,
// and so goes when the meaning changes.
func isMetadata(name string) bool {
	return name == model.MetricNameLabel || name == model.MetricTypeLabel || name == model.MetricUnitLabel
}

// numberOf is how a scalar is computed for a time; nil if it is not known here.
func numberOf(expr parser.Expr) func(t int64) float64 {
	switch n := expr.(type) {
	case *parser.NumberLiteral:
		return func(int64) float64 { return n.Val }
	case *parser.ParenExpr:
		return numberOf(n.Expr)
	case *parser.UnaryExpr:
		of := numberOf(n.Expr)
		if of == nil || n.Op != parser.SUB {
			return of
		}
		return func(t int64) float64 { return -of(t) }
	case *parser.Call:
		if n.Func.Name == "time" {
			return func(t int64) float64 { return float64(t) / 1000 }
		}
	case *parser.BinaryExpr:
		left, right := numberOf(n.LHS), numberOf(n.RHS)
		if left != nil && right != nil && computes(n.Op) && !n.Op.IsComparisonOperator() {
			return func(t int64) float64 { v, _ := compute(n.Op, left(t), right(t)); return v }
		}
	}
	return nil
}

// scaling is an operator between a vector and a number.
type scaling struct {
	of     *part
	number func(t int64) float64
	op     parser.ItemType
	// swapped says that the number stands on the left.
	swapped, returnsBool bool

	// labels are those of all results, for a shape of the vector.
	learned  bool
	shape    uint64
	labels   []labels.Labels
	distinct bool
	choice   choice
}

func (s *scaling) apply(_ *memory, t int64, values []float64) (vector, bool) {
	if !s.learned || s.shape != s.of.shape {
		s.learn()
	}
	if !s.distinct {
		return vector{}, false
	}
	number, filters := s.number(t), !changesMeaning(s.op, s.returnsBool)
	s.choice.begin(s.labels)
	for i, v := range s.of.result.values {
		left, right := v, number
		if s.swapped {
			left, right = right, left
		}
		result, holds := compute(s.op, left, right)
		switch {
		case s.returnsBool:
			values = append(values, asNumber(holds))
		case !filters:
			values = append(values, result)
		case holds:
			s.choice.add(i)
			values = append(values, v)
		}
	}
	if filters {
		return vector{s.choice.end(), values}, true
	}
	return vector{s.labels, values}, true
}

// learn finds the labels of the results.
func (s *scaling) learn() {
	s.learned, s.shape = true, s.of.shape
	s.labels, s.distinct = s.of.result.labels, true
	if !changesMeaning(s.op, s.returnsBool) {
		return
	}
	dropped := make([]labels.Labels, len(s.labels))
	for i, ls := range s.labels {
		dropped[i] = ls.DropReserved(isMetadata)
	}
	if !equalLabels(dropped, s.labels) {
		s.labels, s.distinct = dropped, distinct(dropped)
	}
}
