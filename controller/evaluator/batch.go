package evaluator

import (
	"errors"
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
)

// errDuplicate is a series that stands twice in what should be a set.
var errDuplicate = errors.New("the series is there twice")

// batch is a set of samples of one moment that is written whole or not at all:
// a scrape, or what one rule gave. There is one at a time per memory.
type batch struct {
	memory *memory
	stamp  uint64
	writes []write
	fresh  []*series
}

type write struct {
	series *series
	value  float64
}

// begin starts a batch. The one before must be committed or abandoned.
func (m *memory) begin() *batch {
	m.stamp++
	m.batch.memory, m.batch.stamp = m, m.stamp
	return &m.batch
}

// add puts a sample into the batch. The labels may lie in memory that is used
// again. It fails with errDuplicate for a series that the batch has already, and
// with another error when the memory is full, after which the batch can only be
// abandoned.
func (b *batch) add(mt *metric, ls labels.Labels, v float64) error {
	hash := ls.Hash()
	s := b.memory.find(hash, ls)
	if s == nil {
		if b.memory.count >= b.memory.limit {
			return fmt.Errorf("more than %d series in memory", b.memory.limit)
		}
		s = b.memory.link(hash, ls.Copy(), mt)
		b.fresh = append(b.fresh, s)
	}
	return b.put(s, v)
}

// put is add for a series that is known.
func (b *batch) put(s *series, v float64) error {
	if s.stamp == b.stamp {
		return errDuplicate
	}
	s.stamp = b.stamp
	b.writes = append(b.writes, write{s, v})
	return nil
}

// abandon undoes the batch.
func (b *batch) abandon() {
	for _, s := range b.fresh {
		b.memory.unlink(s)
	}
	b.memory.prune()
	b.empty()
}

// empty makes the batch ready for the next beginning.
func (b *batch) empty() {
	clear(b.writes)
	clear(b.fresh)
	b.writes, b.fresh = b.writes[:0], b.fresh[:0]
}

// commit writes the batch with the time t, and ends those of the series before
// that are not in it. It returns the series of the batch in the memory of
// before, and how many samples were dropped as their series has one of that
// time or later.
func (b *batch) commit(t int64, before []*series) (now []*series, dropped int) {
	for _, s := range before {
		if s.stamp != b.stamp {
			b.memory.end(s, t)
		}
	}
	now = before[:0]
	for _, w := range b.writes {
		if !b.memory.write(w.series, t, w.value) {
			dropped++
		}
		now = append(now, w.series)
	}
	clear(before[min(len(now), len(before)):])
	b.empty()
	return now, dropped
}
