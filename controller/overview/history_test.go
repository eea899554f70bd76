package overview_test

import (
	"context"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// gauge is a metric of provider a of chain btc.
func gauge(m rules.Metric, value float64) *dto.MetricFamily {
	label := func(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
	kind := dto.MetricType_GAUGE
	return &dto.MetricFamily{Name: &m.Name, Type: &kind, Metric: []*dto.Metric{{
		Label: []*dto.LabelPair{label(rules.LabelChain, "btc"), label(rules.LabelProvider, "a")}, Gauge: &dto.Gauge{Value: &value},
	}}}
}

// exporter is a source that publishes what it is told.
type exporter []*dto.MetricFamily

func (e exporter) Collect(context.Context, evaluator.Wanted) ([]*dto.MetricFamily, error) {
	return e, nil
}
func (exporter) Target() evaluator.Target { return evaluator.Target{} }

func TestEachEvaluationAddsToTheHistoryOfConfiguredProviders(t *testing.T) {
	t.Parallel()
	now := time.Now()
	seen := observation.New(time.Hour)
	source := seen.Watch(exporter{
		gauge(rules.ProviderUp, 1), gauge(rules.ProviderLatency, 12.5), gauge(rules.ProviderLastProbe, float64(now.Unix())),
	})
	_, err := source.Collect(t.Context(), eachFamily)
	require.NoError(t, err)
	b := board.New(0)
	b.Restore("btc", 1, &board.Decision{Config: config.Chain{Name: "btc", Providers: []config.Provider{{Name: "a"}, {Name: "b"}}}})
	o := overview.New(overview.Options{Board: b, Observations: seen, Now: func() time.Time { return now }})

	o.SetFigures(overview.Figures{Lags: map[observation.Key]int64{{Chain: "btc", Provider: "a"}: 2}})
	a := o.History("btc", "a")
	require.Len(t, a, 1)
	require.True(t, a[0].Good)
	require.InDelta(t, 12.5, *a[0].LatencyMS, 0)
	require.Equal(t, int64(2), *a[0].Lag)
	require.Len(t, o.History("btc", "b"), 1, "who has no figures has a history without any")
	require.Nil(t, o.History("btc", "b")[0].LatencyMS)

	now = now.Add(history.Step)
	o.SetFigures(overview.Figures{})
	require.Len(t, o.History("btc", "a"), 2)
}

// eachFamily wants everything.
func eachFamily(string) bool { return true }
