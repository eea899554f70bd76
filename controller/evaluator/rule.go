package evaluator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// promQL parses what Prometheus accepts without feature flags.
var promQL = parser.NewParser(parser.Options{})

// group is a group in force.
type group struct {
	file, name string
	offset     time.Duration
	limit      int
	rules      []*rule
	duration   prometheus.Gauge
}

// rule is a rule in force, with its state.
type rule struct {
	name      string
	alerting  bool
	part      *part
	hold      time.Duration // As for.
	keep      time.Duration // As keep_firing_for.
	labels    labels.Labels
	templates []text // The labels again, by name, for alerts.
	texts     []text // The annotations, by name.

	// written are the series that the last evaluation gave.
	written []*series
	// What a recording rule wrote to them was that version and shape of the part;
	// repeatable says that all of it was written.
	recorded, shape uint64
	repeatable      bool
	// active are the pending and firing alerts, by their labels.
	active map[string]*Alert
	// failure is the error that was logged last; "" after a success.
	failure string

	evaluations, failures prometheus.Counter
}

// key is how a rule is found again after a reload. As in Prometheus, a rule
// whose expression changed is the same one, with its alerts: a threshold that
// is moved must not interrupt what fires on both sides of it.
func (r *rule) key() string { return fmt.Sprintf("%t %s %s", r.alerting, r.name, r.labels) }

// key is how a group is found again after a reload.
func (g *group) key() string { return g.file + ";" + g.name }

// compile makes groups ready for evaluation, and says what they read.
func compile(groups []Group) ([]*group, reads, map[string]*part, error) {
	var (
		all  []*group
		read reads
		plan = newPlanner(groups)
	)
	for _, from := range groups {
		g := &group{file: from.File, name: from.Name, offset: from.QueryOffset, limit: from.Limit}
		for _, r := range from.Rules {
			place := fmt.Sprintf("%s: group %q, rule %q", from.File, from.Name, r.Name())
			if (r.Record == "") == (r.Alert == "") {
				return nil, reads{}, nil, fmt.Errorf("%s: one of record and alert must be set", place)
			}
			err := read.addRule(r, from.QueryOffset)
			if err != nil {
				return nil, reads{}, nil, fmt.Errorf("%s: %w", place, err)
			}
			one := newRule(r)
			if one.part = whole(r.Expr); g.offset == 0 {
				if one.part, err = plan.plan(r.Expr); err != nil {
					return nil, reads{}, nil, fmt.Errorf("%s: %w", place, err)
				}
			}
			g.rules = append(g.rules, one)
		}
		if slices.ContainsFunc(all, func(other *group) bool { return other.key() == g.key() }) {
			return nil, reads{}, nil, fmt.Errorf("%s: group %q is there twice", g.file, g.name)
		}
		all = append(all, g)
	}
	return all, read, plan.named(), nil
}

func newRule(from Rule) *rule {
	r := &rule{
		name: from.Name(), alerting: from.Alert != "",
		hold: from.For, keep: from.KeepFiringFor,
		labels: labels.FromMap(from.Labels), active: map[string]*Alert{},
	}
	r.texts, r.templates = texts(from.Annotations), texts(from.Labels)
	return r
}

// texts are templates in the order of their names.
func texts(pairs map[string]string) []text {
	var all []text
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		all = append(all, newText(name, pairs[name]))
	}
	return all
}

// inherit takes over the state of the groups before: rules that are still there
// keep their alerts and series. The series of the others are returned, as
// somebody has to end them.
func inherit(now, before []*group) (orphans []*series) {
	byKey := map[string]*group{}
	for _, g := range now {
		byKey[g.key()] = g
	}
	for _, old := range before {
		left := old.rules
		if g := byKey[old.key()]; g != nil {
			left = g.inherit(old)
		}
		for _, r := range left {
			orphans = append(orphans, r.written...)
		}
	}
	return orphans
}

// inherit matches rules of equal key in their order, and returns those of the
// old group that are left.
func (g *group) inherit(old *group) []*rule {
	left := slices.Clone(old.rules)
	for _, r := range g.rules {
		i := slices.IndexFunc(left, func(other *rule) bool { return other.key() == r.key() })
		if i < 0 {
			continue
		}
		r.written, r.active, r.failure = left[i].written, left[i].active, left[i].failure
		left = slices.Delete(left, i, i+1)
	}
	return left
}

// metricName is the label that holds the name of a series.
const metricName = model.MetricNameLabel
