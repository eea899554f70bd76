package exporter

import (
	"time"

	dto "github.com/prometheus/client_model/go"
)

// Sampler gathers for somebody in the same process who asks after every probe: only
// what is wanted, and into the same storage each time. Make it with NewSampler.
type Sampler struct {
	exporter *Exporter
	view     view
	// pieces are the storage of each of families.
	pieces   []piece
	gathered []*dto.MetricFamily
}

// NewSampler makes a Sampler of what the exporter has to tell.
func (e *Exporter) NewSampler() *Sampler {
	return &Sampler{exporter: e, pieces: make([]piece, len(families))}
}

// Samples gathers the families that are wanted, by name, as /metrics shows them.
// They may be read until the next call, which must not come before this one has
// returned.
func (s *Sampler) Samples(wanted func(family string) bool) ([]*dto.MetricFamily, error) {
	s.exporter.look(&s.view, time.Now())
	s.fill(wanted)
	own, err := s.exporter.process.registry.gather(wanted)
	return append(s.gathered, own...), err
}

// fill puts down what the view has of the families that are wanted.
func (s *Sampler) fill(wanted func(string) bool) {
	s.gathered = s.gathered[:0]
	for i, f := range families {
		if !wanted(f.metric.Name) {
			continue
		}
		page := sheet{piece: &s.pieces[i]}
		page.begin(f.metric)
		f.emit(&s.view, &page)
		if len(page.piece.family.Metric) > 0 {
			s.gathered = append(s.gathered, &page.piece.family)
		}
	}
}

// gather is the families of a view, each whole and with storage of its own.
func gather(v *view) []*dto.MetricFamily {
	s := Sampler{view: *v, pieces: make([]piece, len(families))}
	s.fill(func(string) bool { return true })
	return s.gathered
}
