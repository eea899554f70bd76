package evaluator

import (
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

func TestARememberedExpressionIsAsGoodAsNew(t *testing.T) {
	t.Parallel()
	groups, err := LoadGroups(true, nil)
	require.NoError(t, err)
	texts := []string{
		`-(a) + 1`, `topk(scalar(b), a)`, `count_values("v", a)`, `quantile by (x) (0.5, a)`, `label_replace(a, "x", "$1", "y", "(.*)")`,
		`rate(a{b="c"}[5m] offset 1m)`, `max_over_time((a > bool 1)[5m:1m] offset 2m)`, `a @ end() unless on (x) b`, `"text"`, `time()`,
		`sum without (x) (a * ignoring (y) group_left (z) b)`,
	}
	for _, g := range groups {
		for _, r := range g.Rules {
			texts = append(texts, r.Expr)
		}
	}
	s := &syntax{Parser: promQL, known: map[string]parser.Expr{}}
	for _, text := range texts {
		s.known[text], err = promQL.ParseExpr(text)
		require.NoError(t, err)
	}
	for _, text := range texts {
		fresh, err := promQL.ParseExpr(text)
		require.NoError(t, err)
		require.NotNil(t, copyOf(fresh), text)
		for range 2 {
			again, err := s.ParseExpr(text)
			require.NoError(t, err)
			require.NotSame(t, s.known[text], again)
			require.Equal(t, fresh.String(), again.String())
			require.Equal(t, parser.Tree(fresh), parser.Tree(again))
			require.Equal(t, fresh.PositionRange(), again.PositionRange())
			// What the engine does to its tree must not get to the next one.
			_, err = promql.PreprocessExpr(again, start, start.Add(time.Hour), time.Minute)
			require.NoError(t, err)
		}
	}
}

func TestWhatCannotBeCopiedIsParsed(t *testing.T) {
	t.Parallel()
	const text = `rate(a[5m * 2])`
	tree, err := promQL.ParseExpr(text)
	if err == nil {
		require.Nil(t, copyOf(tree), "lengths of time that are computed")
	}
	_, err = (&syntax{Parser: promQL, known: map[string]parser.Expr{"broken(": &parser.StepInvariantExpr{}}}).ParseExpr("broken(")
	require.Error(t, err, "of an unknown kind, and so parsed after all")
}
