package rules

// LabelHandler is the pattern of a route.
const LabelHandler = "handler"

// What the controller's HTTP interface publishes.
var (
	HTTPRequests = Metric{"understudy_http_requests_total",
		"Requests that were answered, by the route's pattern and the status code.", Counter, []string{LabelCode, LabelHandler}}
	HTTPDuration = Metric{"understudy_http_request_duration_seconds",
		"Time in seconds until a request was answered, without those that waited for news, by the route's pattern.", Histogram, []string{LabelHandler}}
	HTTPWatchers = Metric{"understudy_http_watchers",
		"Long polls and streams under way.", Gauge, nil}
	HTTPWatchersRefused = Metric{"understudy_http_watchers_refused_total",
		"Long polls and streams that were refused because as many as may be were under way.", Counter, nil}
	HTTPStreamsDropped = Metric{"understudy_http_streams_dropped_total",
		"Streams that were ended because their reader did not keep up.", Counter, nil}
	HTTPPanics = Metric{"understudy_http_panics_total",
		"Requests that ended in a panic, which is a mistake of ours.", Counter, nil}
)

// HTTP lists the metrics of the controller's HTTP interface.
func HTTP() []Metric {
	return []Metric{HTTPRequests, HTTPDuration, HTTPWatchers, HTTPWatchersRefused, HTTPStreamsDropped, HTTPPanics}
}
