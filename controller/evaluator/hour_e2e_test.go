//go:build e2e

package evaluator

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/understudy-rpc/understudy/rules"
)

// providersOfHour are two chains of four.
const providersOfHour = 2 * perChain

// hour is the life of a fleet as two exporters see it, with faults. What an
// exporter answers depends on the time of the scrape alone.
type hour struct {
	mu    sync.Mutex
	since time.Time
	// faults change what the first and the second exporter see; broken is how they
	// answer instead, nil if they do.
	faults [2][]fault
	broken [2]http.HandlerFunc
}

// fault changes what an exporter sees at a time, of a fleet that is else well.
// since is when the fault began.
type fault func(f *fleet, now, since time.Time)

// exporter is the handler of the first or the second exporter.
func (h *hour) exporter(i int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		broken, faults, since := h.broken[i], h.faults[i], h.since
		h.mu.Unlock()
		if broken != nil {
			broken(w, r)
			return
		}
		now := time.Now()
		f := newFleet(providersOfHour, now)
		f.advance(now, heightAt(now))
		f.set(rules.FailoverStallTimeout, 2)
		f.set(rules.ProviderProbeInterval, 0.3)
		f.set(rules.ProviderCertificateExpiry, unix(now)+90*86400)
		for _, fault := range faults {
			fault(f, now, since)
		}
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		encoder := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
		for _, family := range f.families {
			if len(family.Metric) > 0 && encoder.Encode(family) != nil {
				return
			}
		}
	}
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// heightAt is the height of all chains: a block each half second.
func heightAt(t time.Time) float64 { return float64(t.UnixMilli() / 500 % 1_000_000) }

// see sets the faults that both exporters see from now on.
func (h *hour) see(faults ...fault) { h.seeEach(faults, faults) }

func (h *hour) seeEach(first, second []fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since, h.faults, h.broken = time.Now(), [2][]fault{first, second}, [2]http.HandlerFunc{}
}

// breakDown lets the exporters answer in another way from now on.
func (h *hour) breakDown(first, second http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since, h.broken = time.Now(), [2]http.HandlerFunc{first, second}
}

// gauge sets a metric of some providers.
func gauge(m rules.Metric, value float64, providers ...int) fault {
	return func(f *fleet, _, _ time.Time) {
		for _, i := range providers {
			f.set(m, value, rules.LabelProvider, providerOf(i))
		}
	}
}

// failing lets providers fail with a class of failure.
func failing(reason string, providers ...int) fault {
	return func(f *fleet, _, _ time.Time) {
		for _, i := range providers {
			f.add(f.byName[rules.ProviderFailing.Name], rules.ProviderFailing, rules.LabelChain, chainOf(i),
				rules.LabelProvider, providerOf(i), rules.LabelReason, reason)
			f.set(rules.ProviderUp, 0, rules.LabelProvider, providerOf(i))
			f.set(rules.ProviderConsecutiveErrors, 7, rules.LabelProvider, providerOf(i))
			f.set(rules.ProviderConsecutiveSuccesses, 0, rules.LabelProvider, providerOf(i))
		}
		f.set(rules.ProviderFailing, 1)
	}
}

// shifted lets the height of providers be another by some blocks.
func shifted(blocks float64, providers ...int) fault {
	return func(f *fleet, now, _ time.Time) {
		for _, i := range providers {
			f.set(rules.ProviderBlockHeight, heightAt(now)+blocks, rules.LabelProvider, providerOf(i))
		}
	}
}

// frozen lets providers stand where they were when the fault began.
func frozen(providers ...int) fault {
	return func(f *fleet, _, since time.Time) {
		for _, i := range providers {
			f.set(rules.ProviderBlockHeight, heightAt(since), rules.LabelProvider, providerOf(i))
			f.set(rules.ProviderLastAdvance, unix(since), rules.LabelProvider, providerOf(i))
			f.set(rules.ProviderTipTime, unix(since), rules.LabelProvider, providerOf(i))
		}
	}
}

// extra adds a series that the catalogue of the exporter does not have.
func extra(m rules.Metric, value func(now, since time.Time) float64, pairs ...string) fault {
	return func(f *fleet, now, since time.Time) {
		family := f.byName[m.Name]
		if family == nil {
			family = &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: typeOf(m.Type).Enum()}
			f.families, f.byName[m.Name] = append(f.families, family), family
		}
		one := f.add(family, m, pairs...)
		if v := value(now, since); m.Type == rules.Counter {
			one.Counter.Value = &v
		} else {
			one.Gauge.Value = &v
		}
	}
}

func always(v float64) func(now, since time.Time) float64 {
	return func(time.Time, time.Time) float64 { return v }
}

// vanished takes away all series of a provider.
func vanished(i int) fault {
	return func(f *fleet, _, _ time.Time) {
		for _, family := range f.families {
			kept := family.Metric[:0]
			for _, m := range family.Metric {
				if !matches(m, []string{rules.LabelProvider, providerOf(i)}) {
					kept = append(kept, m)
				}
			}
			family.Metric = kept
		}
	}
}

// The ways in which an exporter does not answer.
func unavailable(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "not now", http.StatusServiceUnavailable)
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "<html>\n")
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100000")
	_, _ = io.WriteString(w, "bifrost_provider_up 1\n")
}

// extraRules are in no bundled file, but in Prometheus's manual. What ExtraSame
// finds comes and goes with one scrape: a rule in error keeps the alerts it had,
// so the two would differ for good if one of them had seen half of it.
const extraRules = `
groups:
- name: extra.one
  interval: 5s
  limit: 5
  rules:
  - {record: extra:up:sum, expr: sum by (chain) (bifrost_provider_up)}
  - {record: "extra:latency:top", expr: 'topk(3, max by (chain, provider) (bifrost_provider_latency_ms) > 100)', labels: {kind: top}}
  - alert: ExtraTooMany
    expr: bifrost_provider_up == 1
- name: extra.two
  interval: 5s
  rules:
  - alert: ExtraTemplates
    expr: extra:up:sum < 8
    labels:
      worst: '{{ with query "sort(sum by (chain) (bifrost_provider_up))" }}{{ . | first | label "chain" }}{{ end }}'
      none: '{{ if false }}x{{ end }}'
      wrong: '{{ query "sum(" }}'
    annotations:
      failing: '{{ $labels.nothing | first }}'
      counted: '{{ range query "count by (chain) (bifrost_provider_up)" }}{{ .Labels.chain }}={{ .Value }} {{ end }}'
      value: '{{ $value | humanize }}'
  - alert: ExtraSlow
    expr: extra:latency:top
    for: 1m
    keep_firing_for: 2m
  - alert: ExtraAboutAlerts
    expr: 'count by (alertname) (ALERTS{alertstate="firing",alertname=~"Provider.*"}) > 0'
  - alert: ExtraAbsent
    expr: 'absent(bifrost_provider_up{chain="chain-000",provider="provider-0003"})'
  - alert: ExtraSame
    expr: max by (chain, provider) (bifrost_provider_up) == 0
    labels: {provider: same, chain: same}
  - alert: ExtraBuckets
    expr: 'sum by (le) (bifrost_provider_probe_duration_seconds_bucket{le="0.5"}) >= 0'
  - alert: ExtraSeries
    expr: 'count by (job, instance) ({__name__=~"bifrost_.*"}) > 0 and on (instance) scrape_samples_scraped > 0'
  - alert: ExtraChanges
    expr: 'changes(bifrost_provider_up[5m]) > 0 unless on (chain, provider) bifrost_provider_up == 0'
`

// TestPrometheusSeesTheSameHour lets an hour of faults pass in a minute or so.
// After each step the same alerts fire in Prometheus and here.
func TestPrometheusSeesTheSameHour(t *testing.T) {
	t.Parallel()
	h := &hour{since: time.Now()}
	var exporters []string
	for i := range 2 {
		server := httptest.NewServer(h.exporter(i))
		t.Cleanup(server.Close)
		exporters = append(exporters, strings.TrimPrefix(server.URL, "http://"))
	}
	w := startTwins(t, exporters, scraped(t, exporters), extraRules)
	w.agree("calm", []string{rules.AlertWatchdog, "ExtraBuckets", "ExtraSeries"}, rules.FailoverAlerts())
	all := []int{0, 1, 2, 3}
	for _, step := range []struct {
		name   string
		begin  func()
		firing []string
		// stays says that the alert fires for longer than the fault lasts.
		stays bool
	}{
		{"down", func() { h.see(failing("timeout", 0)) }, []string{rules.AlertProviderDown, "ExtraTemplates"}, false},
		{"down for one exporter only, behind", func() { h.seeEach([]fault{failing("dns", 5), shifted(-50, 1)}, []fault{shifted(-50, 1)}) },
			[]string{rules.AlertProviderBehindTip}, false},
		{"frozen", func() { h.see(frozen(2)) }, []string{rules.AlertProviderStalled}, false},
		{"errors", func() {
			h.see(gauge(rules.ProviderWindowErrors, 9, 0, 6), gauge(rules.ProviderConsecutiveSuccesses, 1, 0, 6))
		}, []string{rules.AlertProviderErrors}, false},
		{"rate limited", func() {
			h.see(extra(rules.ProviderRetryAfter, func(now, _ time.Time) float64 { return unix(now) + 60 }, "chain", chainOf(3), "provider", providerOf(3)))
		}, []string{rules.AlertProviderRateLimited}, false},
		{"unauthorized", func() { h.see(failing("unauthorized", 4)) }, []string{rules.AlertProviderUnauthorized}, false},
		{"slow", func() { h.see(gauge(rules.ProviderLatency, 9000, 1)) }, []string{rules.AlertProviderSlow, "ExtraSlow"}, false},
		{"inconsistent", func() { h.see(gauge(rules.ProviderInconsistent, 1, 2)) }, []string{rules.AlertProviderInconsistent}, false},
		{"wrong network for one of two exporters", func() { h.seeEach([]fault{gauge(rules.ProviderNetworkMismatch, 1, 3)}, nil) },
			[]string{rules.AlertProviderWrongNetwork}, false},
		{"syncing", func() { h.see(gauge(rules.ProviderSyncing, 1, 0), shifted(-500, 0)) }, []string{rules.AlertProviderSyncing}, false},
		{"ahead", func() { h.see(shifted(1000, 5), gauge(rules.ProviderTipVerified, 0, 5)) }, []string{rules.AlertProviderAheadOfTip}, false},
		{"certificate", func() {
			h.see(func(f *fleet, now, _ time.Time) {
				f.set(rules.ProviderCertificateExpiry, unix(now)+86400, rules.LabelProvider, providerOf(1))
			})
		}, []string{rules.AlertProviderCertificateExpiring}, false},
		{"jitter", func() { h.see(gauge(rules.ProviderHeightJitter, 10, 7)) }, []string{rules.AlertProviderHeightJitter}, false},
		{"all down", func() { h.see(failing("connection_refused", all...)) }, []string{rules.AlertChainAllProvidersUnhealthy}, false},
		{"all frozen", func() { h.see(frozen(all...)) }, []string{rules.AlertChainTipStalled}, false},
		{"split", func() {
			h.see(func(f *fleet, _, _ time.Time) { f.set(rules.ChainSplit, 1, rules.LabelChain, chainOf(4)) })
		}, []string{rules.AlertChainSplit}, false},
		{"one left", func() { h.see(failing("tls", 4, 5, 6)) }, []string{rules.AlertChainNoRedundancy}, false},
		{"probes are stale", func() {
			h.see(func(f *fleet, _, since time.Time) {
				f.set(rules.ProviderLastProbe, unix(since), rules.LabelProvider, providerOf(6))
			})
		}, []string{rules.AlertProbesStale}, false},
		{"a provider is gone", func() { h.see(vanished(3)) }, []string{"ExtraAbsent"}, false},
		{"an exporter is gone", func() { h.breakDown(unavailable, nil) }, []string{rules.AlertExporterDown}, false},
		{"exporters answer with pages and halves", func() { h.breakDown(page, half) }, []string{rules.AlertExporterDown, "ExtraAbsent"}, false},
		{"an exporter hangs", func() { h.breakDown(nil, hang) }, []string{rules.AlertExporterDown}, false},
		{"on fallback", func() {
			h.see(extra(rules.EvaluatorActive, always(1), rules.LabelSource, rules.SourceLocal),
				extra(rules.EvaluatorActive, always(0), rules.LabelSource, rules.SourceAlertmanager))
		}, []string{rules.AlertOnFallback}, false},
		{"evaluators disagree", func() { h.see(extra(rules.EvaluatorDisagreements, always(2))) }, []string{rules.AlertEvaluatorsDisagree}, false},
		{"a configuration is not taken", func() {
			h.see(func(f *fleet, _, _ time.Time) { f.set(rules.ReloadSuccessful, 0) })
		}, []string{rules.AlertConfigReloadFailed}, true},
		{"failovers", func() {
			h.see(extra(rules.ProviderFailovers, func(now, since time.Time) float64 { return float64(now.Sub(since) / (500 * time.Millisecond)) },
				rules.LabelChain, chainOf(0)))
		}, []string{rules.AlertChainFailover, rules.AlertChainFlapping}, true},
	} {
		step.begin()
		w.agree(step.name, step.firing, nil)
		h.see()
		if step.stays {
			w.agree(step.name+" is over", nil, nil)
		} else {
			w.agree(step.name+" is over", nil, step.firing)
		}
	}
}
