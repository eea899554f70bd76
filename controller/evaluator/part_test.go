package evaluator

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// odd are rules in which sharing could go wrong: names and labels that a
// selector has and an expression has not, order, time, history, errors.
var odd = [][2]string{
	{"o:early", `o:late or vector(0)`},
	{"o:named", `up == 1 or bifrost_provider_up > 0`},
	{"o:absent", `absent(bifrost_provider_up{chain="chain-000"} > 5) or absent(sum(nothing))`},
	{"o:absent_over_time", `absent_over_time(bifrost_provider_up{provider="provider-0001"}[1m])`},
	{"o:timestamp", `timestamp(bifrost_provider_up > 0) - time() or timestamp(bifrost_provider_up) - time()`},
	{"o:top", `topk by (chain) (1, max by (chain, provider) (bifrost_provider_latency_ms)) or bottomk(2, bifrost_provider_latency_ms > 10)`},
	{"o:past", `(bifrost_provider_block_height offset 10s > 0) - (bifrost_provider_block_height > 0)`},
	{"o:last", `last_over_time(bifrost_provider_latency_ms[20s]) > 0 or last_over_time(bifrost_provider_up[1m] offset 5s)`},
	{"o:last:sub", `max_over_time(last_over_time(bifrost_provider_up[20s])[30s:5s])`},
	{"o:rate", `rate(bifrost_provider_errors_total[1m]) > 0 or changes(bifrost_provider_up[30s]) > 0`},
	{"o:sub", `max_over_time((sum(bifrost_provider_up) > 0)[30s:5s]) > 0`},
	{"o:any", `count({__name__=~"bifrost_provider_(up|latency_ms)"} > 0)`},
	{"o:scalar", `scalar(sum(bifrost_provider_up)) * (max by (chain) (bifrost_provider_latency_ms)) > 0`},
	{"o:unary", `-(sum by (chain) (bifrost_provider_up)) < 1`},
	{"o:replaced", `label_replace(sum by (chain) (bifrost_provider_up) > 0, "c", "$1", "chain", "(.*)")`},
	{"o:nan", `(bifrost_provider_latency_ms / 0 > 0) or (0 * (bifrost_provider_latency_ms / 0))`},
	{"o:many", `bifrost_provider_up * on (chain) (bifrost_provider_latency_ms > 20)`},
	{"o:sorted", `sort_desc(sum by (chain) (bifrost_provider_up) > 0)`},
	{"o:now", `(vector(time()) > 0) or (hour() >= 0) or (vector(1) > 0)`},
	{"o:bool", `bifrost_provider_up > bool 0`},
	{"o:self", `max_over_time(o:self[1m]) + 1 or sum(bifrost_provider_up)`},
	{"o:late", `sum by (chain) (bifrost_provider_up)`},
	{"o:quantile", `quantile by (chain) (0.5, bifrost_provider_latency_ms > 10)`},
	{"o:values", `count_values("v", bifrost_provider_up)`},
}

// oddGroup is the group of the odd rules, and reads everything.
func oddGroup() Group {
	g := Group{File: "odd.yml", Name: "odd"}
	for _, r := range odd {
		g.Rules = append(g.Rules, Rule{Record: r[0], Expr: r[1]})
	}
	g.Rules = append(g.Rules,
		Rule{
			Alert: "Odd", Expr: "sum by (chain) (bifrost_provider_up) > 0", For: 10 * time.Second,
			Annotations: map[string]string{"text": `{{ $value }} {{ query "sum(bifrost_provider_up)" | first | value }}`},
		},
		Rule{Alert: "Everything", Expr: `count({__name__=~".+"}) < 0`},
	)
	return g
}

// TestSharingChangesNoResult runs the bundled rules and odd ones twice over the
// same random life of a fleet: once as they are evaluated, and once with every
// expression evaluated as it stands in each round. Not a bit may differ.
func TestSharingChangesNoResult(t *testing.T) {
	t.Parallel()
	bundled, err := LoadGroups(true, nil)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		groups := []Group{oddGroup()}
		if rapid.Bool().Draw(t, "bundled") {
			groups = bundled
		}
		source, other := &oneShot{}, newFakeSource(nil, "other:1")
		shared, err := New(Options{Sources: []Source{source, other}}, groups)
		require.NoError(t, err)
		plain, err := New(Options{Sources: []Source{source, other}}, groups)
		require.NoError(t, err)
		for i, g := range plain.groups {
			for k, r := range g.rules {
				r.part = whole(groups[i].Rules[k].Expr)
			}
		}
		plain.memory.parts = nil

		at, f := start, (*fleet)(nil)
		providers := rapid.IntRange(1, 5).Draw(t, "providers")
		for range rapid.IntRange(1, 7).Draw(t, "rounds") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{1, 4999, 5000, 5000, 5000, 31_000}).Draw(t, "gap")) * time.Millisecond)
			if f == nil || rapid.IntRange(0, 9).Draw(t, "other fleet") == 0 {
				f = newFleet(providers, at)
			}
			change(t, f, at)
			switch rapid.IntRange(0, 5).Draw(t, "other source") {
			case 0:
				other.fail("down")
			case 1:
				other.say(fmt.Sprintf(`bifrost_provider_up{chain="chain-000",provider="provider-0000"} %d`, rapid.IntRange(0, 1).Draw(t, "up")))
			}
			for _, e := range []*Evaluator{shared, plain} {
				source.next = f
				_, err := e.Evaluate(t.Context(), at)
				require.NoError(t, err)
			}
			require.Equal(t, contents(plain), contents(shared))
			require.Equal(t, plain.Alerts(), shared.Alerts())
		}
	})
}

// change changes some of a fleet's values, and which series there are.
func change(t *rapid.T, f *fleet, at time.Time) {
	if rapid.Bool().Draw(t, "advance") {
		f.advance(at, float64(at.Unix()))
	}
	if rapid.IntRange(0, 3).Draw(t, "fail") == 0 {
		f.fail(0, 9, rapid.IntRange(1, 5).Draw(t, "one in"))
	}
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		family := rapid.SampledFrom(f.families).Draw(t, "family")
		if len(family.Metric) == 0 {
			continue
		}
		i := rapid.IntRange(0, len(family.Metric)-1).Draw(t, "series")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			family.Metric = slices.Delete(family.Metric, i, i+1)
		case 1:
			family.Metric[0], family.Metric[i] = family.Metric[i], family.Metric[0]
		default:
			v := rapid.SampledFrom([]float64{0, 1, 2, 7, 50, 1e6, math.NaN(), math.Inf(1)}).Draw(t, "value")
			if g := family.Metric[i].GetGauge(); g != nil {
				*g.Value = v
			} else if c := family.Metric[i].GetCounter(); c != nil {
				*c.Value = v
			}
		}
	}
}

// contents is everything in memory, as text, but for how long scrapes took.
func contents(e *Evaluator) []string {
	var all []string
	for name, mt := range e.memory.metrics {
		if name == durationName {
			continue
		}
		for _, s := range mt.series {
			var points strings.Builder
			for i := range s.points.len() {
				p := s.points.at(i)
				fmt.Fprintf(&points, " %d:%x", p.t, bits(p.v))
			}
			all = append(all, s.labels.String()+points.String())
		}
	}
	slices.Sort(all)
	return all
}

// bits are those of a value. What is not a number is so in one way, unless it is a
// staleness marker: in which way depends on the order of the operands alone.
func bits(v float64) uint64 {
	if math.IsNaN(v) && !value.IsStaleNaN(v) {
		v = math.NaN()
	}
	return math.Float64bits(v)
}

func TestWhatCannotHaveChangedIsNotEvaluatedAgain(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- {record: a, expr: sum by (chain) (height) + (sum by (chain) (lag) > 1)}
- {alert: B, expr: sum by (chain) (lag) > 1 and on () vector(1)}
- {alert: C, expr: a > 1}
`))
	evaluated := func() map[string]int64 {
		at := map[string]int64{}
		for _, p := range s.memory.parts {
			at[p.query] = p.at
		}
		return at
	}
	s.after(0, `height{chain="a"} 1`, `lag{chain="a"} 2`)
	first := evaluated()
	require.Len(t, first, 10, "what stands in two rules is one part: %v", first)
	s.after(5 * time.Second)
	require.Equal(t, first, evaluated(), "nothing has changed")
	require.Equal(t, []string{`{__name__="a", chain="a"} 3`}, s.ask("a"), "but the results are there again")
	s.after(5*time.Second, `height{chain="a"} 1`, `lag{chain="a"} 3`)
	var same []string
	for query, at := range evaluated() {
		if at == first[query] {
			same = append(same, query)
		}
	}
	slices.Sort(same)
	require.Equal(t, []string{"height", "sum by (chain) (__part_3__)", "vector(1)"}, same, "the height is the same")
}
