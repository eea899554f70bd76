package observation

import (
	"slices"
	"time"
)

// Provider is what the exporters say of a provider together. The zero value is
// that of a provider that no exporter tells of.
type Provider struct {
	// Asked is when the exporters were asked for this, the first of them that was;
	// zero if none tells of the provider. What changed later is not in it.
	Asked time.Time
	// Probed says that a probe has ended with a verdict, ProbedAt when the newest did,
	// by the exporters' clocks, and Good whether most of the last ones were good.
	Probed   bool
	ProbedAt time.Time
	Good     bool
	// Proven says that its network is known to be the chain's, Disproven that it
	// is known to be another.
	Proven, Disproven bool

	// Height is the highest that an exporter which sees it up reports.
	Height      uint64
	HeightKnown bool
	// LatencyMS is the average over the exporters, in milliseconds.
	LatencyMS    float64
	LatencyKnown bool
	// TipTime is the time of its newest block; zero if it is not told.
	TipTime time.Time
	// Errors is the sum of failed probes, ConsecutiveErrors the worst of the
	// exporters' counts.
	Errors, ConsecutiveErrors uint64
	// LastReason is why the last failed probe failed, LastFailed when that was
	// heard of; empty and zero if none failed, or nobody knows when.
	LastReason string
	LastFailed time.Time
	// Refuted are declared capabilities that a probe found missing, sorted.
	Refuted []string
}

// Provider is what is known of a provider now.
func (t *Table) Provider(key Key, now time.Time) Provider {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var p poll
	for _, s := range t.sources {
		if r, ok := s.providers[key]; ok && s.fresh(now, t.limit) {
			p.add(r)
			if p.sum.Asked.IsZero() || s.asked.Before(p.sum.Asked) {
				p.sum.Asked = s.asked
			}
		}
	}
	return p.result()
}

// poll collects the votes of the exporters.
type poll struct {
	all, probed, good, right, wrong int
	goodAt, badAt                   time.Time
	latencies                       int
	sum                             Provider
}

// add counts one exporter.
func (p *poll) add(r *raw) {
	p.all++
	up := r.up == 1
	if at, ok := momentOf(r.probedAt); ok && !r.undecided() {
		p.probed++
		if up {
			p.good++
			p.goodAt = later(p.goodAt, at)
		} else {
			p.badAt = later(p.badAt, at)
		}
	}
	switch r.mismatch {
	case 0:
		p.right++
	case 1:
		p.wrong++
	}
	p.addFigures(r, up)
}

// addFigures takes in what is for people.
func (p *poll) addFigures(r *raw, up bool) {
	s := &p.sum
	if h, ok := heightOf(r.height); ok && (up || !s.HeightKnown) {
		s.Height, s.HeightKnown = max(s.Height, h), true
	}
	if r.latency >= 0 && r.latency <= maxLatency {
		s.LatencyMS += r.latency
		p.latencies++
	}
	if at, ok := momentOf(r.tipTime); ok {
		s.TipTime = later(s.TipTime, at)
	}
	s.Errors += countOf(r.errors)
	s.ConsecutiveErrors = max(s.ConsecutiveErrors, countOf(r.consecutive))
	if r.lastReason != "" && (s.LastReason == "" || r.lastFailed.After(s.LastFailed)) {
		s.LastReason, s.LastFailed = r.lastReason, r.lastFailed
	}
	for _, c := range r.refuted {
		if !slices.Contains(s.Refuted, c) {
			s.Refuted = append(s.Refuted, c)
		}
	}
}

// result is what most say. Half of them is enough against a provider's network,
// and for its being up: so the rules count, too.
func (p *poll) result() Provider {
	s := p.sum
	s.Probed = p.probed > 0
	s.Good = p.probed > 0 && 2*p.good >= p.probed
	s.ProbedAt = p.badAt
	if s.Good {
		s.ProbedAt = p.goodAt
	}
	s.Disproven = p.wrong > 0 && p.wrong >= p.right
	s.Proven = p.right > p.wrong
	if p.latencies > 0 {
		s.LatencyMS /= float64(p.latencies)
		s.LatencyKnown = true
	}
	slices.Sort(s.Refuted)
	return s
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// countOf is a count, if the value is one.
func countOf(v float64) uint64 {
	if h, ok := heightOf(v); ok {
		return h
	}
	return 0
}
