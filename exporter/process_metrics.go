package exporter

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/collectors/version"

	"github.com/understudy-rpc/understudy/rules"
)

// processMetrics are those of the process itself, in a registry of its own.
type processMetrics struct {
	registry        *registry
	reloadSuccess   prometheus.Gauge
	reloadTimestamp prometheus.Gauge
	configHash      prometheus.Gauge
}

// newProcessMetrics registers the runtime's metrics and ours.
func newProcessMetrics(ready func() bool) *processMetrics {
	p := &processMetrics{
		registry:        newRegistry(),
		reloadSuccess:   gaugeOf(rules.ReloadSuccessful),
		reloadTimestamp: gaugeOf(rules.ReloadTimestamp),
		configHash:      gaugeOf(rules.ConfigHash),
	}
	p.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		version.NewCollector("understudy"),
		p.reloadSuccess, p.reloadTimestamp, p.configHash,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: rules.Ready.Name, Help: rules.Ready.Help},
			func() float64 { return indicator(ready()) }),
	)
	return p
}

// gaugeOf is a gauge without labels.
func gaugeOf(m rules.Metric) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: m.Name, Help: m.Help})
}

// reloaded notes how a reload ended.
func (p *processMetrics) reloaded(err error, now time.Time) {
	p.reloadSuccess.Set(indicator(err == nil))
	if err == nil {
		p.reloadTimestamp.Set(float64(now.Unix()))
	}
}
