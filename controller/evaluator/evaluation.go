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
	if err := e.ensure(ctx, r.part, then); err != nil {
		return nil, err
	}
	switch {
	case r.alerting:
		return e.alert(ctx, g, r, r.part.result, at)
	case r.repeatable && r.recorded == r.part.version:
		e.repeat(r, then)
		return nil, nil
	}
	return nil, e.record(g, r, r.part.result, then)
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

// repeat writes once more what a recording rule gave the last time.
func (e *Evaluator) repeat(r *rule, then time.Time) {
	for i, s := range r.written {
		if !e.memory.write(s, timestamp.FromTime(then), r.part.result.values[i]) {
			e.metrics.resultsDropped.Inc()
			r.repeatable = false
		}
	}
}

// record writes what a recording rule gave, unless nobody reads it.
func (e *Evaluator) record(g *group, r *rule, result vector, then time.Time) error {
	if g.limit > 0 && result.len() > g.limit {
		r.repeatable = false
		return fmt.Errorf("exceeded limit of %d with %d series", g.limit, result.len())
	}
	mt := e.memory.metric(r.name)
	if mt == nil {
		// What was written while somebody read it is forgotten with its metric.
		r.written = nil
		return e.checkRecorded(r, result)
	}
	b := e.memory.begin()
	if err := e.stageRecorded(r, b, mt, result); err != nil {
		b.abandon()
		r.repeatable = false
		return describeDuplicate(err, "vector contains metrics with the same labelset after applying rule labels")
	}
	r.recorded, r.shape = r.part.version, r.part.shape
	r.repeatable = e.commit(r, b, then)
	return nil
}

// stageRecorded puts what a recording rule gave into a batch. With the labels of
// the last time, they are also the series of the last time.
func (e *Evaluator) stageRecorded(r *rule, b *batch, mt *metric, result vector) error {
	known := r.repeatable && r.shape == r.part.shape
	for i, v := range result.values {
		var err error
		if known {
			err = b.put(r.written[i], v)
		} else {
			err = b.add(mt, e.recordedLabels(r, result.labels[i]), v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recordedLabels are the labels of a recorded series. They are good until the next.
func (e *Evaluator) recordedLabels(r *rule, from labels.Labels) labels.Labels {
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
func (e *Evaluator) checkRecorded(r *rule, result vector) error {
	seen := make(map[string]bool, result.len())
	for _, ls := range result.labels {
		e.key = e.recordedLabels(r, ls).Bytes(e.key)
		if seen[string(e.key)] {
			return errors.New("vector contains metrics with the same labelset after applying rule labels")
		}
		seen[string(e.key)] = true
	}
	r.recorded, r.repeatable = r.part.version, true
	return nil
}

// commit writes a batch of a rule, and says whether all of it was written.
func (e *Evaluator) commit(r *rule, b *batch, then time.Time) bool {
	var dropped int
	r.written, dropped = b.commit(timestamp.FromTime(then), r.written)
	e.metrics.resultsDropped.Add(float64(dropped))
	return dropped == 0
}

// describeDuplicate puts Prometheus's words for a duplicate.
func describeDuplicate(err error, words string) error {
	if errors.Is(err, errDuplicate) {
		return errors.New(words)
	}
	return err
}
