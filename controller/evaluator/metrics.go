package evaluator

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/rules"
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
	counters := func(of rules.Metric) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: of.Name, Help: of.Help}, of.Labels)
	}
	counter := func(of rules.Metric) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: of.Name, Help: of.Help})
	}
	gauge := func(of rules.Metric) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: of.Name, Help: of.Help})
	}
	duration := rules.RuleGroupDuration
	m := &metrics{
		evaluations:       counters(rules.RuleEvaluations),
		failures:          counters(rules.RuleFailures),
		groupDuration:     prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: duration.Name, Help: duration.Help}, duration.Labels),
		duration:          gauge(rules.EvaluationDuration),
		timestamp:         gauge(rules.EvaluationTimestamp),
		samples:           gauge(rules.EvaluatorSamples),
		series:            gauge(rules.EvaluatorSeries),
		resultsDropped:    counter(rules.RuleResultsDropped),
		templateFailures:  counter(rules.TemplateFailures),
		scrapes:           counters(rules.Scrapes),
		scrapeFailures:    counters(rules.ScrapeFailures),
		samplesDropped:    counters(rules.ScrapeSamplesDropped),
		timestampsIgnored: counters(rules.ScrapeTimestampsIgnored),
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
