package observation

import (
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/rules"
)

// raw is what one exporter says of one provider. A value that it does not give
// is not a number.
type raw struct {
	round uint64
	// first says that the exporter was not heard of this provider before.
	first bool

	up, mismatch, height, latency, tipTime float64
	probedAt                               float64
	errors, consecutive                    float64
	refuted                                []string

	// failures are counted by reason, to see which one grew last.
	failures   map[string]float64
	lastReason string
	lastFailed time.Time
}

// newRaw knows nothing.
func newRaw() *raw { return &raw{failures: map[string]float64{}} }

// begin forgets the values of the round before.
func (r *raw) begin(round uint64) {
	if r.round == round {
		return
	}
	r.first, r.round = r.round == 0, round
	unknown := math.NaN()
	r.up, r.mismatch, r.height, r.latency, r.tipTime, r.probedAt = unknown, unknown, unknown, unknown, unknown, unknown
	r.errors, r.consecutive, r.refuted = unknown, unknown, r.refuted[:0]
}

// undecided says that the last probe has not failed and is not good either: nobody
// knows yet which network the chain is on, or the provider.
func (r *raw) undecided() bool { return r.up != 1 && r.consecutive == 0 && math.IsNaN(r.mismatch) }

// take reads the samples of a metric, if it is one of those that are needed.
func (s *source) take(f *dto.MetricFamily, now time.Time) {
	if f.GetName() == rules.ChainObservedHeight.Name {
		s.takeObserved(f)
		return
	}
	set, ok := readers[f.GetName()]
	if !ok {
		return
	}
	counts := f.GetName() == rules.ProviderFailures.Name
	for _, m := range f.GetMetric() {
		if counts && valueOf(m) == 0 {
			// Of most reasons no provider has failed for, so that this spares most of the work.
			continue
		}
		if key, ok := keyOf(m); ok {
			r := s.providers[key]
			if r == nil {
				r = newRaw()
				s.providers[key] = r
			}
			r.begin(s.round)
			set(r, m, now)
		}
	}
}

// needed says whether a metric is one of those.
func needed(name string) bool {
	_, ok := readers[name]
	return ok || name == rules.ChainObservedHeight.Name
}

// readers put the value of a sample where it belongs, by metric.
var readers = map[string]func(*raw, *dto.Metric, time.Time){
	rules.ProviderUp.Name:                func(r *raw, m *dto.Metric, _ time.Time) { r.up = valueOf(m) },
	rules.ProviderNetworkMismatch.Name:   func(r *raw, m *dto.Metric, _ time.Time) { r.mismatch = valueOf(m) },
	rules.ProviderBlockHeight.Name:       func(r *raw, m *dto.Metric, _ time.Time) { r.height = valueOf(m) },
	rules.ProviderLatency.Name:           func(r *raw, m *dto.Metric, _ time.Time) { r.latency = valueOf(m) },
	rules.ProviderTipTime.Name:           func(r *raw, m *dto.Metric, _ time.Time) { r.tipTime = valueOf(m) },
	rules.ProviderLastProbe.Name:         func(r *raw, m *dto.Metric, _ time.Time) { r.probedAt = valueOf(m) },
	rules.ProviderErrors.Name:            func(r *raw, m *dto.Metric, _ time.Time) { r.errors = valueOf(m) },
	rules.ProviderConsecutiveErrors.Name: func(r *raw, m *dto.Metric, _ time.Time) { r.consecutive = valueOf(m) },
	rules.ProviderFailures.Name:          takeFailures,
	rules.ProviderCapability.Name:        takeCapability,
}

// takeFailures notes which reason has grown. What an exporter counted before it
// was first heard happened at a time that nobody knows.
func takeFailures(r *raw, m *dto.Metric, now time.Time) {
	count := valueOf(m)
	if !(count > 0) {
		return
	}
	reason := labelOf(m, rules.LabelReason)
	if count == r.failures[reason] {
		return
	}
	r.failures[reason] = count
	switch {
	case !r.first:
		r.lastReason, r.lastFailed = reason, now
	case r.lastReason == "" || count > r.failures[r.lastReason]:
		r.lastReason = reason
	}
}

// takeCapability notes what a probe refuted.
func takeCapability(r *raw, m *dto.Metric, _ time.Time) {
	if valueOf(m) == 0 {
		r.refuted = append(r.refuted, labelOf(m, rules.LabelCapability))
	}
}

func (s *source) takeObserved(f *dto.MetricFamily) {
	for _, m := range f.GetMetric() {
		if h, ok := heightOf(valueOf(m)); ok {
			s.observed[labelOf(m, rules.LabelChain)] = h
		}
	}
}

// keyOf says which provider a sample is about.
func keyOf(m *dto.Metric) (Key, bool) {
	k := Key{labelOf(m, rules.LabelChain), labelOf(m, rules.LabelProvider)}
	return k, k.Chain != "" && k.Provider != ""
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// valueOf is the value of a gauge, a counter or a sample without a type.
func valueOf(m *dto.Metric) float64 {
	switch {
	case m.GetGauge() != nil:
		return m.GetGauge().GetValue()
	case m.GetCounter() != nil:
		return m.GetCounter().GetValue()
	case m.GetUntyped() != nil:
		return m.GetUntyped().GetValue()
	}
	return math.NaN()
}

// maxHeight is the highest height that a sample holds exactly.
const maxHeight = 1 << 53

// maxLatency is the highest latency that is believed, in milliseconds: ten years.
const maxLatency = 3.2e11

// heightOf is a height, if the value is one.
func heightOf(v float64) (uint64, bool) {
	if !(v >= 0 && v <= maxHeight) || v != math.Trunc(v) {
		return 0, false
	}
	return uint64(v), true
}

// momentOf is a moment, if the value is one.
func momentOf(seconds float64) (time.Time, bool) {
	if !(seconds > 0 && seconds < 1e11) {
		return time.Time{}, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)).UTC(), true
}
