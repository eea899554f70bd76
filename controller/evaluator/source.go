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

// Source delivers one complete set of samples per call. A source is never asked
// again before it has answered.
type Source interface {
	// Collect returns all samples there are now. With an error, what it returned is
	// not used. The error must not hold a secret.
	Collect(ctx context.Context) ([]*dto.MetricFamily, error)
	// Target is always the same.
	Target() Target
}

// FromGatherer is a source in the same process.
func FromGatherer(job, instance string, g prometheus.Gatherer) Source {
	return gatherer{Target{job, instance}, g}
}

type gatherer struct {
	target  Target
	metrics prometheus.Gatherer
}

// Target is where the samples are from.
func (g gatherer) Target() Target { return g.target }

// Collect gathers. A part of the samples is as good as none: what is missing
// would look as if it was gone.
func (g gatherer) Collect(context.Context) ([]*dto.MetricFamily, error) { return g.metrics.Gather() }
