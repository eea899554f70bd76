package rulelint

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/understudy-rpc/understudy/rules"
)

// ofCounters are the functions that are for counters only.
var ofCounters = []string{"rate", "irate", "increase"}

// ofGauges are those that take the restart of a counter for a fall.
var ofGauges = []string{"delta", "idelta", "deriv", "predict_linear"}

// regardless are the functions whose result does not depend on how high a counter
// is.
var regardless = slices.Concat(ofCounters, ofGauges, []string{
	"absent", "absent_over_time", "changes", "count_over_time", "present_over_time", "resets", "timestamp",
})

// typeOf tells the type of a metric, if it is known.
func (k *knowledge) typeOf(name string) (rules.Type, bool) {
	if _, ok := k.recorded[name]; ok {
		return 0, false
	}
	if m, ok := k.exported[name]; ok {
		return m.Type, true
	}
	return rules.Counter, strings.HasSuffix(name, "_total")
}

// rates finds functions that do not suit the type of their metric.
func (l *linter) rates(r *rule) {
	parser.Inspect(r.expr, func(n parser.Node, _ []parser.Node) error {
		c, ok := n.(*parser.Call)
		if !ok || len(c.Args) == 0 {
			return nil
		}
		m, ok := unwrap(c.Args[0]).(*parser.MatrixSelector)
		if !ok {
			return nil
		}
		v, ok := m.VectorSelector.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		at := r.source.within(r.exprNode, int(c.PosRange.Start))
		switch t, known := l.know.typeOf(nameOf(v)); {
		case !known:
		case t == rules.Gauge && slices.Contains(ofCounters, c.Func.Name):
			l.say(r, at, Error, checkRateOfGauge, "%s is a gauge, and %s() takes every fall of it for a restart of a counter; use delta() or deriv()", nameOf(v), c.Func.Name)
		case t == rules.Counter && slices.Contains(ofGauges, c.Func.Name):
			l.say(r, at, Warning, checkRateOfGauge, "%s is a counter, and %s() takes its restart for a fall; use increase() or rate()", nameOf(v), c.Func.Name)
		}
		return nil
	})
}

// counters finds counters whose height counts in an alert: it says how long ago
// the process was started, and the alert never ends.
func (l *linter) counters(r *rule) {
	parser.Inspect(r.expr, func(n parser.Node, path []parser.Node) error {
		v, ok := n.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if t, known := l.know.typeOf(nameOf(v)); !known || t != rules.Counter || isRegardless(v, path) {
			return nil
		}
		l.say(r, r.source.within(r.exprNode, int(v.PosRange.Start)), Warning, checkRawCounter,
			"%s only ever grows, so that an alert on its height never ends; ask for its growth, as in increase(%s[5m])", nameOf(v), nameOf(v))
		return nil
	})
}

// isRegardless says whether the height of a selected series does not count,
// because of what stands around the selector.
func isRegardless(v parser.Node, path []parser.Node) bool {
	inner := v
	for _, outer := range slices.Backward(path) {
		switch o := outer.(type) {
		case *parser.Call:
			if slices.Contains(regardless, o.Func.Name) {
				return true
			}
		case *parser.AggregateExpr:
			if o.Op == parser.COUNT || o.Op == parser.GROUP {
				return true
			}
		case *parser.BinaryExpr:
			if (o.Op == parser.LAND || o.Op == parser.LUNLESS) && o.RHS == inner {
				return true
			}
			// The difference from what it was a while ago is its growth.
			if !o.Op.IsSetOperator() && !o.Op.IsComparisonOperator() && o.VectorMatching != nil && hasOffset(o) {
				return true
			}
		}
		inner = outer
	}
	return false
}

// hasOffset says whether one side of an operation looks at the past, so that the
// operation is a growth.
func hasOffset(b *parser.BinaryExpr) bool {
	found := false
	parser.Inspect(b, func(n parser.Node, _ []parser.Node) error {
		if v, ok := n.(*parser.VectorSelector); ok {
			found = found || v.OriginalOffset != 0
		}
		return nil
	})
	return found
}
