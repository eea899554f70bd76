package exporter

import (
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/rules"
)

// family is one metric family and how its series follow from a view.
type family struct {
	metric rules.Metric
	emit   func(v *view, s *sheet)
}

// families are what the exporter publishes, in the order of the exposition.
var families = append(providerFamilies, chainFamilies...)

// chunk is how many series are put together at a time.
const chunk = 1024

// expose hands out the families of a view in pieces of at most chunk series,
// whose storage is used again for the next: a page about ten thousand providers
// takes the memory of one about fifty. continued says that a piece is of the
// same family as the one before. It ends with the first error of put.
func expose(v *view, put func(f *dto.MetricFamily, continued bool) error) error {
	s := sheet{put: put}
	for i := range families {
		s.begin(families[i].metric)
		families[i].emit(v, &s)
		if err := s.flush(); err != nil {
			return err
		}
	}
	return nil
}

// gather is the families of a view, each whole and with storage of its own.
func gather(v *view) []*dto.MetricFamily {
	all := make([]*dto.MetricFamily, 0, len(families))
	for i := range families {
		var s sheet
		s.begin(families[i].metric)
		families[i].emit(v, &s)
		if len(s.family.Metric) > 0 {
			all = append(all, s.family)
		}
	}
	return all
}

// maxLabels is the most labels that a series has.
const maxLabels = 4

// sample is one series with all that it points to.
type sample struct {
	metric  dto.Metric
	gauge   dto.Gauge
	counter dto.Counter
	value   float64
	labels  [maxLabels]*dto.LabelPair
}

// sheet collects the series of one family.
type sheet struct {
	// put receives every full piece; nil keeps the family whole.
	put       func(f *dto.MetricFamily, continued bool) error
	continued bool
	err       error
	family    *dto.MetricFamily
	typ       rules.Type
	samples   []sample
}

// begin starts a family, forgetting the one before.
func (s *sheet) begin(m rules.Metric) {
	typ := dto.MetricType_GAUGE
	switch m.Type {
	case rules.Counter:
		typ = dto.MetricType_COUNTER
	case rules.Histogram:
		typ = dto.MetricType_HISTOGRAM
	}
	if s.family == nil {
		s.family = &dto.MetricFamily{}
	}
	s.family.Name, s.family.Help, s.family.Type = &m.Name, &m.Help, &typ
	s.typ, s.continued = m.Type, false
}

// flush hands out the piece that was collected, if there is one.
func (s *sheet) flush() error {
	if s.err == nil && len(s.family.Metric) > 0 {
		s.err = s.put(s.family, s.continued)
	}
	s.family.Metric, s.samples, s.continued = s.family.Metric[:0], s.samples[:0], true
	return s.err
}

// add puts a value under labels, which must be in the order of the alphabet.
func (s *sheet) add(value float64, labels ...*dto.LabelPair) {
	p := s.next(labels)
	p.value = value
	if s.typ == rules.Counter {
		p.counter.Value = &p.value
		p.metric.Counter = &p.counter
		return
	}
	p.gauge.Value = &p.value
	p.metric.Gauge = &p.gauge
}

// addFlag puts 1 or 0.
func (s *sheet) addFlag(set bool, labels ...*dto.LabelPair) {
	if set {
		s.add(1, labels...)
		return
	}
	s.add(0, labels...)
}

// addTime puts a moment as Unix time, or nothing for the zero time.
func (s *sheet) addTime(t time.Time, labels ...*dto.LabelPair) {
	if !t.IsZero() {
		s.add(float64(t.UnixMilli())/1e3, labels...)
	}
}

// addHistogram puts a histogram.
func (s *sheet) addHistogram(h interface{ Write(*dto.Metric) error }, labels ...*dto.LabelPair) {
	var m dto.Metric
	if err := h.Write(&m); err != nil {
		return
	}
	p := s.next(labels)
	p.metric.Histogram = m.Histogram
}

// next is a fresh sample of the family.
func (s *sheet) next(labels []*dto.LabelPair) *sample {
	if len(s.samples) == cap(s.samples) {
		if s.put != nil && s.samples != nil {
			_ = s.flush() // The error stays in s.err, and flush returns it again.
		} else {
			s.samples = make([]sample, 0, chunk)
		}
	}
	s.samples = s.samples[:len(s.samples)+1]
	p := &s.samples[len(s.samples)-1]
	p.metric.Gauge, p.metric.Counter, p.metric.Histogram = nil, nil, nil
	n := copy(p.labels[:], labels)
	p.metric.Label = p.labels[:n:n]
	s.family.Metric = append(s.family.Metric, &p.metric)
	return p
}

// pair is a label with its value.
func pair(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
