package exporter

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
)

// maxScrapes bounds how many pages are made at the same time.
const maxScrapes = 8

// newMetricsHandler serves the metrics in any format of the exposition. It does
// not go through promhttp.HandlerFor, which would hold all families of a page at
// once: it writes them one after the other.
func newMetricsHandler(e *Exporter) http.Handler {
	slots := make(chan struct{}, maxScrapes)
	return promhttp.InstrumentMetricHandler(e.process.registry, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			writeText(w, http.StatusServiceUnavailable, "Too many scrapes at once.")
			return
		}
		format := expfmt.NegotiateIncludingOpenMetrics(r.Header)
		w.Header().Set("Content-Type", string(format))
		buffered := bufio.NewWriterSize(w, 64<<10)
		defer func() { _ = buffered.Flush() }()
		var out io.Writer = buffered
		if acceptsGzip(r) {
			w.Header().Set("Content-Encoding", "gzip")
			zip, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
			if err == nil {
				defer func() { _ = zip.Close() }()
				out = zip
			}
		}
		if err := e.writeMetrics(out, format); err != nil {
			// The status is sent; all that is left is to break off.
			e.logger.Debug("A scrape was not answered whole", "err", err)
			panic(http.ErrAbortHandler)
		}
	}))
}

// writeMetrics writes one page.
func (e *Exporter) writeMetrics(w io.Writer, format expfmt.Format) error {
	encoder := expfmt.NewEncoder(w, format)
	for f := range expose(e.view(time.Now())) {
		if err := encoder.Encode(f); err != nil {
			return err
		}
	}
	own, err := e.process.registry.Gather()
	if err != nil {
		return err
	}
	for _, f := range own {
		if err := encoder.Encode(f); err != nil {
			return err
		}
	}
	if closer, ok := encoder.(expfmt.Closer); ok {
		return closer.Close()
	}
	return nil
}

// acceptsGzip says whether the client reads gzip.
func acceptsGzip(r *http.Request) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" && strings.TrimSpace(weight) != "q=0" {
			return true
		}
	}
	return false
}
