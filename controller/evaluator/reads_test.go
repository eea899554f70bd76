package evaluator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatAnExpressionReads(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]map[string]time.Duration{
		`vector(1)`:                                            {},
		`height`:                                               {"height": 0},
		`height{chain="btc"} + lag`:                            {"height": 0, "lag": 0},
		`rate(errors_total[5m])`:                               {"errors_total": 5 * time.Minute},
		`rate(errors_total[5m] offset 1h)`:                     {"errors_total": 65 * time.Minute},
		`height offset 10m - height`:                           {"height": 10 * time.Minute},
		`height offset -10m`:                                   {"height": 0},
		`max_over_time(height[1h:1m])`:                         {"height": time.Hour},
		`max_over_time(rate(errors_total[5m])[1h:1m])`:         {"errors_total": 65 * time.Minute},
		`max_over_time((height offset 1m)[1h:1m] offset 2m)`:   {"height": 63 * time.Minute},
		`max_over_time(max_over_time(height[10m:])[1h:] ) > 1`: {"height": 70 * time.Minute},
		`height @ end() - height @ start()`:                    {"height": 0},
		`rate(errors_total[5m] @ end())`:                       {"errors_total": 5 * time.Minute},
		`{__name__="height", chain="btc"}`:                     {"height": 0},
	} {
		var r reads
		require.NoError(t, r.addExpression(expr, 0), expr)
		if len(want) == 0 {
			require.Empty(t, r.names, expr)
		} else {
			require.Equal(t, want, r.names, expr)
		}
		require.Empty(t, r.patterns, expr)
	}
}

func TestAnOffsetOfTheGroupAdds(t *testing.T) {
	t.Parallel()
	var r reads
	require.NoError(t, r.addExpression(`rate(errors_total[5m])`, time.Minute))
	back, ok := r.back("errors_total")
	require.True(t, ok)
	require.Equal(t, 6*time.Minute, back)
}

func TestASelectorWithoutANameReadsWhatItMayMatch(t *testing.T) {
	t.Parallel()
	var r reads
	require.NoError(t, r.addExpression(`count_over_time({__name__=~"lag_.*",__name__!="lag_x"}[1h]) + lag_a`, 0))
	for name, want := range map[string]time.Duration{"lag_a": time.Hour, "lag_b": time.Hour} {
		back, ok := r.back(name)
		require.True(t, ok)
		require.Equal(t, want, back)
	}
	for _, name := range []string{"lag_x", "height", ""} {
		_, ok := r.back(name)
		require.False(t, ok, name)
	}
	require.NoError(t, r.addExpression(`count({chain="btc"})`, 0))
	_, ok := r.back("anything")
	require.True(t, ok)
}

func TestExpressionsThatTheMemoryCannotServe(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`height @ 1000`:                        `height @ 1000.000 is read at a fixed time, which only a database can serve`,
		`max_over_time(height[1h:] @ 0)`:       `height[1h:] @ 0.000 is read at a fixed time, which only a database can serve`,
		`max_over_time(height[25h])`:           `height is read 1d1h back; the most is 1d`,
		`max_over_time(height[24h] offset 1m)`: `height offset 1m is read 1d1m back; the most is 1d`,
		`height +`:                             `could not parse expression: 1:9: parse error: unexpected end of input`,
	} {
		var r reads
		require.EqualError(t, r.addExpression(expr, 0), want)
	}
}

func TestWhatATemplateReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[string]time.Duration{
		`no query`:                       nil,
		`query the operator`:             nil,
		`{{ query "height" }}`:           {"height": 0},
		"{{ query `rate(errors[5m])` }}": {"rate": 5 * time.Minute, "errors": 5 * time.Minute, "m": 5 * time.Minute},
		`{{ if true }}{{ else }}{{ range query "a" }}{{ end }}{{ end }}`:    {"a": 0},
		`{{ with printf "b{c=%q}" $labels.x | query }}{{ else }}-{{ end }}`: {"b": 0, "c": 0, "q": 0},
		`{{ define "t" }}{{ query "d" }}{{ end }}{{ template "t" }}`:        {"d": 0},
		`{{ (query "e" | first).Value }} {{ template "u" (query "f") }}`:    {"e": 0, "f": 0},
		`{{ query "g[90d]" }}`: {"g": maxBack},
		`{{ query "broken" `:   nil,
	} {
		var r reads
		r.addTemplate(text)
		for name, back := range want {
			found, ok := r.back(name)
			require.True(t, ok, "%s: %s", text, name)
			require.Equal(t, back, found, "%s: %s", text, name)
		}
		if want == nil {
			require.Empty(t, r.names, text)
		}
	}
}
