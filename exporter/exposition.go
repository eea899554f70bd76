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

// expose hands out the families of a view in pieces of at most chunk series, so
// that a page about ten thousand providers takes the memory of a few pieces. put
// owns a piece from then on and gives the sheet another in exchange, whose
// storage is used again. It ends with the first error of put.
func expose(v *view, first *piece, put func(*piece) (*piece, error)) error {
	s := sheet{put: put, piece: first}
	for _, f := range families {
		s.begin(f.metric)
		f.emit(v, &s)
		if err := s.flush(); err != nil {
			return err
		}
	}
	return nil
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

// piece is a family, or a part of one, with its storage.
type piece struct {
	family dto.MetricFamily
	// continued says that it is of the same family as the piece before.
	continued bool
	samples   []sample
}

// sheet collects the series of one family.
type sheet struct {
	// put receives every full piece; nil keeps the family whole.
	put   func(*piece) (*piece, error)
	err   error
	typ   rules.Type
	piece *piece
	// name, help and kind are those of the family.
	name, help *string
	kind       *dto.MetricType
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
	s.name, s.help, s.kind, s.typ = &m.Name, &m.Help, &typ, m.Type
	s.clear(false)
}

// clear makes the piece an empty one of the family.
func (s *sheet) clear(continued bool) {
	p := s.piece
	p.family.Name, p.family.Help, p.family.Type = s.name, s.help, s.kind
	p.family.Metric, p.samples, p.continued = p.family.Metric[:0], p.samples[:0], continued
}

// flush hands out the piece that was collected, if there is one.
func (s *sheet) flush() error {
	if s.err == nil && len(s.piece.family.Metric) > 0 {
		if s.piece, s.err = s.put(s.piece); s.err != nil {
			// What was handed out is not ours any more; what follows goes nowhere.
			s.piece = &piece{}
		}
	}
	s.clear(true)
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
	if len(s.piece.samples) == cap(s.piece.samples) {
		if s.put != nil && s.piece.samples != nil {
			_ = s.flush() // The error stays in s.err, and flush returns it again.
		}
		if len(s.piece.samples) == cap(s.piece.samples) {
			// The samples that are full stay alive through the family.
			s.piece.samples = make([]sample, 0, s.room())
		}
	}
	s.piece.samples = s.piece.samples[:len(s.piece.samples)+1]
	p := &s.piece.samples[len(s.piece.samples)-1]
	p.metric.Gauge, p.metric.Counter, p.metric.Histogram = nil, nil, nil
	n := copy(p.labels[:], labels)
	p.metric.Label = p.labels[:n:n]
	s.piece.family.Metric = append(s.piece.family.Metric, &p.metric)
	return p
}

// room is for how many further samples to make room. A family that is kept whole
// finds room for all of it the next time.
func (s *sheet) room() int {
	if s.put != nil {
		return chunk
	}
	return max(16, 2*len(s.piece.family.Metric))
}

// pair is a label with its value.
func pair(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }
