package evaluator

import (
	"fmt"
	"math"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"
)

// everything is a rule that reads all there is, so that all of it is kept.
const everything = `
- alert: Everything
  expr: count({__name__=~".+"}) < 0
`

func TestAScrapeTellsHowItWent(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	const target = `instance="one:9478", job="understudy"`
	s.after(0, `height{chain="btc"} 1`, `height{chain="eth"} 2`, "# TYPE latency summary", "latency_sum 3", "latency_count 1")
	require.Equal(t, []string{`{__name__="up", ` + target + `} 1`}, s.ask("up"))
	require.Equal(t, []string{`{__name__="scrape_samples_scraped", ` + target + `} 4`}, s.ask("scrape_samples_scraped"))
	require.Len(t, s.ask("scrape_duration_seconds >= 0"), 1)

	s.source.fail("no route to host")
	r := s.after(5 * time.Second)
	require.EqualError(t, r.Sources[0].Err, "no route to host")
	require.Equal(t, []string{`{__name__="up", ` + target + `} 0`}, s.ask("up"))
	require.Equal(t, []string{`{__name__="scrape_samples_scraped", ` + target + `} 0`}, s.ask("scrape_samples_scraped"))
	require.Empty(t, s.ask("height"), "all series of a failed scrape have ended")
	require.InDelta(t, 1, counted(t, s.registry, "understudy_scrape_failures_total", "one:9478", reasonOther), 0)
	require.InDelta(t, 2, counted(t, s.registry, "understudy_scrapes_total", "one:9478"), 0)

	r = s.after(5*time.Second, `height{chain="btc"} 1`)
	require.NoError(t, r.Sources[0].Err)
	require.Equal(t, Target{"understudy", "one:9478"}, r.Sources[0].Target)
	require.Equal(t, 1, r.Sources[0].Samples)
	require.Equal(t, []string{`{__name__="up", ` + target + `} 1`}, s.ask("up"))
	require.Len(t, s.ask("height"), 1)
}

func TestASeriesThatIsGoneFromAScrapeIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	s.after(0, `height{chain="btc"} 1`, `height{chain="eth"} 2`, `height{chain="ltc"} 3`)
	s.after(5*time.Second, `height{chain="btc"} 1`, `height{chain="ltc"} 3`)
	require.Equal(t, []string{`{} 4`}, s.ask("sum(height)"))
	s.after(5*time.Second, `height{chain="eth"} 5`, `height{chain="ltc"} 3`, `height{chain="new"} 1`)
	require.Equal(t, []string{`{} 9`}, s.ask("sum(height)"))
	require.Empty(t, s.ask(`height{chain="btc"}`))
}

func TestLabelsOfScrapedSeries(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	s.after(0, `height{instance="own",job="theirs",exported_job="kept",empty="",a="1"} 1`)
	require.Equal(t, []string{
		`{__name__="height", a="1", exported_exported_job="theirs", exported_instance="own", exported_job="kept", instance="one:9478", job="understudy"} 1`,
	}, s.ask("height"))
	s.after(5*time.Second, `height{instance="own",job="theirs",exported_job="kept",empty="",a="1"} 2`)
	require.Equal(t, []string{"{} 2"}, s.ask("sum(height)"), "found again")
}

func TestTheTimeOfASampleIsThatOfTheRound(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	future := fmt.Sprint(start.Add(24 * time.Hour).UnixMilli())
	s.after(0, "height 1 1000", `height{chain="btc"} 2 `+future)
	require.Equal(t, []string{"{} 3"}, s.ask("sum(height)"))
	require.Equal(t, []string{"{} 0"}, s.ask("sum(timestamp(height) - time())"))
	require.InDelta(t, 2, counted(t, s.registry, "understudy_scrape_timestamps_ignored_total", "one:9478"), 0)
}

func TestOfTheSameSeriesTwiceTheFirstCounts(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	s.after(0, `height{chain="btc"} 1`, `height{chain="btc"} 2`, "# TYPE up gauge", "up 7")
	require.Equal(t, []string{"{} 1"}, s.ask("sum(height)"))
	require.Equal(t, []string{"{} 1"}, s.ask("sum(up)"), "a source cannot say of itself that it is up")
	require.InDelta(t, 2, counted(t, s.registry, "understudy_scrape_samples_dropped_total", "one:9478"), 0)
}

func TestKindsOfMetrics(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	s.after(0,
		"# TYPE h histogram", `h_bucket{le="0.5"} 1`, `h_bucket{le="1"} 2`, `h_bucket{le="+Inf"} 3`, "h_sum 4", "h_count 3",
		"# TYPE no_inf histogram", `no_inf_bucket{le="10"} 2`, "no_inf_sum 4", "no_inf_count 3",
		"# TYPE s summary", `s{quantile="0.5"} 7`, `s{quantile="1"} 8`, "s_sum 9", "s_count 2",
		"# TYPE c counter", "c 5", "# TYPE g gauge", "g 6", "untyped 7",
		"# TYPE none gauge", "none NaN", "# TYPE least gauge", "least -Inf",
	)
	for query, want := range map[string][]string{
		`sum by (le) (h_bucket)`:      {`{le="0.5"} 1`, `{le="1.0"} 2`, `{le="+Inf"} 3`},
		`sum by (le) (no_inf_bucket)`: {`{le="10.0"} 2`, `{le="+Inf"} 3`},
		`sum(h_sum)`:                  {"{} 4"},
		`sum(h_count)`:                {"{} 3"},
		`sum by (quantile) (s)`:       {`{quantile="0.5"} 7`, `{quantile="1.0"} 8`},
		`sum(s_sum) + sum(s_count)`:   {"{} 11"},
		`sum(c)`:                      {"{} 5"},
		`sum(g)`:                      {"{} 6"},
		`sum(untyped)`:                {"{} 7"},
		`sum(none)`:                   {"{} NaN"},
		`sum(least)`:                  {"{} -Inf"},
	} {
		require.ElementsMatch(t, want, s.ask(query), query)
	}
	require.Equal(t, []string{"{} 18"}, s.ask("sum(scrape_samples_scraped)"))
}

func TestANativeHistogramLeavesItsSumAndCount(t *testing.T) {
	t.Parallel()
	schema, count, sum := int32(3), uint64(4), 2.5
	var found []sample
	m := &dto.Metric{Histogram: &dto.Histogram{Schema: &schema, SampleCount: &count, SampleSum: &sum}}
	flatten(dto.MetricType_HISTOGRAM, m, func(s sample) { found = append(found, s) })
	require.Equal(t, []sample{{"_bucket", "le", "+Inf", 4}, {suffix: "_sum", value: 2.5}, {suffix: "_count", value: 4}}, found)
	require.Equal(t, len(found), sizeOf(dto.MetricType_HISTOGRAM, m))
}

func TestASourceCannotForgeTheEndOfASeries(t *testing.T) {
	t.Parallel()
	require.False(t, value.IsStaleNaN(plain(math.Float64frombits(value.StaleNaN))))
	require.True(t, math.IsNaN(plain(math.Float64frombits(value.StaleNaN))))
	require.InDelta(t, 1., plain(1), 0)
}

func TestAScrapeThatDoesNotFitIsRejectedWhole(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything), func(o *Options) { o.MaxSeries = 6 })
	s.after(0, `height{chain="a"} 1`, `height{chain="b"} 1`)
	require.Equal(t, 5, s.memory.count)
	r := s.after(5*time.Second, `height{chain="a"} 1`, `height{chain="b"} 1`, `height{chain="c"} 1`, `height{chain="d"} 1`)
	require.EqualError(t, r.Sources[0].Err, "more than 6 series in memory")
	require.InDelta(t, 1, counted(t, s.registry, "understudy_scrape_failures_total", "one:9478", reasonTooManySeries), 0)
	require.Empty(t, s.ask("height"))
	require.Equal(t, []string{"{} 0"}, s.ask("sum(up)"))
	require.Equal(t, 5, s.memory.count, "nothing of it is left behind")
	s.after(5*time.Second, `height{chain="a"} 1`)
	require.Len(t, s.ask("height"), 1)
}

func TestWithoutRoomForAnythingASourceIsSimplyNotThere(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything), func(o *Options) { o.MaxSeries = 1 })
	r := s.after(0, `height 1`)
	require.Error(t, r.Sources[0].Err)
	require.Equal(t, 0, s.memory.count)
	r = s.after(5 * time.Second)
	require.Error(t, r.Sources[0].Err)
}

func TestASeriesWithALabelTwiceIsMalformed(t *testing.T) {
	t.Parallel()
	name, chain, one := "height", "chain", "btc"
	value := 1.
	pair := &dto.LabelPair{Name: &chain, Value: &one}
	source := &oneShot{next: &fleet{families: []*dto.MetricFamily{{
		Name: &name, Type: dto.MetricType_GAUGE.Enum(),
		Metric: []*dto.Metric{{Label: []*dto.LabelPair{pair, pair}, Gauge: &dto.Gauge{Value: &value}}},
	}}}}
	e, err := New(Options{Sources: []Source{source}}, groupsOf(t, rulesOf(everything)))
	require.NoError(t, err)
	r, err := e.Evaluate(t.Context(), start)
	require.NoError(t, err)
	require.EqualError(t, r.Sources[0].Err, "a series of height has the label chain twice")
}

func TestOnlyWhatIsReadIsKept(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- record: nobody:reads:it
  expr: height
- alert: A
  expr: chain_height{chain="btc"} > 1
  annotations: {text: '{{ query "template_height" }}'}
- alert: B
  expr: count({__name__=~"lag_.*"}) > 1
`))
	s.after(0, "chain_height 1", "template_height 1", "lag_a 1", "lag_b 1", "height 1", "other 1")
	kept := []string{}
	for name := range s.memory.metrics {
		kept = append(kept, name)
	}
	require.ElementsMatch(t, []string{"chain_height", "template_height", "lag_a", "lag_b", "height"}, kept)
}

func TestAnAnswerInAnotherOrderIsTheSameAnswer(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(everything))
	lines := []string{`height{chain="a"} 1`, `height{chain="b"} 2`, `height{chain="c"} 3`, `lag{chain="a"} 4`, `lag{chain="b"} 5`}
	s.after(0, lines...)
	for _, order := range [][]int{{4, 3, 2, 1, 0}, {0, 2, 4}, {0, 1, 2, 3, 4}, {1, 0, 3, 2, 4}, {2}, {0, 1, 2, 3, 4}} {
		var mixed []string
		want := 0.
		for _, i := range order {
			mixed = append(mixed, lines[i])
			want += float64(i + 1)
		}
		s.after(5*time.Second, mixed...)
		require.Equal(t, []string{"{} " + formatted(want)}, s.ask(`sum({__name__=~"height|lag"})`), "%v", order)
		require.Equal(t, 8, s.memory.count, "no series was made a second time")
	}
}
