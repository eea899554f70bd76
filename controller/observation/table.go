// Package observation holds what the exporters last published about each
// provider, condensed over all of them.
//
// It reads the same samples as the rules do, on their way to the evaluator, so
// that nothing is scraped twice. What it tells is evidence that a provider is
// well, which no alert can give, and figures for people. It never says that a
// provider is unfit: that is the rules' matter.
//
// Exporters vote: what half of those that can be heard and know the provider
// say is taken for true. An exporter that was not heard for a while has no vote.
package observation

import (
	"context"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/controller/evaluator"
)

// Key names a provider.
type Key struct{ Chain, Provider string }

// Table holds the observations. Make it with New; its methods may be called at
// the same time.
type Table struct {
	limit time.Duration

	mu      sync.RWMutex
	sources []*source
}

// source is what one exporter published last.
type source struct {
	// heard is when it answered, asked when it had been asked for that.
	heard, asked time.Time
	round        uint64
	providers    map[Key]*raw
	// observed are the chain scanners' heights, by chain.
	observed map[string]uint64
}

// New makes an empty table. After the limit without an answer, an exporter is
// one that cannot be heard.
func New(limit time.Duration) *Table { return &Table{limit: limit} }

// Watch gives a source that is the given one, and whose samples the table
// learns from.
func (t *Table) Watch(s evaluator.Source) evaluator.Source {
	own := &source{providers: map[Key]*raw{}, observed: map[string]uint64{}}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sources = append(t.sources, own)
	return watched{s, t, own}
}

// watched is a source that the table learns from.
type watched struct {
	evaluator.Source
	table *Table
	own   *source
}

// Steady implements evaluator.Steady.
func (w watched) Steady() bool {
	s, ok := w.Source.(evaluator.Steady)
	return ok && s.Steady()
}

// Collect collects, and takes down what it got.
func (w watched) Collect(ctx context.Context, wanted evaluator.Wanted) ([]*dto.MetricFamily, error) {
	asked := time.Now()
	families, err := w.Source.Collect(ctx, func(family string) bool { return needed(family) || wanted(family) })
	if err == nil {
		w.table.learn(w.own, families, asked, time.Now())
	}
	return families, err
}

// learn replaces what is known of an exporter.
func (t *Table) learn(s *source, families []*dto.MetricFamily, asked, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.heard, s.asked = now, asked
	s.round++
	clear(s.observed)
	for _, f := range families {
		s.take(f, now)
	}
	for key, r := range s.providers {
		if r.round != s.round {
			delete(s.providers, key)
		}
	}
}

// Heard is when an exporter last answered; zero if none ever did.
func (t *Table) Heard() time.Time {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var last time.Time
	for _, s := range t.sources {
		if s.heard.After(last) {
			last = s.heard
		}
	}
	return last
}

// Fresh says whether any exporter can be heard.
func (t *Table) Fresh(now time.Time) bool {
	heard := t.Heard()
	return !heard.IsZero() && now.Sub(heard) <= t.limit
}

func (s *source) fresh(now time.Time, limit time.Duration) bool {
	return !s.heard.IsZero() && now.Sub(s.heard) <= limit
}

// ObservedHeight is that of the chain's scanner; false if nobody knows it.
func (t *Table) ObservedHeight(chain string, now time.Time) (uint64, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	highest, known := uint64(0), false
	for _, s := range t.sources {
		if h, ok := s.observed[chain]; ok && s.fresh(now, t.limit) {
			highest, known = max(highest, h), true
		}
	}
	return highest, known
}
