package rules_test

import (
	"log/slog"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

var promQL = parser.NewParser(parser.Options{})

// bundledRule is one rule of the files, with its expression understood.
type bundledRule struct {
	rulefmt.Rule
	file, group string
	expr        parser.Expr
}

// name is what the rule is called in messages.
func (r bundledRule) name() string { return r.Record + r.Alert }

// bundledRules are all rules in the order of evaluation.
func bundledRules(t *testing.T) []bundledRule {
	t.Helper()
	var all []bundledRule
	for _, file := range rules.FileNames() {
		text, err := rules.Files.ReadFile(file)
		require.NoError(t, err)
		groups, errs := rulefmt.Parse(text, false, model.LegacyValidation, promQL, slog.New(slog.DiscardHandler))
		require.Empty(t, errs, file)
		for _, g := range groups.Groups {
			for _, r := range g.Rules {
				expr, err := promQL.ParseExpr(r.Expr)
				require.NoError(t, err)
				all = append(all, bundledRule{r, file, g.Name, expr})
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}

// bundledAlerts are the alerting ones among them.
func bundledAlerts(t *testing.T) []bundledRule {
	t.Helper()
	var alerts []bundledRule
	for _, r := range bundledRules(t) {
		if r.Alert != "" {
			alerts = append(alerts, r)
		}
	}
	return alerts
}

// selectors are the vector selectors of an expression.
func selectors(expr parser.Expr) []*parser.VectorSelector {
	var found []*parser.VectorSelector
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			found = append(found, s)
		}
		return nil
	})
	return found
}
