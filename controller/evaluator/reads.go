package evaluator

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// maxBack is the furthest that a rule may look back. Memory grows with it, and
// whoever wants to look back further wants Prometheus.
const maxBack = 24 * time.Hour

// reads says which metrics are read, and how far back. The zero value is none.
type reads struct {
	names map[string]time.Duration
	// patterns are the selectors without a name.
	patterns []pattern
}

// pattern is what a selector demands of names.
type pattern struct {
	matchers []*labels.Matcher
	distance time.Duration
}

// back is how far back the metric is read, on top of the look-back, and whether
// it is read at all.
func (r reads) back(name string) (time.Duration, bool) {
	distance, ok := r.names[name]
	for _, p := range r.patterns {
		if !slices.ContainsFunc(p.matchers, func(m *labels.Matcher) bool { return !m.Matches(name) }) {
			distance, ok = max(distance, p.distance), true
		}
	}
	return distance, ok
}

// family says whether any series of a family is read, whatever its type. Whoever
// reads how many samples there are wants all.
func (r reads) family(name string) bool {
	for _, metric := range [...]string{samplesName, name, name + "_bucket", name + "_sum", name + "_count"} {
		if _, ok := r.back(metric); ok {
			return true
		}
	}
	return false
}

// add notes that a metric is read that far back.
func (r *reads) add(name string, distance time.Duration) {
	if r.names == nil {
		r.names = map[string]time.Duration{}
	}
	r.names[name] = max(r.names[name], distance)
}

// addRule notes what a rule reads whose group is evaluated with an offset.
func (r *reads) addRule(rule Rule, offset time.Duration) error {
	if err := r.addExpression(rule.Expr, offset); err != nil {
		return err
	}
	if rule.Alert != "" {
		for _, texts := range []map[string]string{rule.Labels, rule.Annotations} {
			for _, text := range texts {
				r.addTemplate(text)
			}
		}
	}
	return nil
}

// addExpression notes what a PromQL expression reads, evaluated with an offset.
// It fails for an expression that the memory cannot serve.
func (r *reads) addExpression(text string, offset time.Duration) error {
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return fmt.Errorf("could not parse expression: %w", err)
	}
	if err := atFixedTime(expr); err != nil {
		return err
	}
	// Lengths of time may be computed; this puts in the results.
	now := time.Unix(0, 0)
	if expr, err = promql.PreprocessExpr(expr, now, now, 0); err != nil {
		return err
	}
	var tooFar error
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		distance := max(0, offset+reach(selector, path))
		if distance > maxBack {
			tooFar = fmt.Errorf("%s is read %s back; the most is %s", selector, model.Duration(distance), model.Duration(maxBack))
		}
		r.addSelector(selector, distance)
		return nil
	})
	return tooFar
}

// reach is how far back a selector at the end of a path reads.
func reach(selector *parser.VectorSelector, path []parser.Node) time.Duration {
	distance := selector.OriginalOffset
	for _, above := range path {
		switch n := above.(type) {
		case *parser.MatrixSelector:
			distance += n.Range
		case *parser.SubqueryExpr:
			distance += n.Range + n.OriginalOffset
		}
	}
	return distance
}

func (r *reads) addSelector(selector *parser.VectorSelector, distance time.Duration) {
	var names []*labels.Matcher
	for _, m := range selector.LabelMatchers {
		switch {
		case m.Name != model.MetricNameLabel:
		case m.Type == labels.MatchEqual:
			r.add(m.Value, distance)
			return
		default:
			names = append(names, m)
		}
	}
	r.patterns = append(r.patterns, pattern{names, distance})
}

// atFixedTime finds an @ with a time of its own, whose samples the memory could
// not keep for ever. The times of the evaluation, start() and end(), are fine.
func atFixedTime(expr parser.Expr) error {
	var err error
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			if n.Timestamp != nil && n.StartOrEnd == 0 {
				err = fmt.Errorf("%s is read at a fixed time, which only a database can serve", n)
			}
		case *parser.SubqueryExpr:
			if n.Timestamp != nil && n.StartOrEnd == 0 {
				err = fmt.Errorf("%s is read at a fixed time, which only a database can serve", n)
			}
		}
		return nil
	})
	return err
}
