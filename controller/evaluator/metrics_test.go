package evaluator

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

func TestTheEvaluatorsOwnMetrics(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf(`
- {record: chain:height, expr: height}
- {alert: High, expr: chain:height > 1}
`))
	s.after(0, "height 2")
	s.source.fail("broken")
	s.after(5 * time.Second)
	families, err := s.registry.Gather()
	require.NoError(t, err)
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	// All but the durations, which nobody can foretell.
	const want = `# HELP understudy_evaluation_timestamp_seconds Time of the last evaluation of all rules, as Unix time in seconds.
# TYPE understudy_evaluation_timestamp_seconds gauge
understudy_evaluation_timestamp_seconds 1.796004005e+09
# HELP understudy_evaluator_samples Samples in the memory of the rule evaluator.
# TYPE understudy_evaluator_samples gauge
understudy_evaluator_samples 2
# HELP understudy_evaluator_series Series in the memory of the rule evaluator.
# TYPE understudy_evaluator_series gauge
understudy_evaluator_series 2
# HELP understudy_rule_evaluation_failures_total Evaluations of the rule that failed.
# TYPE understudy_rule_evaluation_failures_total counter
understudy_rule_evaluation_failures_total{group="test",rule="High"} 0
understudy_rule_evaluation_failures_total{group="test",rule="chain:height"} 0
# HELP understudy_rule_evaluations_total Evaluations of the rule.
# TYPE understudy_rule_evaluations_total counter
understudy_rule_evaluations_total{group="test",rule="High"} 2
understudy_rule_evaluations_total{group="test",rule="chain:height"} 2
# HELP understudy_rule_results_dropped_total Results of rules that were dropped as another rule or a scrape had written the same series at that time.
# TYPE understudy_rule_results_dropped_total counter
understudy_rule_results_dropped_total 0
# HELP understudy_scrape_failures_total Scrapes of the exporter that failed.
# TYPE understudy_scrape_failures_total counter
understudy_scrape_failures_total{exporter="one:9478",reason="connection"} 0
understudy_scrape_failures_total{exporter="one:9478",reason="http"} 0
understudy_scrape_failures_total{exporter="one:9478",reason="malformed"} 0
understudy_scrape_failures_total{exporter="one:9478",reason="other"} 1
understudy_scrape_failures_total{exporter="one:9478",reason="timeout"} 0
understudy_scrape_failures_total{exporter="one:9478",reason="too_large"} 0
understudy_scrape_failures_total{exporter="one:9478",reason="too_many_series"} 0
# HELP understudy_scrape_samples_dropped_total Scraped samples that were dropped as their series was there twice.
# TYPE understudy_scrape_samples_dropped_total counter
understudy_scrape_samples_dropped_total{exporter="one:9478"} 0
# HELP understudy_scrape_timestamps_ignored_total Scraped samples whose own time was ignored in favour of the scrape's.
# TYPE understudy_scrape_timestamps_ignored_total counter
understudy_scrape_timestamps_ignored_total{exporter="one:9478"} 0
# HELP understudy_scrapes_total Scrapes of the exporter.
# TYPE understudy_scrapes_total counter
understudy_scrapes_total{exporter="one:9478"} 2
# HELP understudy_template_failures_total Templates of alerts that could not be expanded and show the error instead.
# TYPE understudy_template_failures_total counter
understudy_template_failures_total 0
`
	var got strings.Builder
	durations := 0
	for _, f := range families {
		if strings.HasSuffix(f.GetName(), "_duration_seconds") {
			durations++
			continue
		}
		_, err := expfmt.MetricFamilyToText(&got, f)
		require.NoError(t, err)
	}
	require.Equal(t, want, got.String())
	require.Equal(t, 2, durations)
}

func TestTwoEvaluatorsCannotShareARegistry(t *testing.T) {
	t.Parallel()
	o := Options{Sources: []Source{newFakeSource(t, "one")}, Registerer: prometheus.NewRegistry()}
	_, err := New(o, nil)
	require.NoError(t, err)
	_, err = New(o, nil)
	require.ErrorContains(t, err, "register metrics")
}

func TestWhatIsPublishedIsWhatTheCatalogueSaysAndIsDescribed(t *testing.T) {
	t.Parallel()
	s := newScript(t, rulesOf("- {record: chain:height, expr: height}"))
	s.after(0, "height 2")
	families, err := s.registry.Gather()
	require.NoError(t, err)
	var published []rules.Metric
	for _, f := range families {
		m := rules.Metric{Name: f.GetName(), Help: f.GetHelp(), Type: rules.Gauge}
		if f.GetType() == dto.MetricType_COUNTER {
			m.Type = rules.Counter
		}
		for _, pair := range f.GetMetric()[0].GetLabel() {
			m.Labels = append(m.Labels, pair.GetName())
		}
		published = append(published, m)
	}
	require.Equal(t, rules.Evaluator(), published)
	doc, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	for _, m := range rules.Evaluator() {
		require.Contains(t, rules.Controller(), m)
		require.Contains(t, string(doc), "`"+m.Name+"`")
	}
}
