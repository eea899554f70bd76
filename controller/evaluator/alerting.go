package evaluator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
)

// The series that alerting rules write.
const (
	alertsName   = "ALERTS"
	alertForName = "ALERTS_FOR_STATE"
	alertState   = "alertstate"
)

// alert moves the alerts of a rule on, as Prometheus does: pending until the
// expression has given them for the time of for, firing then, and over when it
// gives them no longer, after keep_firing_for. It returns those that are over
// and were firing.
func (e *Evaluator) alert(ctx context.Context, g *group, r *rule, result vector, at time.Time) ([]Alert, error) {
	given, err := e.given(ctx, r, result, at)
	if err != nil {
		return nil, err
	}
	for key, a := range given {
		if old, ok := r.active[key]; ok {
			old.Value, old.Annotations = a.Value, a.Annotations
			continue
		}
		r.active[key] = a
	}
	var ended []Alert
	for key, a := range r.active {
		if _, ok := given[key]; !a.move(r, ok, at) {
			delete(r.active, key)
			if a.State == Resolved {
				ended = append(ended, *a)
			}
		}
	}
	if n := len(r.active); g.limit > 0 && n > g.limit {
		err = fmt.Errorf("exceeded limit of %d with %d alerts", g.limit, n)
		ended = append(ended, r.endAll(at)...)
	} else {
		err = e.writeAlerts(r, at.Add(-g.offset))
	}
	slices.SortFunc(ended, func(a, b Alert) int { return labels.Compare(a.Labels, b.Labels) })
	return ended, err
}

// endAll ends all alerts of a rule and returns those that were firing.
func (r *rule) endAll(at time.Time) []Alert {
	var ended []Alert
	for _, a := range r.active {
		if a.State == Firing {
			a.State, a.ResolvedAt = Resolved, at
			ended = append(ended, *a)
		}
	}
	r.active = map[string]*Alert{}
	return ended
}

// move moves one alert on, and says whether it is still pending or firing.
func (a *Alert) move(r *rule, given bool, at time.Time) bool {
	if given {
		a.KeepFiringSince = time.Time{}
	} else {
		if a.State == Pending {
			return false
		}
		if r.keep > 0 && a.KeepFiringSince.IsZero() {
			a.KeepFiringSince = at
		}
		if r.keep == 0 || at.Sub(a.KeepFiringSince) >= r.keep {
			a.State, a.ResolvedAt = Resolved, at
			return false
		}
	}
	held := at.Sub(a.ActiveAt) >= r.hold
	switch {
	case a.State == Pending && held:
		a.State, a.FiredAt = Firing, at
	case a.State == Firing && !held:
		// The rule was changed and now wants more time.
		a.State, a.FiredAt, a.KeepFiringSince = Pending, time.Time{}, time.Time{}
	}
	return true
}

// given are the alerts that the vector gives, by their labels, all pending.
func (e *Evaluator) given(ctx context.Context, r *rule, result vector, at time.Time) (map[string]*Alert, error) {
	if result.len() == 0 {
		return nil, nil
	}
	x := e.newExpansion(ctx, r, result, at)
	ofLabels, ofTexts := x.all(r.templates), x.all(r.texts)
	given := make(map[string]*Alert, result.len())
	builder := labels.NewBuilder(labels.EmptyLabels())
	for i, ls := range result.labels {
		builder.Reset(ls)
		builder.Del(metricName)
		for k, l := range r.templates {
			builder.Set(l.name, ofLabels[k](i))
		}
		builder.Set(labels.AlertName, r.name)
		e.builder.Reset()
		for k, l := range r.texts {
			e.builder.Add(l.name, ofTexts[k](i))
		}
		a := &Alert{Labels: builder.Labels(), Annotations: e.builder.Labels(), State: Pending, Value: result.values[i], ActiveAt: at}
		e.key = a.Labels.Bytes(e.key)
		if _, ok := given[string(e.key)]; ok {
			return nil, errors.New("vector contains metrics with the same labelset after applying alert labels")
		}
		given[string(e.key)] = a
	}
	return given, nil
}

// writeAlerts writes the series of the alerts, if a rule reads them.
func (e *Evaluator) writeAlerts(r *rule, then time.Time) error {
	states, since := e.memory.metric(alertsName), e.memory.metric(alertForName)
	if states == nil && since == nil {
		return nil
	}
	b := e.memory.begin()
	add := func(mt *metric, ls labels.Labels, v float64) error {
		if mt == nil {
			return nil
		}
		return b.add(mt, ls, v)
	}
	for _, key := range slices.Sorted(maps.Keys(r.active)) {
		a := r.active[key]
		builder := labels.NewBuilder(r.labels)
		a.Labels.Range(func(l labels.Label) { builder.Set(l.Name, l.Value) })
		builder.Set(metricName, alertForName)
		err := add(since, builder.Labels(), float64(a.ActiveAt.Unix()))
		builder.Set(metricName, alertsName).Set(alertState, a.State.String())
		if err := errors.Join(err, add(states, builder.Labels(), 1)); err != nil {
			b.abandon()
			return err
		}
	}
	e.commit(r, b, then)
	return nil
}
