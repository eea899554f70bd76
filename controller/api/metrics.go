package api

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/rules"
)

// unmatched stands, in place of a route's pattern, for requests that no route
// takes: what callers send makes no series.
const unmatched = "unmatched"

type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	refused  prometheus.Counter
	dropped  prometheus.Counter
	panics   prometheus.Counter
}

// newMetrics registers them; with no registerer they count unseen.
func newMetrics(registerer prometheus.Registerer, w *watchers) (*metrics, error) {
	counter := func(m rules.Metric) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: m.Name, Help: m.Help})
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: rules.HTTPRequests.Name, Help: rules.HTTPRequests.Help}, rules.HTTPRequests.Labels),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: rules.HTTPDuration.Name, Help: rules.HTTPDuration.Help, Buckets: []float64{.0001, .001, .01, .1, 1, 10},
			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
		}, rules.HTTPDuration.Labels),
		refused: counter(rules.HTTPWatchersRefused), dropped: counter(rules.HTTPStreamsDropped), panics: counter(rules.HTTPPanics),
	}
	if registerer == nil {
		return m, nil
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: rules.HTTPWatchers.Name, Help: rules.HTTPWatchers.Help},
		func() float64 { return float64(w.now.Load()) })
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.refused, m.dropped, m.panics, waiting} {
		if err := registerer.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// routeMetrics are those of one route, found without looking up labels.
type routeMetrics struct {
	pattern  string
	all      *metrics
	duration prometheus.Observer
	// counters are by status code, each made with the first answer of its kind.
	counters [600]atomic.Pointer[prometheus.Counter]
}

// of makes those of a route. Its successes are counted from 0.
func (m *metrics) of(pattern string) *routeMetrics {
	r := &routeMetrics{pattern: pattern, all: m, duration: m.duration.WithLabelValues(pattern)}
	if pattern != unmatched {
		r.counter(http.StatusOK)
	}
	return r
}

// counter counts the answers with a status code.
func (r *routeMetrics) counter(status int) prometheus.Counter {
	if status < 0 || status >= len(r.counters) {
		status = http.StatusInternalServerError
	}
	if c := r.counters[status].Load(); c != nil {
		return *c
	}
	c := r.all.requests.WithLabelValues(strconv.Itoa(status), r.pattern)
	r.counters[status].Store(&c)
	return c
}
