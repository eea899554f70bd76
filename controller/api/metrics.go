package api

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The API's metrics. handler is the pattern of a route, so that what callers
// send makes no series.
const (
	requestsName = "understudy_http_requests_total"
	requestsHelp = "Requests that were answered, by the route's pattern and the status code."
	durationName = "understudy_http_request_duration_seconds"
	durationHelp = "Time until a request was answered, without those that waited for news, by the route's pattern."
	watchersName = "understudy_http_watchers"
	watchersHelp = "Long polls and streams under way."
	refusedName  = "understudy_http_watchers_refused_total"
	refusedHelp  = "Long polls and streams that were refused because as many as may be were under way."
	droppedName  = "understudy_http_streams_dropped_total"
	droppedHelp  = "Streams that were ended because their reader did not keep up."
	panicsName   = "understudy_http_panics_total"
	panicsHelp   = "Requests that ended in a panic, which is a mistake of ours."

	labelHandler = "handler"
	labelCode    = "code"
	// unmatched stands for requests that no route takes.
	unmatched = "unmatched"
)

type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	refused  prometheus.Counter
	dropped  prometheus.Counter
	panics   prometheus.Counter
}

// newMetrics registers them; with no registerer they count unseen.
func newMetrics(registerer prometheus.Registerer, w *watchers) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: requestsName, Help: requestsHelp}, []string{labelHandler, labelCode}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: durationName, Help: durationHelp, Buckets: []float64{.0001, .001, .01, .1, 1, 10},
			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
		}, []string{labelHandler}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{Name: refusedName, Help: refusedHelp}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{Name: droppedName, Help: droppedHelp}),
		panics:  prometheus.NewCounter(prometheus.CounterOpts{Name: panicsName, Help: panicsHelp}),
	}
	if registerer == nil {
		return m, nil
	}
	waiting := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: watchersName, Help: watchersHelp},
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
	c := r.all.requests.WithLabelValues(r.pattern, strconv.Itoa(status))
	r.counters[status].Store(&c)
	return c
}
