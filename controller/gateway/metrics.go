package gateway

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/rules"
)

// result is how a client's request ended.
type result uint8

const (
	// resultOK: with a good answer.
	resultOK result = iota
	// resultError: with a provider's error.
	resultError
	// resultFailed: nobody had an answer.
	resultFailed
	// resultDenied: the method is not let through.
	resultDenied
	// resultInvalid: it was no request.
	resultInvalid
	// resultCancelled: the client went away.
	resultCancelled
	// resultAborted: the answer broke off after it had begun.
	resultAborted

	resultCount
)

var resultNames = [resultCount]string{
	resultOK: "ok", resultError: "error", resultFailed: "failed", resultDenied: "denied",
	resultInvalid: "invalid", resultCancelled: "cancelled", resultAborted: "aborted",
}

// metrics makes samples from the memory of the lanes when they are collected, so
// that a request only adds to numbers, and what is not configured any more is gone.
type metrics struct {
	gateway  *Gateway
	seconds  *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
	descs    map[string]*prometheus.Desc
}

func newMetrics(g *Gateway, registerer prometheus.Registerer) (*metrics, error) {
	m := &metrics{gateway: g, descs: map[string]*prometheus.Desc{}}
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: rules.GatewayDuration.Name, Help: rules.GatewayDuration.Help,
		Buckets:                        []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25},
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}, rules.GatewayDuration.Labels)
	m.attempts = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: rules.GatewayAttempts.Name, Help: rules.GatewayAttempts.Help, Buckets: []float64{1, 2, 3, 5, 10},
	}, rules.GatewayAttempts.Labels)
	for _, metric := range rules.Gateway() {
		if metric.Type != rules.Histogram {
			m.descs[metric.Name] = prometheus.NewDesc(metric.Name, metric.Help, metric.Labels, nil)
		}
	}
	if registerer == nil {
		return m, nil
	}
	return m, errors.Join(registerer.Register(m), registerer.Register(distributions{m}))
}

// distributions collects the histograms, apart from the numbers, which rules read
// much more often.
type distributions struct{ of *metrics }

// Describe implements prometheus.Collector.
func (d distributions) Describe(to chan<- *prometheus.Desc) {
	d.of.seconds.Describe(to)
	d.of.attempts.Describe(to)
}

// Collect implements prometheus.Collector.
func (d distributions) Collect(to chan<- prometheus.Metric) {
	// A chain has its histograms as soon as it has a lane.
	d.of.gateway.allLanes()
	d.of.seconds.Collect(to)
	d.of.attempts.Collect(to)
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range m.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	for _, l := range m.gateway.allLanes() {
		route, ok := m.gateway.options.Router.Route(l.chain)
		if ok && !l.settings.Load().Off {
			m.collect(l, &route, to)
		}
	}
}

func (m *metrics) collect(l *lane, route *Route, to chan<- prometheus.Metric) {
	emit := func(metric rules.Metric, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if metric.Type == rules.Counter {
			kind = prometheus.CounterValue
		}
		to <- prometheus.MustNewConstMetric(m.descs[metric.Name], kind, value, labels...)
	}
	s := m.gateway.state(l, route)
	emit(rules.GatewayEvents, float64(s.events), l.chain)
	emit(rules.GatewaySwitches, float64(s.switches), l.chain)
	emit(rules.GatewayActiveIndex, float64(s.ActiveIndex), l.chain)
	emit(rules.GatewayHealthyEndpoints, float64(s.HealthyEndpoints), l.chain)
	emit(rules.GatewayTotalEndpoints, float64(s.TotalEndpoints), l.chain)
	emit(rules.GatewayInFlight, float64(l.inFlight.Load()), l.chain)
	emit(rules.GatewayWebSockets, float64(l.sockets.Load()), l.chain)
	for i, name := range resultNames {
		emit(rules.GatewayAnswers, float64(l.results[i].Load()), l.chain, name)
	}
	for _, e := range s.Endpoints {
		quarantined := 0.
		if e.quarantined {
			quarantined = 1
		}
		emit(rules.GatewayQuarantined, quarantined, l.chain, e.Provider)
		for i, name := range outcomeNames {
			emit(rules.GatewayRequests, float64(e.outcomes[i]), l.chain, name, e.Provider)
		}
	}
}

// allLanes are the lanes of all configured chains, and of no others if it is known
// which those are.
func (g *Gateway) allLanes() []*lane {
	if g.options.Chains != nil {
		chains := g.options.Chains()
		for _, chain := range chains {
			if route, ok := g.options.Router.Route(chain); ok {
				g.lane(&route)
			}
		}
		g.forget(chains)
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	lanes := make([]*lane, 0, len(g.lanes))
	for _, l := range g.lanes {
		lanes = append(lanes, l)
	}
	return lanes
}
