package exporter

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
	// own are the families of the process itself, since ownAt, from the part of its
	// registry that was wanted then.
	own   []*dto.MetricFamily
	ownAt time.Time
	part  *prometheus.Registry
	// expired says that they are not good any more.
	expired atomic.Bool
}

// ownAge is how old the samples of the process itself may be. Rules ask of them what
// became of minutes of traffic or of a reload, and not what a probe found.
const ownAge = time.Second

// NewSampler makes a Sampler of what the exporter has to tell.
func (e *Exporter) NewSampler() *Sampler {
	return &Sampler{exporter: e, pieces: make([]piece, len(families))}
}

// Samples gathers the families that are wanted, by name, as /metrics shows them;
// those of the process itself as it showed them within the last second, or since
// Expire. They may be read until the next call, which must not come before this one
// has returned.
func (s *Sampler) Samples(wanted func(family string) bool) ([]*dto.MetricFamily, error) {
	now := time.Now()
	part, err := s.exporter.process.registry.choose(wanted)
	if err != nil {
		return nil, err
	}
	if s.expired.Swap(false) || part != s.part || now.Sub(s.ownAt) >= ownAge {
		own, err := part.Gather()
		if err != nil {
			return nil, err
		}
		s.own, s.ownAt, s.part = own, now, part
	}
	s.exporter.look(&s.view, now)
	s.fill(wanted)
	return append(s.gathered, s.own...), nil
}

// Expire says that something has happened in the process which the next samples have
// to tell. It may be called at any time.
func (s *Sampler) Expire() { s.expired.Store(true) }

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
