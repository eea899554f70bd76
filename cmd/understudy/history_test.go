package main

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

// history is what a Prometheus would have of a process: what it scraped, and what
// it made of that by the bundled rules. Alerts fire at once in it, without for.
type history struct {
	t      *testing.T
	engine *promql.Engine
	rules  []rulefmt.Rule
	// now is the time of the last scrape, in milliseconds.
	now    int64
	series map[string]*track
}

// track is a series with its samples.
type track struct {
	labels  labels.Labels
	samples []chunks.Sample
}

func newHistory(t *testing.T) *history {
	t.Helper()
	syntax := parser.NewParser(parser.Options{})
	h := &history{t: t, series: map[string]*track{}}
	h.engine = promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: time.Minute, Parser: syntax})
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		groups, errs := rulefmt.Parse(text, false, model.LegacyValidation, syntax, slog.New(slog.DiscardHandler))
		require.Empty(t, errs)
		for _, g := range groups.Groups {
			h.rules = append(h.rules, g.Rules...)
		}
	}
	return h
}

// scrape takes in what the process publishes now and evaluates the rules.
func (h *history) scrape(p *process) {
	h.t.Helper()
	status, text := p.get("/metrics")
	require.Equal(h.t, http.StatusOK, status)
	h.now = max(time.Now().UnixMilli(), h.now+1)
	reader := expfmt.NewTextParser(model.LegacyValidation)
	families, err := reader.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(h.t, err)
	vector, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{}, slices.Collect(maps.Values(families))...)
	require.NoError(h.t, err)
	target := labels.FromStrings("job", controllerJob, "instance", p.address)
	for _, s := range vector {
		b := labels.NewBuilder(target)
		for name, value := range s.Metric {
			b.Set(string(name), string(value))
		}
		h.add(b.Labels(), float64(s.Value))
	}
	h.add(labels.NewBuilder(target).Set(model.MetricNameLabel, "up").Labels(), 1)
	for _, r := range h.rules {
		for _, s := range h.ask(r.Expr) {
			b := labels.NewBuilder(s.Metric)
			for name, value := range r.Labels {
				b.Set(name, value)
			}
			if r.Record != "" {
				h.add(b.Set(model.MetricNameLabel, r.Record).Labels(), s.F)
				continue
			}
			b.Set(model.MetricNameLabel, "ALERTS").Set(rules.LabelAlert, r.Alert).Set("alertstate", "firing")
			h.add(b.Labels(), 1)
		}
	}
}

// add appends a sample of now.
func (h *history) add(ls labels.Labels, v float64) {
	key := ls.String()
	if h.series[key] == nil {
		h.series[key] = &track{labels: ls}
	}
	h.series[key].samples = append(h.series[key].samples, number{h.now, v})
}

// ask evaluates a query at the time of the last scrape.
func (h *history) ask(expr string) promql.Vector {
	h.t.Helper()
	q, err := h.engine.NewInstantQuery(h.t.Context(), h, nil, expr, time.UnixMilli(h.now))
	require.NoErrorf(h.t, err, expr)
	defer q.Close()
	result := q.Exec(h.t.Context())
	require.NoErrorf(h.t, result.Err, expr)
	vector, err := result.Vector()
	require.NoErrorf(h.t, err, expr)
	return slices.Clone(vector)
}

// Querier implements storage.Queryable.
func (h *history) Querier(int64, int64) (storage.Querier, error) { return reading{history: h}, nil }

// reading is a query under way.
type reading struct {
	storage.LabelQuerier
	history *history
}

func (reading) Close() error { return nil }

// Select implements storage.Querier. The engine leaves out what is too old.
func (r reading) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := &selected{at: -1}
	for _, key := range slices.Sorted(maps.Keys(r.history.series)) {
		s := r.history.series[key]
		if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.labels.Get(m.Name)) }) {
			found.all = append(found.all, storage.NewListSeries(s.labels, s.samples))
		}
	}
	return found
}

// selected are the series of a selector.
type selected struct {
	all []*storage.SeriesEntry
	at  int
}

func (s *selected) Next() bool                        { s.at++; return s.at < len(s.all) }
func (s *selected) At() storage.Series                { return s.all[s.at] }
func (s *selected) Err() error                        { return nil }
func (s *selected) Warnings() annotations.Annotations { return nil }

// number is a sample: a value at a time in milliseconds.
type number struct {
	t int64
	v float64
}

func (s number) T() int64                      { return s.t }
func (s number) ST() int64                     { return 0 }
func (s number) F() float64                    { return s.v }
func (s number) H() *histogram.Histogram       { return nil }
func (s number) FH() *histogram.FloatHistogram { return nil }
func (s number) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s number) Copy() chunks.Sample           { return s }
