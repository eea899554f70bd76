package exporter

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/understudy-rpc/understudy/exporter/prober"
)

// probeTimeout bounds a probe on demand.
const probeTimeout = 30 * time.Second

// serveProbe probes one provider now. The result moves no state.
func (e *Exporter) serveProbe(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	key := prober.Key{Chain: q.Get("chain"), Provider: q.Get("provider")}
	m, ok := e.fleet.Load().byKey[key]
	if !ok {
		writeText(w, http.StatusNotFound, fmt.Sprintf("There is no provider %q of chain %q. Ask with ?chain=NAME&provider=NAME.", key.Provider, key.Chain))
		return
	}
	status, _ := e.prober.Status(key)
	if wait := time.Until(status.RetryAfter); wait > 0 && q.Get("force") != "true" {
		w.Header().Set("Retry-After", fmt.Sprintf("%.0f", wait.Seconds()+1))
		writeText(w, http.StatusServiceUnavailable, fmt.Sprintf("%s asked to be left alone until %s; asking now may extend that. Add &force=true to ask all the same.", key.Provider, status.RetryAfter.UTC().Format(time.RFC3339)))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	observation, err := e.prober.Look(ctx, key)
	report := newReport(m, observation, err, e.networks.Judge(key, observation.Identity))
	if q.Get("debug") == "true" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_ = report.WriteText(w)
		e.writeHistory(w, key)
		return
	}
	writeProbeMetrics(w, r, report)
}

// writeProbeMetrics answers as the exporters of one target do: with metrics of
// this probe alone.
func writeProbeMetrics(w http.ResponseWriter, r *http.Request, report Report) {
	registry := prometheus.NewRegistry()
	put := func(name, help string, value float64) {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		g.Set(value)
		registry.MustRegister(g)
	}
	put("probe_success", "Whether the provider answered from the right network with a height (1) or not (0).", indicator(report.OK))
	put("probe_requests", "Requests that the probe took.", float64(len(report.Requests)))
	if n := len(report.Requests); n > 0 {
		last := report.Requests[n-1]
		put("probe_duration_seconds", "Duration of the probe, in seconds.", (last.StartMS+last.LatencyMS)/1e3)
	}
	if report.Height != nil {
		put("probe_block_height", "Newest block that the provider reports.", float64(*report.Height))
	}
	if report.LatencyMS != nil {
		put("probe_height_latency_seconds", "Latency of the height request, in seconds.", *report.LatencyMS/1e3)
	}
	if report.CertificateExpiry != nil {
		put("probe_certificate_expiry_timestamp_seconds", "When the first TLS certificate expires, as Unix time in seconds.", float64(report.CertificateExpiry.Unix()))
	}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// writeHistory adds the last results and, kept apart, the last failures.
func (e *Exporter) writeHistory(w http.ResponseWriter, key prober.Key) {
	history, ok := e.prober.History(key)
	if !ok {
		return
	}
	for _, part := range []struct {
		title   string
		records []prober.Record
	}{{"Last probes", history.Results}, {"Last failures", history.Failures}} {
		_, _ = fmt.Fprintf(w, "\n%s:\n", part.title)
		for _, r := range part.records {
			_, _ = fmt.Fprintf(w, "  %s\n", r)
		}
	}
}
