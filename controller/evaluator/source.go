package evaluator

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Target names a source with the labels that Prometheus would give its samples.
// Two sources must differ in it.
type Target struct {
	Job      string `json:"job"`
	Instance string `json:"instance"`
}

// Wanted says whether somebody reads a family, by its name.
type Wanted = func(family string) bool

// Source delivers one complete set of samples per call. A source is never asked
// again before it has answered, and what it returned is not looked at any more
// once it is.
type Source interface {
	// Collect returns all samples there are now of the families that are wanted, and
	// of the others what it likes. With an error, what it returned is not used. The
	// error must not hold a secret.
	Collect(ctx context.Context, wanted Wanted) ([]*dto.MetricFamily, error)
	// Target is always the same.
	Target() Target
}

// Steady is what a Source may be besides: one whose pairs of labels do not change
// once they were given, so that the same pointers are the same series.
type Steady interface {
	Steady() bool
}

// FromGatherer is a source in the same process that always gives all it has.
func FromGatherer(job, instance string, g prometheus.Gatherer) Source {
	return FromFunc(job, instance, func(Wanted) ([]*dto.MetricFamily, error) { return g.Gather() })
}

// FromFunc is a source in the same process. It must not change a pair of labels that
// it has returned.
func FromFunc(job, instance string, collect func(Wanted) ([]*dto.MetricFamily, error)) Source {
	return inProcess{Target{job, instance}, collect}
}

type inProcess struct {
	target  Target
	collect func(Wanted) ([]*dto.MetricFamily, error)
}

// Target is where the samples are from.
func (p inProcess) Target() Target { return p.target }

// Steady implements Steady.
func (inProcess) Steady() bool { return true }

// Collect gathers. A part of the samples is as good as none: what is missing
// would look as if it was gone.
func (p inProcess) Collect(_ context.Context, wanted Wanted) ([]*dto.MetricFamily, error) {
	return p.collect(wanted)
}
