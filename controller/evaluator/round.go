package evaluator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
)

// Run collects and evaluates at once, then whenever it is triggered and at each
// interval, until the context ends, which is no error. It waits for what is in
// flight.
func (e *Evaluator) Run(ctx context.Context) error {
	defer e.flights.Wait()
	p := pace{credit: maxCredit}
	for {
		began := time.Now()
		p.begin(began)
		result, err := e.round(ctx, began, e.reckon)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if result.Evaluated && e.onEvaluated != nil {
			e.onEvaluated(result)
		}
		ended := time.Now()
		rest := p.end(ended, ended.Sub(began), e.interval)
		if !e.sleep(ctx, rest, nil) || !e.sleep(ctx, e.interval-time.Since(began), e.triggered) {
			return nil
		}
	}
}

// sleep waits for the time given, or less if it is triggered. It says whether
// the context still stands.
func (e *Evaluator) sleep(ctx context.Context, d time.Duration, triggered <-chan struct{}) bool {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-triggered:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// Evaluate does one round for a time of the caller's, which must be after that
// of the last round by a millisecond. It fails if it is not, or if the context
// ends; what sources and rules do wrong is in the result.
func (e *Evaluator) Evaluate(ctx context.Context, at time.Time) (Result, error) {
	return e.round(ctx, at, func(at time.Time) (time.Time, error) {
		if at = at.Truncate(time.Millisecond); !at.After(e.last) && !e.last.IsZero() {
			return at, fmt.Errorf("a round for %s was asked for after one for %s", at, e.last)
		}
		return at, nil
	})
}

// reckon is the time of a round by the clock. A clock that was set back by less
// than the look-back is waited for; after a larger step the samples of the time
// that has not come yet are forgotten, and the alerts are as old as they were.
func (e *Evaluator) reckon(now time.Time) (time.Time, error) {
	at := now.Truncate(time.Millisecond).UTC()
	if at.After(e.last) {
		return at, nil
	}
	if e.last.Sub(at) < e.lookback {
		return e.last.Add(time.Millisecond), nil
	}
	e.logger.Warn("The clock was set back, and the samples are collected anew", "from", e.last, "to", at)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rewind(at.Sub(e.last))
	return at, nil
}

// rewind moves the alerts by a step of the clock and forgets all samples.
func (e *Evaluator) rewind(step time.Duration) {
	e.memory.clear()
	for _, f := range e.feeds {
		f.series = nil
	}
	e.orphans = nil
	for _, p := range e.memory.parts {
		p.known = false
	}
	for _, g := range e.groups {
		for _, r := range g.rules {
			r.written, r.repeatable = nil, false
			for _, a := range r.active {
				for _, t := range []*time.Time{&a.ActiveAt, &a.FiredAt, &a.KeepFiringSince} {
					if !t.IsZero() {
						*t = t.Add(step)
					}
				}
			}
		}
	}
}

// round collects and evaluates once.
func (e *Evaluator) round(ctx context.Context, at time.Time, reckon func(time.Time) (time.Time, error)) (Result, error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return Result{}, context.Cause(ctx)
	}
	at, err := reckon(at)
	if err != nil {
		return Result{}, err
	}
	e.launch(ctx)
	e.await(ctx)
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = at
	sources, outdated := e.land(at)
	result := Result{At: at, Sources: sources, Alerts: e.Alerts()}
	if outdated {
		e.Trigger()
		return result, nil
	}
	if !e.complete() {
		return result, nil
	}
	if err := e.judge(ctx, &result); err != nil {
		return Result{}, err
	}
	return result, nil
}

// judge evaluates the rules at the time of a result, and fills in what it found.
func (e *Evaluator) judge(ctx context.Context, r *Result) (err error) {
	began := time.Now()
	e.memory.now = timestamp.FromTime(r.At)
	if r.Failures, r.Ended, err = e.evaluate(ctx, r.At); err != nil {
		return err
	}
	e.memory.sweep(e.memory.now)
	r.Alerts, r.Evaluated = e.publish(), true
	r.Duration = time.Since(began)
	e.metrics.duration.Set(r.Duration.Seconds())
	e.metrics.timestamp.Set(float64(e.memory.now) / 1000)
	e.metrics.samples.Set(float64(e.memory.points))
	e.metrics.series.Set(float64(e.memory.count))
	return nil
}

// publish makes the alerts visible to everybody.
func (e *Evaluator) publish() []Alert {
	all := []Alert{}
	for _, g := range e.groups {
		for _, r := range g.rules {
			first := len(all)
			for _, a := range r.active {
				all = append(all, *a)
			}
			slices.SortFunc(all[first:], func(a, b Alert) int { return labels.Compare(a.Labels, b.Labels) })
		}
	}
	e.alerts.Store(&all)
	return all
}
