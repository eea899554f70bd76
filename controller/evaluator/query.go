package evaluator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/annotations"
)

// Querier makes the memory a storage.Queryable for the engine.
func (m *memory) Querier(_, _ int64) (storage.Querier, error) { return querier{m}, nil }

// querier reads the memory. It is valid until the memory is written to.
type querier struct{ memory *memory }

// errNoLabels is for questions that the engine never asks.
var errNoLabels = errors.New("the memory of samples knows no list of labels")

// LabelValues is not supported.
func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, errNoLabels
}

// LabelNames is not supported.
func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, errNoLabels
}

// Close does nothing.
func (querier) Close() error { return nil }

// Select finds the matching series. It fails for a metric that is not kept: an
// empty answer would not be true.
func (q querier) Select(_ context.Context, sorted bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	name := func(m *labels.Matcher) bool { return m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual }
	set := &selection{window: q.window(hints)}
	if i := slices.IndexFunc(matchers, name); i >= 0 {
		if p, ok := q.memory.parts[matchers[i].Value]; ok {
			return &partSelection{vector: p.result, now: q.memory.now}
		}
		if _, kept := q.memory.reads.back(matchers[i].Value); !kept {
			return storage.ErrSeriesSet(fmt.Errorf("no sample of %s is kept, as no rule names it outside of a computed text", matchers[i].Value))
		}
		if mt := q.memory.metrics[matchers[i].Value]; mt != nil {
			set.add(mt.series, slices.Concat(matchers[:i], matchers[i+1:]))
		}
	} else {
		for _, mt := range q.memory.metrics {
			set.add(mt.series, matchers)
		}
		sorted = true // The order of a map is none.
	}
	if sorted {
		slices.SortFunc(set.views, func(a, b view) int { return labels.Compare(a.series.labels, b.series.labels) })
	}
	return set
}

// window says which points a selection may see. If the engine asks for the
// present value alone, or for the last one of a range, that is one point, which
// saves it the way there.
func (q querier) window(hints *storage.SelectHints) window {
	if hints == nil {
		return window{}
	}
	w := window{start: hints.Start, end: hints.End}
	switch length := hints.End - hints.Start; {
	case hints.Range == 0:
		w.newest = length < q.memory.lookback.Milliseconds()
	case hints.Func == "last_over_time":
		// A range leaves out staleness markers.
		w.newest, w.lasting = length < hints.Range, true
	}
	return w
}

// window is an inclusive range of times. The zero value is all of time.
type window struct {
	start, end int64
	// newest says that only the newest point is seen; lasting, that staleness
	// markers are not.
	newest, lasting bool
}

// selection is a storage.SeriesSet.
type selection struct {
	window window
	views  []view
	next   int
}

// view is a series as a selection sees it.
type view struct {
	series *series
	window *window
}

func (s *selection) add(all []*series, matchers []*labels.Matcher) {
	if s.views == nil && len(matchers) == 0 {
		s.views = make([]view, 0, len(all))
	}
next:
	for _, one := range all {
		for _, m := range matchers {
			if !m.Matches(one.labels.Get(m.Name)) {
				continue next
			}
		}
		s.views = append(s.views, view{one, &s.window})
	}
}

// Next moves to the next series.
func (s *selection) Next() bool { s.next++; return s.next <= len(s.views) }

// At is the present series.
func (s *selection) At() storage.Series { return &s.views[s.next-1] }

// Err is nil: memory does not fail.
func (s *selection) Err() error { return nil }

// Warnings is nil.
func (s *selection) Warnings() annotations.Annotations { return nil }

// Labels are the labels of the series.
func (v *view) Labels() labels.Labels { return v.series.labels }

// Iterator iterates over the points of the series, in the iterator given if it
// is one of ours.
func (v *view) Iterator(old chunkenc.Iterator) chunkenc.Iterator {
	it, ok := old.(*iterator)
	if !ok {
		it = &iterator{}
	}
	*it = iterator{points: &v.series.points, next: 0, end: v.series.points.len()}
	if v.window.newest {
		it.next, it.end = v.newest()
	}
	return it
}

// newest is the range of indexes of the newest point in the window.
func (v *view) newest() (first, end int) {
	p, w := &v.series.points, v.window
	for i := p.len() - 1; i >= 0 && p.at(i).t >= w.start; i-- {
		if p.at(i).t <= w.end && !(w.lasting && value.IsStaleNaN(p.at(i).v)) {
			return i, i + 1
		}
	}
	return 0, 0
}

// iterator is a chunkenc.Iterator over floats.
type iterator struct {
	points *ring
	// next is the index of the point that Next goes to, the present one is before
	// it; end is the first that must not be seen.
	next, end int
	present   *point
}

// Next moves to the next point.
func (it *iterator) Next() chunkenc.ValueType {
	if it.next >= it.end {
		it.next = it.end + 1
		return chunkenc.ValNone
	}
	it.present = it.points.at(it.next)
	it.next++
	return chunkenc.ValFloat
}

// Seek moves forward to the first point at or after t, unless it is there.
func (it *iterator) Seek(t milliseconds) chunkenc.ValueType {
	if it.next > it.end {
		return chunkenc.ValNone
	}
	if it.present != nil && it.present.t >= t {
		return chunkenc.ValFloat
	}
	it.next = max(it.next, it.points.search(t))
	return it.Next()
}

// At is the present point.
func (it *iterator) At() (int64, float64) { return it.present.t, it.present.v }

// AtT is the time of the present point.
func (it *iterator) AtT() int64 { return it.present.t }

// AtST is 0: start times are not kept.
func (it *iterator) AtST() int64 { return 0 }

// AtHistogram is nothing: native histograms are not kept.
func (it *iterator) AtHistogram(*histogram.Histogram) (int64, *histogram.Histogram) {
	return it.present.t, nil
}

// AtFloatHistogram is nothing, as AtHistogram.
func (it *iterator) AtFloatHistogram(*histogram.FloatHistogram) (int64, *histogram.FloatHistogram) {
	return it.present.t, nil
}

// Err is nil: memory does not fail.
func (it *iterator) Err() error { return nil }

// partSelection is the result of a part as a storage.SeriesSet: of every element
// a series with one sample, at the present time.
type partSelection struct {
	vector
	now   int64
	next  int
	views []partView
}

type partView struct {
	labels labels.Labels
	value  float64
	now    int64
}

// Next moves to the next element.
func (s *partSelection) Next() bool { s.next++; return s.next <= s.len() }

// At is the present element.
func (s *partSelection) At() storage.Series {
	if s.views == nil {
		s.views = make([]partView, s.len())
	}
	i := s.next - 1
	s.views[i] = partView{s.labels[i], s.values[i], s.now}
	return &s.views[i]
}

// Err is nil: memory does not fail.
func (s *partSelection) Err() error { return nil }

// Warnings is nil.
func (s *partSelection) Warnings() annotations.Annotations { return nil }

// Labels are the labels of the element.
func (v *partView) Labels() labels.Labels { return v.labels }

// Iterator iterates over the one sample.
func (v *partView) Iterator(old chunkenc.Iterator) chunkenc.Iterator {
	it, ok := old.(*iterator)
	if !ok {
		it = &iterator{points: &ring{buf: make([]point, 1), n: 1}}
	}
	*it = iterator{points: it.points, end: 1}
	*it.points.at(0) = point{v.now, v.value}
	return it
}
