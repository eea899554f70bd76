package evaluator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/promql"
)

// evaluate evaluates all rules at one time. It fails only if the context ends.
func (e *Evaluator) evaluate(ctx context.Context, at time.Time) (failures []RuleFailure, ended []Alert, err error) {
	for _, g := range e.groups {
		began := time.Now()
		for _, r := range g.rules {
			over, err := e.evaluateRule(ctx, g, r, at)
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			ended = append(ended, over...)
			if e.note(g, r, err) {
				failures = append(failures, RuleFailure{g.file, g.name, r.name, err})
			}
		}
		g.duration.Set(time.Since(began).Seconds())
	}
	for _, s := range e.orphans {
		e.memory.end(s, timestamp.FromTime(at))
	}
	e.orphans = nil
	return failures, ended, nil
}

// note counts and logs how a rule did, and says whether it failed. It logs a
// failure once, and not each time that it repeats itself.
func (e *Evaluator) note(g *group, r *rule, err error) bool {
	r.evaluations.Inc()
	if err == nil {
		if r.failure != "" {
			e.logger.Info("The rule can be evaluated again", "group", g.name, "rule", r.name)
		}
		r.failure = ""
		return false
	}
	r.failures.Inc()
	if text := err.Error(); text != r.failure {
		e.logger.Warn("A rule cannot be evaluated", "file", g.file, "group", g.name, "rule", r.name, "err", err)
		r.failure = text
	}
	return true
}

// evaluateRule evaluates one rule and writes what it gives. It returns the
// alerts that are over. A rule that fails keeps its alerts and writes nothing.
func (e *Evaluator) evaluateRule(ctx context.Context, g *group, r *rule, at time.Time) ([]Alert, error) {
	then := at.Add(-g.offset)
	vector, err := e.query(ctx, r.query, then)
	if err != nil {
		return nil, err
	}
	if r.alerting {
		return e.alert(ctx, g, r, vector, at)
	}
	return nil, e.record(g, r, vector, then)
}

// query evaluates an instant query over the memory, as rules and templates do.
func (e *Evaluator) query(ctx context.Context, text string, at time.Time) (promql.Vector, error) {
	q, err := e.engine.NewInstantQuery(ctx, e.memory, nil, text, at)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	answer := q.Exec(ctx)
	if answer.Err != nil {
		return nil, answer.Err
	}
	switch v := answer.Value.(type) {
	case promql.Vector:
		return v, nil
	case promql.Scalar:
		return promql.Vector{{T: v.T, F: v.V}}, nil
	}
	return nil, fmt.Errorf("the result is a %s, neither a vector nor a scalar", answer.Value.Type())
}

// record writes what a recording rule gave, unless nobody reads it.
func (e *Evaluator) record(g *group, r *rule, vector promql.Vector, then time.Time) error {
	if g.limit > 0 && len(vector) > g.limit {
		return fmt.Errorf("exceeded limit of %d with %d series", g.limit, len(vector))
	}
	mt := e.memory.metric(r.name)
	if mt == nil {
		return e.checkRecorded(r, vector)
	}
	b := e.memory.begin()
	for _, s := range vector {
		if s.H != nil {
			continue
		}
		if err := b.add(mt, e.recorded(r, s.Metric), s.F); err != nil {
			b.abandon()
			return describeDuplicate(err, "vector contains metrics with the same labelset after applying rule labels")
		}
	}
	e.commit(r, b, then)
	return nil
}

// recorded are the labels of a recorded series. They are good until the next.
func (e *Evaluator) recorded(r *rule, from labels.Labels) labels.Labels {
	e.builder.Reset()
	e.builder.Add(metricName, r.name)
	from.Range(func(l labels.Label) {
		if l.Name != metricName && !r.labels.Has(l.Name) {
			e.builder.Add(l.Name, l.Value)
		}
	})
	r.labels.Range(func(l labels.Label) {
		if l.Value != "" {
			e.builder.Add(l.Name, l.Value)
		}
	})
	e.builder.Sort()
	e.builder.Overwrite(&e.scratch)
	return e.scratch
}

// checkRecorded finds the duplicates in what nobody reads, as Prometheus would.
func (e *Evaluator) checkRecorded(r *rule, vector promql.Vector) error {
	for i := range vector {
		vector[i].Metric = e.recorded(r, vector[i].Metric).Copy()
	}
	if vector.ContainsSameLabelset() {
		return errors.New("vector contains metrics with the same labelset after applying rule labels")
	}
	return nil
}

// commit writes a batch of a rule.
func (e *Evaluator) commit(r *rule, b *batch, then time.Time) {
	var dropped int
	r.written, dropped = b.commit(timestamp.FromTime(then), r.written)
	e.metrics.resultsDropped.Add(float64(dropped))
}

// describeDuplicate puts Prometheus's words for a duplicate.
func describeDuplicate(err error, words string) error {
	if errors.Is(err, errDuplicate) {
		return errors.New(words)
	}
	return err
}
