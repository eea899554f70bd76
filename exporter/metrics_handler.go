package exporter

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
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
		format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
		w.Header().Set("Content-Type", string(format))
		if err := e.sendMetrics(w, format, acceptsGzip(r)); err != nil {
			// The status is sent; all that is left is to break off.
			e.logger.Debug("A scrape was not answered whole", "err", err)
			panic(http.ErrAbortHandler)
		}
	}))
}

// pageBuffer is how much of a page is sent at a time.
const pageBuffer = 64 << 10

// sendMetrics writes one page to a client.
func (e *Exporter) sendMetrics(w http.ResponseWriter, format expfmt.Format, zipped bool) error {
	if !zipped {
		page := bufio.NewWriterSize(w, pageBuffer)
		return errors.Join(e.writeMetrics(page, format), page.Flush())
	}
	w.Header().Set("Content-Encoding", "gzip")
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	page := bufio.NewWriterSize(zip, pageBuffer)
	return errors.Join(e.writeMetrics(page, format), page.Flush(), zip.Close())
}

// writeMetrics writes one page. In the text formats a family is written in
// pieces; a protocol buffer holds a family whole.
func (e *Exporter) writeMetrics(w io.Writer, format expfmt.Format) error {
	// No name of ours needs escaping, and looking for one copies every family.
	format = format.WithEscapingScheme(model.NoEscaping)
	encoder := expfmt.NewEncoder(w, format)
	if err := encodeView(w, encoder, format, e.view(time.Now())); err != nil {
		return err
	}
	own, err := e.process.registry.Gather()
	if err != nil {
		return err
	}
	if err := encodeAll(encoder, own); err != nil {
		return err
	}
	if closer, ok := encoder.(expfmt.Closer); ok {
		return closer.Close()
	}
	return nil
}

// encodeView writes the families of a view.
func encodeView(w io.Writer, encoder expfmt.Encoder, format expfmt.Format, v *view) error {
	if format.FormatType() == expfmt.TypeProtoDelim {
		return encodeAll(encoder, gather(v))
	}
	return encodePieces(w, format, v)
}

// encodeAll encodes whole families.
func encodeAll(encoder expfmt.Encoder, families []*dto.MetricFamily) error {
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return err
		}
	}
	return nil
}

// acceptsGzip says whether the client reads gzip.
func acceptsGzip(r *http.Request) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" && strings.Trim(strings.TrimSpace(weight), "0.") != "q=" {
			return true
		}
	}
	return false
}
