package evaluator

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
)

// selecting is a selector of present values, or of the last ones within a range.
type selecting struct {
	name     string
	matchers []*labels.Matcher // All but that of the name.
	// back is the range in milliseconds; 0 for present values.
	back int64

	// series are those that match, and labels their labels, for the members of the
	// metric.
	members uint64
	series  []*series
	labels  []labels.Labels
	choice  choice
}

// plainSelector says whether a selector reads present values of one metric.
func plainSelector(n *parser.VectorSelector) bool {
	return n.OriginalOffset == 0 && n.OriginalOffsetExpr == nil && n.Timestamp == nil && n.StartOrEnd == 0 &&
		!n.Anchored && !n.Smoothed && slices.ContainsFunc(n.LabelMatchers, isName)
}

// isName says whether a matcher gives the metric's name.
func isName(m *labels.Matcher) bool {
	return m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual
}

// rangeOf is the range that a call of a function is about, if it is that and a
// plain one.
func rangeOf(n *parser.Call, function string) (*parser.MatrixSelector, bool) {
	if n.Func.Name != function || len(n.Args) != 1 {
		return nil, false
	}
	m, ok := n.Args[0].(*parser.MatrixSelector)
	if !ok || m.RangeExpr != nil {
		return nil, false
	}
	selector, ok := m.VectorSelector.(*parser.VectorSelector)
	return m, ok && plainSelector(selector)
}

func newSelecting(n *parser.VectorSelector, back int64) *selecting {
	s := &selecting{back: back}
	named := false
	for _, m := range n.LabelMatchers {
		if !named && isName(m) {
			s.name, named = m.Value, true
			continue
		}
		s.matchers = append(s.matchers, m)
	}
	return s
}

func (s *selecting) apply(m *memory, t int64, values []float64) (vector, bool) {
	if !s.look(m) {
		return vector{}, false
	}
	s.choice.begin(s.labels)
	for i, one := range s.series {
		if v, ok := s.last(one, m, t); ok {
			s.choice.add(i)
			values = append(values, v)
		}
	}
	return vector{s.choice.end(), values}, true
}

// look finds the series that match, if they are not known. It is false for a metric
// that is not kept.
func (s *selecting) look(m *memory) bool {
	if _, read := m.reads.back(s.name); !read {
		return false
	}
	switch mt := m.metrics[s.name]; {
	case mt == nil:
		s.members, s.series, s.labels = 0, nil, nil
	case s.members != mt.members:
		s.learn(mt)
	}
	return true
}

// learn finds the series that match.
func (s *selecting) learn(mt *metric) {
	s.members = mt.members
	s.series = s.series[:0]
	for _, one := range mt.series {
		if !slices.ContainsFunc(s.matchers, func(m *labels.Matcher) bool { return !m.Matches(one.labels.Get(m.Name)) }) {
			s.series = append(s.series, one)
		}
	}
	s.labels = make([]labels.Labels, len(s.series))
	for i, one := range s.series {
		s.labels[i] = one.labels
	}
}

// last is the value of a series. The present one is the newest within the
// look-back, unless it is a staleness marker; a range leaves these out.
func (s *selecting) last(one *series, m *memory, t int64) (float64, bool) {
	after := t - m.lookback.Milliseconds()
	if s.back > 0 {
		after = t - s.back
	}
	for i := one.points.len() - 1; i >= 0; i-- {
		p := one.points.at(i)
		switch {
		case p.t <= after:
			return 0, false
		case p.t > t:
		case !value.IsStaleNaN(p.v):
			return p.v, true
		case s.back == 0:
			return 0, false
		}
	}
	return 0, false
}
