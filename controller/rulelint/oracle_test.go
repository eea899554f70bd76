package rulelint

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The engine of Prometheus is the judge: what is said of the labels of an
// expression must hold for whatever series it evaluates to.

// at is when everything is evaluated.
var at = time.Unix(1000, 0)

// point is a value at that time.
type point int

func (point) T() int64                      { return at.UnixMilli() }
func (point) ST() int64                     { return 0 }
func (p point) F() float64                  { return float64(p) }
func (point) H() *histogram.Histogram       { return nil }
func (point) FH() *histogram.FloatHistogram { return nil }
func (point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample         { return p }

// world are the series there are.
type world []storage.Series

// selected are the series that the matchers select.
func (w world) selected(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &selection{at: -1}
	for _, s := range w {
		all := true
		for _, m := range matchers {
			all = all && m.Matches(s.Labels().Get(m.Name))
		}
		if all {
			set.series = append(set.series, s)
		}
	}
	return set
}

type selection struct {
	series []storage.Series
	at     int
}

func (s *selection) Next() bool                      { s.at++; return s.at < len(s.series) }
func (s *selection) At() storage.Series              { return s.series[s.at] }
func (*selection) Err() error                        { return nil }
func (*selection) Warnings() annotations.Annotations { return nil }

// evaluate gives the series that an expression evaluates to; false if it fails, as
// it does when several series match the same one.
func (w world) evaluate(t *rapid.T, engine *promql.Engine, expr string) ([]labels.Labels, bool) {
	from := &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: w.selected}}
	q, err := engine.NewInstantQuery(t.Context(), from, nil, expr, at)
	require.NoError(t, err)
	defer q.Close()
	result := q.Exec(t.Context())
	if result.Err != nil {
		return nil, false
	}
	vector, ok := result.Value.(promql.Vector)
	if !ok {
		return nil, false
	}
	var found []labels.Labels
	for _, sample := range vector {
		found = append(found, sample.Metric)
	}
	return found, true
}

// metricsOfWorld have different labels.
var metricsOfWorld = []string{
	"up", "bifrost_provider_up", "bifrost_provider_failing", "bifrost_provider_info",
	"bifrost_provider_inconsistent", "bifrost_failover_max_block_lag", "understudy_evaluator_active",
}

// values are those of each label in the world.
var values = map[string][]string{
	"job": {"understudy"}, "instance": {"one", "two"}, "chain": {"btc", "eth"}, "provider": {"a", "b"}, "reason": {"dns", "tls"},
	"operator": {"o", "p"}, "type": {"evm-rpc"}, "check": {"hash", "transactions"}, "source": {"local", "alertmanager"},
}

// newWorld makes some of the series that our metrics can have.
func newWorld(t *rapid.T, k *knowledge) world {
	var w world
	for _, name := range metricsOfWorld {
		pairs := [][]string{{model.MetricNameLabel, name}}
		for _, label := range append([]string{labelJob, labelInstance}, k.exported[name].Labels...) {
			var longer [][]string
			for _, p := range pairs {
				for _, value := range values[label] {
					longer = append(longer, append(append([]string{}, p...), label, value))
				}
			}
			pairs = longer
		}
		for _, p := range pairs {
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				w = append(w, storage.NewListSeries(labels.FromStrings(p...), []chunks.Sample{point(rapid.IntRange(0, 2).Draw(t, "value"))}))
			}
		}
	}
	return w
}

func TestTheEngineBearsOutWhatIsSaidOfLabels(t *testing.T) {
	t.Parallel()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: time.Minute, Parser: promQL})
	k := learn(nil)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, k)
		for range 10 {
			if text := expression(t, 3); isVector(text) {
				compare(t, k, engine, w, text)
			}
		}
	})
}

// isVector says whether a text that was put together is an expression with
// series.
func isVector(text string) bool {
	expr, err := promQL.ParseExpr(text)
	return err == nil && expr.Type() == parser.ValueTypeVector
}

// compare holds what is said of an expression against what it evaluates to.
func compare(t *rapid.T, k *knowledge, engine *promql.Engine, w world, text string) {
	expr, err := promQL.ParseExpr(text)
	require.NoError(t, err)
	hopeless := false
	set := k.labels(expr, func(r remark) {
		hopeless = hopeless || r.check == checkJoin && strings.Contains(r.message, "never has a result")
	})
	found, ok := w.evaluate(t, engine, text)
	if !ok {
		return
	}
	// With another operation inside, the remark may be about that.
	if b, ok := expr.(*parser.BinaryExpr); ok && hopeless && !hasOperation(b.LHS) && !hasOperation(b.RHS) {
		require.Emptyf(t, found, "%s was to have no result", text)
	}
	distinct := map[labels.Label]bool{}
	for _, series := range found {
		require.Falsef(t, set.none, "%s has %s", text, series)
		series.Range(func(l labels.Label) {
			distinct[l] = true
			require.Truef(t, l.Name == model.MetricNameLabel || set.presence(l.Name) != never, "%s has %s, and %q was excluded", text, series, l.Name)
		})
		for _, name := range set.names(sure) {
			require.Truef(t, series.Has(name), "%s has %s, and %q was sure", text, series, name)
		}
	}
	for l := range distinct {
		for _, value := range values[l.Name] {
			two := value != l.Value && distinct[labels.Label{Name: l.Name, Value: value}]
			require.Falsef(t, two && set.presence(l.Name) == fixed, "%s: %q was to have one value", text, l.Name)
		}
	}
}

// hasOperation says whether there is an operation within an expression.
func hasOperation(e parser.Expr) bool {
	found := false
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		_, ok := n.(*parser.BinaryExpr)
		found = found || ok
		return nil
	})
	return found
}
