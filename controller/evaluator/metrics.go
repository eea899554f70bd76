package evaluator

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// The labels of the evaluator's own metrics. An exporter is named by its
// instance.
const (
	labelGroup    = "group"
	labelRule     = "rule"
	labelExporter = "exporter"
	labelReason   = "reason"
)

// metrics is what the evaluator publishes of itself.
type metrics struct {
	evaluations, failures *prometheus.CounterVec
	groupDuration         *prometheus.GaugeVec
	duration, timestamp   prometheus.Gauge
	samples, series       prometheus.Gauge
	resultsDropped        prometheus.Counter
	templateFailures      prometheus.Counter
	scrapes               *prometheus.CounterVec
	scrapeFailures        *prometheus.CounterVec
	samplesDropped        *prometheus.CounterVec
	timestampsIgnored     *prometheus.CounterVec
}

// newMetrics makes the metrics and registers them, if there is where.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		evaluations: counters("understudy_rule_evaluations_total",
			"Evaluations of the rule.", labelGroup, labelRule),
		failures: counters("understudy_rule_evaluation_failures_total",
			"Evaluations of the rule that failed.", labelGroup, labelRule),
		groupDuration: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "understudy_rule_group_duration_seconds",
			Help: "Duration of the last evaluation of the group, in seconds.",
		}, []string{labelGroup}),
		duration: gauge("understudy_evaluation_duration_seconds",
			"Duration of the last evaluation of all rules, in seconds."),
		timestamp: gauge("understudy_evaluation_timestamp_seconds",
			"Time of the last evaluation of all rules, as Unix time in seconds."),
		samples: gauge("understudy_evaluator_samples", "Samples in the memory of the rule evaluator."),
		series:  gauge("understudy_evaluator_series", "Series in the memory of the rule evaluator."),
		resultsDropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "understudy_rule_results_dropped_total",
			Help: "Results of rules that were dropped as another rule or a scrape had written the same series at that time.",
		}),
		templateFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "understudy_template_failures_total",
			Help: "Templates of alerts that could not be expanded and show the error instead.",
		}),
		scrapes:           counters("understudy_scrapes_total", "Scrapes of the exporter.", labelExporter),
		scrapeFailures:    counters("understudy_scrape_failures_total", "Scrapes of the exporter that failed.", labelExporter, labelReason),
		samplesDropped:    counters("understudy_scrape_samples_dropped_total", "Scraped samples that were dropped as their series was there twice.", labelExporter),
		timestampsIgnored: counters("understudy_scrape_timestamps_ignored_total", "Scraped samples whose own time was ignored in favour of the scrape's.", labelExporter),
	}
	if r == nil {
		return m, nil
	}
	for _, c := range m.collectors() {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		m.evaluations, m.failures, m.groupDuration, m.duration, m.timestamp, m.samples, m.series,
		m.resultsDropped, m.templateFailures, m.scrapes, m.scrapeFailures, m.samplesDropped, m.timestampsIgnored,
	}
}

// adopt gives the rules of a group their counters, at 0 from the start.
func (m *metrics) adopt(g *group) {
	g.duration = m.groupDuration.WithLabelValues(g.name)
	for _, r := range g.rules {
		r.evaluations = m.evaluations.WithLabelValues(g.name, r.name)
		r.failures = m.failures.WithLabelValues(g.name, r.name)
	}
}

// forget takes away the series of groups and rules that are gone.
func (m *metrics) forget(before, now []*group) {
	type key struct{ group, rule string }
	kept := map[key]bool{}
	for _, g := range now {
		kept[key{g.name, ""}] = true
		for _, r := range g.rules {
			kept[key{g.name, r.name}] = true
		}
	}
	for _, g := range before {
		if !kept[key{g.name, ""}] {
			m.groupDuration.DeleteLabelValues(g.name)
		}
		for _, r := range g.rules {
			if !kept[key{g.name, r.name}] {
				m.evaluations.DeleteLabelValues(g.name, r.name)
				m.failures.DeleteLabelValues(g.name, r.name)
			}
		}
	}
}

// feedMetrics are the metrics of one source.
type feedMetrics struct {
	scrapes, dropped, timestamps prometheus.Counter
	failures                     map[string]prometheus.Counter
}

func (m *metrics) ofExporter(t Target) feedMetrics {
	f := feedMetrics{
		scrapes:    m.scrapes.WithLabelValues(t.Instance),
		dropped:    m.samplesDropped.WithLabelValues(t.Instance),
		timestamps: m.timestampsIgnored.WithLabelValues(t.Instance),
		failures:   map[string]prometheus.Counter{},
	}
	for _, reason := range reasons() {
		f.failures[reason] = m.scrapeFailures.WithLabelValues(t.Instance, reason)
	}
	return f
}

// failed counts a failed scrape.
func (f feedMetrics) failed(err error) { f.failures[reasonOf(err)].Inc() }
