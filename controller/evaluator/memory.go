package evaluator

import (
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
)

// staleMarker is the value that ends a series, as Prometheus writes it.
var staleMarker = math.Float64frombits(value.StaleNaN)

// memory keeps the samples that the rules read, for as long as they read them.
// It is not safe for concurrent use.
//
// Bounds: limit series; per series, as many points as fit into its retention at
// the resolution, and two.
type memory struct {
	reads reads
	// kept counts how often that has changed.
	kept uint64
	// lookback is how old a sample may be and still count as the present value.
	lookback time.Duration
	// resolution in milliseconds: of points closer than this only the newest is
	// kept, so that rounds in quick succession do not fill the memory.
	resolution int64
	limit      int

	metrics  map[string]*metric
	index    map[uint64]*series // By hash of the labels; equal ones are chained.
	count    int                // Series.
	points   int
	ended    []*series // Those with a staleness marker at the end, at least once.
	dirty    []*metric // Those with series that are gone.
	batch    batch
	stamp    uint64
	changes  uint64 // Grows with whatever changes.
	interned interned
	// parts are the results that selectors may stand for, at the time now.
	parts map[string]*part
	now   int64
}

// metric is all series of one name.
type metric struct {
	name      string
	retention int64 // Milliseconds.
	series    []*series
	dirty     bool // Whether it is on the list of dirty ones.

	// version changes when a series comes, goes or changes its value, and writes
	// with every sample. Both never repeat, also not in another metric of the name.
	version, writes uint64
	// members changes when a series comes or goes, and never repeats either.
	members uint64
	// live is how many series have a value, current how many got it at the time
	// written.
	live, current int
	written       int64
}

// changed notes a change of values.
func (mt *metric) changed(m *memory) {
	m.changes++
	mt.version = m.changes
}

// series is one series. It is written through a batch.
type series struct {
	labels labels.Labels
	points ring
	metric *metric
	next   *series // In the index.
	// pairs are the labels in the form in which a Steady source gave them last.
	pairs []*dto.LabelPair
	stamp uint64 // Of the batch that wrote to it last.
	ended bool   // Whether it is on the list of ended ones.
	gone  bool   // Whether it is forgotten: no longer in the index.
}

func newMemory(lookback, resolution time.Duration, limit int) *memory {
	return &memory{
		lookback: lookback, resolution: resolution.Milliseconds(), limit: limit,
		metrics: map[string]*metric{}, index: map[uint64]*series{}, interned: interned{},
	}
}

// keep changes what is kept. What is no longer read is forgotten at once.
func (m *memory) keep(r reads) {
	m.reads = r
	m.kept++
	for name, mt := range m.metrics {
		if back, ok := r.back(name); ok {
			mt.retention = m.retention(back)
			continue
		}
		for _, s := range mt.series {
			m.unlink(s)
		}
		delete(m.metrics, name)
	}
	m.prune()
	m.ended = slices.DeleteFunc(m.ended, func(s *series) bool { return s.gone })
}

// clear forgets all samples.
func (m *memory) clear() {
	kept := m.reads
	m.keep(reads{})
	m.keep(kept)
}

// retention is how old a point may be and still be read by who looks back. Who
// does not reads the newest alone.
func (m *memory) retention(back time.Duration) int64 {
	if back == 0 {
		return 0
	}
	return (back + m.lookback).Milliseconds()
}

// metric is where series of a name are kept; nil if nobody reads them.
func (m *memory) metric(name string) *metric {
	if mt, ok := m.metrics[name]; ok {
		return mt
	}
	back, ok := m.reads.back(name)
	if !ok {
		return nil
	}
	mt := &metric{name: name, retention: m.retention(back)}
	mt.changed(m)
	m.metrics[name] = mt
	return mt
}

// find is the series with these labels; nil if there is none.
func (m *memory) find(hash uint64, ls labels.Labels) *series {
	for s := m.index[hash]; s != nil; s = s.next {
		if labels.Equal(s.labels, ls) {
			return s
		}
	}
	return nil
}

// link makes a new, empty series.
func (m *memory) link(hash uint64, ls labels.Labels, mt *metric) *series {
	s := &series{labels: ls, metric: mt, next: m.index[hash]}
	m.index[hash] = s
	mt.series = append(mt.series, s)
	m.changes++
	mt.members = m.changes
	m.count++
	return s
}

// unlink takes a series out of the index. Its metric still has to drop it.
func (m *memory) unlink(s *series) {
	hash := s.labels.Hash()
	if first := m.index[hash]; first == s {
		if s.next == nil {
			delete(m.index, hash)
		} else {
			m.index[hash] = s.next
		}
	} else {
		for before := first; before != nil; before = before.next {
			if before.next == s {
				before.next = s.next
			}
		}
	}
	s.gone = true
	if s.alive() {
		s.metric.live--
		s.metric.changed(m)
	}
	m.count--
	m.points -= s.points.len()
	if !s.metric.dirty {
		s.metric.dirty = true
		m.dirty = append(m.dirty, s.metric)
	}
}

// prune drops the series that are gone from their metrics.
func (m *memory) prune() {
	for _, mt := range m.dirty {
		mt.dirty = false
		mt.series = slices.DeleteFunc(mt.series, func(s *series) bool { return s.gone })
		m.changes++
		mt.members = m.changes
		if len(mt.series) == 0 {
			delete(m.metrics, mt.name)
		}
	}
	m.dirty = m.dirty[:0]
}

// alive says whether the series has a value, as far as it did not get too old.
func (s *series) alive() bool { return s.points.len() > 0 && !value.IsStaleNaN(s.points.newest().v) }

// write appends a point, unless the series has one of that time or later, or is
// forgotten.
func (m *memory) write(s *series, t int64, v float64) bool {
	p, mt := &s.points, s.metric
	before := p.len()
	if s.gone || (before > 0 && p.newest().t >= t) {
		return false
	}
	m.track(s, t, v)
	if before > 1 && p.newest().t-p.at(before-2).t < m.resolution {
		*p.newest() = point{t, v}
	} else {
		p.push(point{t, v})
	}
	p.dropUntil(t - mt.retention)
	m.points += p.len() - before
	return true
}

// track keeps the account of a metric before a point is written.
func (m *memory) track(s *series, t int64, v float64) {
	mt := s.metric
	m.changes++
	mt.writes = m.changes
	if mt.written != t {
		mt.written, mt.current = t, 0
	}
	alive, ends := s.alive(), value.IsStaleNaN(v)
	if !alive || ends || math.Float64bits(s.points.newest().v) != math.Float64bits(v) {
		mt.version = m.changes
	}
	if alive {
		mt.live--
	}
	if !ends {
		mt.live++
		mt.current++
	}
}

// version is a number that is the same as long as the present values of a
// metric are, or, with all, as long as nothing was written to it. It only says
// so once all of the values are of the time t, as older ones may be about to be
// too old.
func (m *memory) version(name string, t int64, all bool) (uint64, bool) {
	mt := m.metrics[name]
	if mt == nil {
		return 0, true
	}
	if all {
		return mt.writes, true
	}
	return mt.version, mt.live == 0 || (mt.written == t && mt.current == mt.live)
}

// end marks a series as ended at t.
func (m *memory) end(s *series, t int64) {
	if !m.write(s, t, staleMarker) || s.ended {
		return
	}
	s.ended = true
	m.ended = append(m.ended, s)
}

// sweep forgets the series that ended longer ago than anybody looks back, and than
// the look-back, as what ended with a failed scrape is soon there again.
func (m *memory) sweep(now int64) {
	soon := m.lookback.Milliseconds()
	m.ended = slices.DeleteFunc(m.ended, func(s *series) bool {
		last := s.points.newest()
		switch {
		case !value.IsStaleNaN(last.v):
			s.ended = false
		case last.t <= now-max(s.metric.retention, soon):
			m.unlink(s)
		default:
			return false
		}
		return true
	})
	m.prune()
}
