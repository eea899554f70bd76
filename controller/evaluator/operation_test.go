package evaluator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// writer draws expressions.
type writer struct{ t *rapid.T }

func (w writer) one(of ...string) string { return rapid.SampledFrom(of).Draw(w.t, "one") }

// vector is an expression that gives a vector, at most as deep as said.
func (w writer) vector(depth int) string {
	if depth == 0 || rapid.IntRange(0, 9).Draw(w.t, "leaf") == 0 {
		return w.one("a", "b", "c", `a{x="0"}`, `b{y!="1"}`, `c{x=~"0|1"}`, "last_over_time(a[20s])", `last_over_time(b{x=""}[7s])`,
			"a offset 5s", "vector(1)", `{__name__="a"}`, `{__name__=~"a|b"}`, `a @ end()`, "max_over_time(c[10s])", "increase(a[20s])", `increase(b{x="0"}[33s])`, "increase(c[7s])", "rate(a[20s])")
	}
	inner := func() string { return "(" + w.vector(depth-1) + ")" }
	switch rapid.IntRange(0, 6).Draw(w.t, "kind") {
	case 0:
		return w.one("sum", "min", "max", "count", "group", "avg") + w.one("", " by (x)", " by (y, x)", " by ()", " without (x)", " by (__name__, x)", " without ()") + inner()
	case 1:
		return w.one("topk", "bottomk") + w.one("", " by (x)", " without (y)") + "(" + w.one("1", "2", "1 + 1", "-1", "0.5", "scalar(vector(2))") + ", " + inner() + ")"
	case 2:
		return inner() + w.operator() + w.number()
	case 3:
		return w.number() + w.operator() + inner()
	case 4:
		return inner() + w.one(" and ", " or ", " unless ") + w.matching() + inner()
	case 5:
		return w.one("-", "abs", "timestamp", "absent", "sort") + inner()
	}
	operator, matching := w.operator(), w.matching()
	return inner() + operator + matching + w.group(matching) + inner()
}

func (w writer) operator() string {
	return w.one(" + ", " - ", " * ", " / ", " % ", " ^ ", " == ", " != ", " > ", " < ", " >= ", " <= ", " > bool ", " == bool ")
}

func (w writer) number() string { return w.one("0", "1", "-2", "(-1 * 3)", "time()", "2 * 60", "NaN") }

// matching is how two vectors match.
func (w writer) matching() string {
	return w.one("", "on (x) ", "on (x, y) ", "on (y) ", "on () ", "ignoring (x) ", "ignoring (y) ")
}

// group is on which side there are many.
func (w writer) group(matching string) string {
	if matching == "" {
		return ""
	}
	side := w.one("", "", "group_left ", "group_right ")
	if side == "" || strings.Contains(matching, "y") || rapid.Bool().Draw(w.t, "plain") {
		return side
	}
	return side + "(y) "
}

// expressions are what a writer writes and PromQL takes.
var expressions = rapid.Custom(func(t *rapid.T) string {
	return writer{t}.vector(rapid.IntRange(1, 4).Draw(t, "depth"))
}).Filter(func(text string) bool {
	_, err := promQL.ParseExpr(text)
	return err == nil
})

// TestOperationsGiveWhatTheEngineGives draws rules and what they read, and
// evaluates them as they are evaluated, and by the engine alone. Results must be
// the same to the last bit, and failures to the last word.
func TestOperationsGiveWhatTheEngineGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var exprs []string
		for range rapid.IntRange(1, 4).Draw(t, "rules") {
			exprs = append(exprs, expressions.Draw(t, "expression"))
		}
		b := newBeside(t, exprs...)
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			gap := rapid.SampledFrom([]int{1, 5000, 5000, 7000, 20_000, 29_000, 31_000}).Draw(t, "gap")
			b.after(t, time.Duration(gap)*time.Millisecond, drawSamples(t)...)
		}
	})
}

// beside is an evaluator beside one in which the engine does all.
type beside struct {
	source       *fakeSource
	mixed, plain *Evaluator
	at           time.Time
}

// newBeside makes both with recording rules, and keeps whatever they may read.
func newBeside(t require.TestingT, exprs ...string) *beside {
	g := Group{File: "beside.yml", Name: "beside"}
	for i, expr := range exprs {
		g.Rules = append(g.Rules, Rule{Record: fmt.Sprintf("r:%d", i), Expr: expr})
	}
	g.Rules = append(g.Rules, Rule{Alert: "Everything", Expr: `count({__name__=~".+"}) < 0`})
	b := &beside{source: newFakeSource(nil, "one:1"), at: start}
	for _, e := range []**Evaluator{&b.mixed, &b.plain} {
		var err error
		*e, err = New(Options{Sources: []Source{b.source}}, []Group{g})
		require.NoError(t, err)
	}
	for i, r := range b.plain.groups[0].rules {
		r.part = whole(g.Rules[i].Expr)
	}
	b.plain.memory.parts = nil
	return b
}

// after lets both do a round, and compares all that came of it, in its order.
func (b *beside) after(t require.TestingT, gap time.Duration, lines ...string) {
	b.at = b.at.Add(gap)
	b.source.say(lines...)
	var failures [2][]string
	for i, e := range []*Evaluator{b.mixed, b.plain} {
		r, err := e.Evaluate(context.Background(), b.at)
		require.NoError(t, err)
		for _, f := range r.Failures {
			failures[i] = append(failures[i], f.Rule+": "+f.Err.Error())
		}
	}
	require.Equal(t, failures[1], failures[0])
	for i, r := range b.plain.groups[0].rules {
		require.Equal(t, inWords(r), inWords(b.mixed.groups[0].rules[i]), r.part.query)
	}
	require.Equal(t, contents(b.plain), contents(b.mixed))
}

// inWords is the last result of a rule, if there is one.
func inWords(r *rule) []string {
	var all []string
	for i, v := range r.part.result.values {
		all = append(all, fmt.Sprintf("%s %x", r.part.result.labels[i], bits(v)))
	}
	if r.failure != "" {
		return nil
	}
	return all
}

// drawSamples are some series of three metrics, as lines.
func drawSamples(t *rapid.T) []string {
	var lines []string
	for _, name := range []string{"a", "b", "c"} {
		for _, ls := range []string{`y="0"`, `y="1"`, `x="0"`, `x="0",y="0"`, `x="0",y="1"`, `x="1",y="0"`, `x="1",y="1"`} {
			if v := rapid.SampledFrom([]string{"", "", "0", "1", "2", "3.3", "-5", "1e300", "NaN", "+Inf"}).Draw(t, "value"); v != "" {
				lines = append(lines, fmt.Sprintf("%s{%s} %s", name, ls, v))
			}
		}
	}
	return lines
}

// TestCornersOfOperations are those that drawn rules seldom come to.
func TestCornersOfOperations(t *testing.T) {
	t.Parallel()
	rounds := [][]string{
		{`a{x="0",y="0"} NaN`, `a{x="0",y="1"} 1`, `a{x="1",y="0"} 3`, `b{x="0",y="0"} 1`, `c{y="0"} 1`},
		{`a{x="0",y="0"} 1e16`, `a{x="0",y="1"} 1`, `a{x="1",y="0"} -1e16`, `b{x="0",y="0"} 1`, `c{y="0"} 1`},
		{`a{x="0",y="0"} 1`, `a{x="0",y="1"} 2`, `a{x="1",y="0"} 3`, `b{x="0",y="0"} 2`, `c{y="0"} 2`},
		{`a{x="0",y="0"} 1`, `a{x="0",y="1"} 2`, `a{x="1",y="0"} 3`, `b{x="0",y="0"} 1`, `b{x="0",y="1"} 3`, `c{y="0"} 3`},
		{`a{x="1",y="0"} 3`}, {}, {}, {}, {},
		{`a{x="0",y="0"} 1`, `b{x="0",y="0"} 1`},
	}
	for _, expr := range []string{
		"a != 1", "a != bool 1", "1 != a", "a > 1 or b", "1 < bool a", "time() - a", "a * 2 > 2",
		"sum(a)", "sum by (x) (a)", "min(a)", "max(a)", "min by (y) (a)", "count without (x) (a)", "group(a)",
		"topk(2, a)", "topk by (x) (1, a)", "topk(5, a)", "topk(0, a)", "sum(topk(2, a))", "topk(3, a) - a",
		`{__name__=~"a|b"} == ignoring (x) c`, `{__name__=~"a|b",x="0",y="0"} == ignoring (x) c`, `{__name__=~"a|b"} * 1`, "a == ignoring (x) c", "a + on (y) c", "a + on (y) group_left () c",
		"c - on (y) group_right () a", "a / on (x) b", "a - on (x) group_left (y) c", "b * on (x, y) group_left () a", "a > bool on (x, y) b",
		"a and on (y) c", "a unless on (y) c", "c or on (y) a", "a or b", "a unless b", "a and b",
		"last_over_time(a[20s])", "last_over_time(a[15001ms])", `last_over_time(a{x="0"}[1m]) + on (x, y) a`, "last_over_time(b[20s])",
		"increase(a[20s])", "increase(a[15001ms])", "increase(a[11s])", "increase(a[1m])", `sum by (x) (increase(a{y=~"0|1"}[30s]))`, "increase(b[20s])", "increase(nobody[20s])",
		`increase({__name__="a"}[20s])`, `increase({__name__=~"a|b"}[20s])`, "increase(a[20s] offset 5s)", "increase(a[20s]) > 1", "increase(a[1m:5s])",
	} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			b := newBeside(t, expr)
			for _, lines := range rounds {
				b.after(t, 5*time.Second, lines...)
			}
		})
	}
}

// TestAnOperationKeepsTheBoundOfSamples leaves to the engine what is too much, and
// the engine refuses it.
func TestAnOperationKeepsTheBoundOfSamples(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf("- {record: r, expr: a * 2}\n- {record: q, expr: b * 2}\n- {alert: Q, expr: q > 1}\n"), func(o *Options) { o.MaxSamples = 3 })
	r := s.after(0, `a{x="0"} 1`, `a{x="1"} 1`, `a{x="2"} 1`, `a{x="3"} 1`, "b 1")
	require.Len(t, r.Failures, 1)
	require.Equal(t, "r", r.Failures[0].Rule)
	require.ErrorContains(t, r.Failures[0].Err, "too many samples")
	require.Equal(t, []string{`{__name__="q", instance="one:9478", job="understudy"} 2`}, s.ask("q"))
}

// TestTheBundledRulesHardlyNeedTheEngine keeps the rules quick: what is left to
// the engine is what hardly ever changes, or has few elements.
func TestTheBundledRulesHardlyNeedTheEngine(t *testing.T) {
	t.Parallel()
	groups, err := LoadGroups(true, nil)
	require.NoError(t, err)
	e, err := New(Options{Sources: []Source{&oneShot{}}}, groups)
	require.NoError(t, err)
	functions := map[string]string{
		"vector": "a number", "absent": "one element at most", "label_replace": "one element per chain",
		"increase": "failovers, of the controllers", "round": "what increase gave", "max_over_time": "one element per exporter",
	}
	done := 0
	for _, p := range e.memory.parts {
		if p.operation != nil {
			done++
			continue
		}
		expr, err := promQL.ParseExpr(p.query)
		require.NoError(t, err)
		call, ok := expr.(*parser.Call)
		require.True(t, ok, p.query)
		require.Contains(t, functions, call.Func.Name, p.query)
	}
	require.Greater(t, done, 200)
}

func TestAChoiceThatIsTheSameHasTheSameLabels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c choice
		from := manyLabels(6)
		for range rapid.IntRange(1, 8).Draw(t, "times") {
			if rapid.IntRange(0, 4).Draw(t, "others") == 0 {
				from = manyLabels(rapid.IntRange(0, 6).Draw(t, "many"))
			}
			chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 0, -1, rapid.ID[int]).Draw(t, "chosen")
			chosen = slices.DeleteFunc(chosen, func(i int) bool { return i >= len(from) })
			for range 2 {
				c.begin(from)
				for _, i := range chosen {
					c.add(i)
				}
				got := c.end()
				require.Len(t, got, len(chosen))
				for k, i := range chosen {
					require.Equal(t, from[i], got[k])
				}
				c.begin(from)
				for _, i := range chosen {
					c.add(i)
				}
				require.True(t, sameLabels(got, c.end()), "the list itself is the same")
			}
		}
	})
}

// manyLabels are n different labels.
func manyLabels(n int) []labels.Labels {
	all := make([]labels.Labels, n)
	for i := range all {
		all[i] = labels.FromStrings("n", fmt.Sprint(i))
	}
	return all
}

func TestInternedLabelsAreForgottenWhenThereAreMany(t *testing.T) {
	t.Parallel()
	in := interned{}
	for i := range 100 {
		ls := labels.FromStrings("n", fmt.Sprint(i))
		require.Equal(t, ls, in.of(ls, 10))
		require.Equal(t, ls, in.of(labels.FromStrings("n", fmt.Sprint(i)), 10))
		require.LessOrEqual(t, len(in), 10)
	}
}
