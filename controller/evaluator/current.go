package evaluator

import "github.com/prometheus/prometheus/model/labels"

// Sample is a value of a series. Nobody may change its labels.
type Sample struct {
	Labels labels.Labels
	Value  float64
}

// Current are the present values of a metric, as rules would see them: collected
// or recorded. A metric that no rule reads is not kept, and so has none.
func (e *Evaluator) Current(metric string) []Sample {
	e.mu.Lock()
	defer e.mu.Unlock()
	mt, ok := e.memory.metrics[metric]
	if !ok {
		return nil
	}
	oldest := e.memory.now - e.lookback.Milliseconds()
	found := make([]Sample, 0, len(mt.series))
	for _, s := range mt.series {
		if s.alive() && s.points.newest().t > oldest {
			found = append(found, Sample{s.labels, s.points.newest().v})
		}
	}
	return found
}
