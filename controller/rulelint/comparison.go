package rulelint

import (
	"slices"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// comesAndGoes are the exported metrics whose series are there only while
// something is the case.
var comesAndGoes = []string{"ALERTS", "ALERTS_FOR_STATE", rules.ProviderFailing.Name}

// comparison finds alerts that fire whatever the values are: an alert fires for
// every series that its expression has, also for one with the value 0.
func (l *linter) comparison(r *rule) {
	switch r.expr.Type() {
	case parser.ValueTypeString:
		l.say(r, placeOf(r.exprNode), Error, checkComparison, "an alert needs series, and this is a text")
		return
	case parser.ValueTypeScalar:
		l.say(r, placeOf(r.exprNode), Error, checkComparison, "this is a number and no series, so that the alert always fires; compare a metric, or write vector(1) if it is meant to")
		return
	}
	if isConstant(r.expr) && !isEvidence(r.labels) {
		return // A watchdog: it fires always and is meant to.
	}
	at := l.know.unfiltered(r.expr)
	if at == nil {
		return
	}
	place := r.source.within(r.exprNode, int(at.PositionRange().Start))
	if b, ok := at.(*parser.BinaryExpr); ok && b.ReturnBool {
		l.say(r, place, Error, checkComparison, "with bool the comparison gives 0 or 1, and the alert fires for both; leave bool out")
		return
	}
	l.say(r, place, Error, checkComparison, "nothing is compared here, so that the alert fires whenever there is a series, also with the value 0; compare it, as in … > 0")
}

// isConstant says whether an expression is the same number always, as that of a
// watchdog is.
func isConstant(e parser.Expr) bool {
	c, ok := unwrap(e).(*parser.Call)
	if !ok || c.Func.Name != "vector" {
		return false
	}
	_, ok = unwrap(c.Args[0]).(*parser.NumberLiteral)
	return ok
}

// filtered says whether the series of an expression are there only while some
// condition holds.
func (k *knowledge) filtered(e parser.Expr) bool { return k.unfiltered(e) == nil }

// unfiltered is the part of an expression that lacks a condition; nil if there is
// one.
func (k *knowledge) unfiltered(e parser.Expr) parser.Expr {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return k.unfiltered(e.Expr)
	case *parser.StepInvariantExpr:
		return k.unfiltered(e.Expr)
	case *parser.UnaryExpr:
		return k.unfiltered(e.Expr)
	case *parser.SubqueryExpr:
		return k.unfiltered(e.Expr)
	case *parser.MatrixSelector:
		return k.unfiltered(e.VectorSelector)
	case *parser.AggregateExpr:
		return k.unfiltered(e.Expr)
	case *parser.VectorSelector:
		name := nameOf(e)
		if k.recorded[name].filtered || slices.Contains(comesAndGoes, name) {
			return nil
		}
	case *parser.Call:
		return k.unfilteredCall(e)
	case *parser.BinaryExpr:
		return k.unfilteredBinary(e)
	}
	return e
}

func (k *knowledge) unfilteredCall(c *parser.Call) parser.Expr {
	switch c.Func.Name {
	case "absent", "absent_over_time":
		return nil
	}
	for _, arg := range c.Args {
		if t := arg.Type(); (t == parser.ValueTypeVector || t == parser.ValueTypeMatrix) && k.filtered(arg) {
			return nil
		}
	}
	return c
}

func (k *knowledge) unfilteredBinary(b *parser.BinaryExpr) parser.Expr {
	scalars := b.LHS.Type() == parser.ValueTypeScalar && b.RHS.Type() == parser.ValueTypeScalar
	switch {
	case b.Op.IsComparisonOperator() && !b.ReturnBool && !scalars, b.Op == parser.LUNLESS:
		return nil
	case b.Op == parser.LOR:
		if left := k.unfiltered(b.LHS); left != nil {
			return left
		}
		return k.unfiltered(b.RHS)
	}
	for _, side := range []parser.Expr{b.LHS, b.RHS} {
		if side.Type() != parser.ValueTypeScalar && k.filtered(side) {
			return nil
		}
	}
	return b
}
