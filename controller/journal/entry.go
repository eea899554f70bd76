package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"
)

// Entry is one decision. Everything but its kind, chain, index, generation and
// time is opaque to the journal.
type Entry struct {
	// Time is when it was decided. Zero: the time of Append.
	Time time.Time `json:"time"`
	// Chain is the chain that it is about. Empty: about none in particular.
	Chain string `json:"chain"`
	// Kind is what sort of decision it is, in a word.
	Kind string `json:"kind"`
	// Index is the index that the decision was given. Indexes of one chain grow in
	// the order of its appends. Zero: it has none.
	Index uint64 `json:"index"`
	// Generation is the generation of the chain after the decision.
	Generation uint64 `json:"generation"`
	// From and To are the providers before and after. Empty: none.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Reason is why.
	Reason string `json:"reason,omitempty"`
	// Data is what a replay needs beside. It is stored without white space.
	Data json.RawMessage `json:"data,omitempty"`
}

// Errors of Append that a caller may want to tell apart.
var (
	// ErrTooLong is the error for an entry that does not fit into one line. It is
	// not recorded at all.
	ErrTooLong = errors.New("the entry is longer than a line of the journal may be")
	// ErrClosed is the error of every call after Close.
	ErrClosed = errors.New("the journal is closed")
	// ErrUnconfirmed is the error for an entry that is not known to be on disk. It
	// waits in memory and is written when that is possible again.
	ErrUnconfirmed = errors.New("not known to be on disk")
)

// Marks are the highest index and, by chain, the highest generation.
type Marks struct {
	Index       uint64            `json:"index"`
	Generations map[string]uint64 `json:"generations,omitempty"`
}

// raise makes the marks cover those of an entry.
func (m *Marks) raise(e Entry) {
	m.Index = max(m.Index, e.Index)
	if e.Generation > m.Generations[e.Chain] {
		if m.Generations == nil {
			m.Generations = map[string]uint64{}
		}
		m.Generations[e.Chain] = e.Generation
	}
}

// merge makes the marks cover others.
func (m *Marks) merge(others Marks) {
	m.Index = max(m.Index, others.Index)
	for chain, generation := range others.Generations {
		m.raise(Entry{Chain: chain, Generation: generation})
	}
}

// clone is a copy that shares nothing.
func (m Marks) clone() Marks {
	return Marks{Index: m.Index, Generations: maps.Clone(m.Generations)}
}

// marks are the highest of entries, and the highest that may be in use: the same
// and those that were reserved before.
type marks struct{ highest, used Marks }

// raise makes both cover those of an entry.
func (m *marks) raise(e Entry) {
	m.highest.raise(e)
	m.used.raise(e)
}

// clone is a copy that shares nothing.
func (m marks) clone() marks { return marks{m.highest.clone(), m.used.clone()} }

// How far marks are reserved ahead: a change a second for a day, and more
// switches of a chain than a day has minutes. Reserving costs a write of the
// snapshot, which happens when half is used.
const (
	reservedIndexes     = 100_000
	reservedGenerations = 2_000
)

// ahead are the marks with the reservation added.
func (m Marks) ahead(share uint64) Marks {
	further := Marks{Index: plus(m.Index, reservedIndexes/share)}
	for chain, generation := range m.Generations {
		further.raise(Entry{Chain: chain, Generation: plus(generation, reservedGenerations/share)})
	}
	return further
}

// plus adds without running over.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// cover reports whether none of the others is above.
func (m Marks) cover(others Marks) bool {
	for chain, generation := range others.Generations {
		if generation > m.Generations[chain] {
			return false
		}
	}
	return others.Index <= m.Index
}

// Problem is a piece of a file that could not be used. It is an error, so that
// Read can yield it between entries.
type Problem struct {
	// File is the name of the file in its directory.
	File string
	// Line counts from 1, Offset from 0 in bytes: where the piece begins.
	Line   int
	Offset int64
	// Bytes is how long it is, with the newline.
	Bytes int64
	// Torn says that it is the unfinished end of a file, as a crash leaves it.
	Torn bool
	// Cause is what is wrong.
	Cause error
}

// Error says where and what.
func (p *Problem) Error() string {
	what := "damaged line"
	if p.Torn {
		what = "unfinished line"
	}
	return fmt.Sprintf("%s:%d: %s of %d bytes at byte %d: %v", p.File, p.Line, what, p.Bytes, p.Offset, p.Cause)
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// Recovered is what Open found.
type Recovered struct {
	// Snapshot is the state that was last given to Snapshot. Nil: there is none.
	Snapshot json.RawMessage
	// Taken is when it was taken.
	Taken time.Time
	// Entries are the decisions that the snapshot does not cover, in the order of
	// their appends.
	Entries []Entry
	// Dropped are the pieces that could not be used, at most a hundred of them;
	// DroppedTotal is how many there were.
	Dropped      []Problem
	DroppedTotal int
	// Highest are the highest marks that a readable line or the snapshot holds.
	Highest Marks
	// Reserved are the marks that may have been used: whoever goes on above them
	// reuses none, even if decisions were served that could not be recorded. After
	// a clean Close they are exact; otherwise they are far ahead of Highest.
	Reserved Marks
	// Clean says that the journal was closed properly with everything on disk.
	Clean bool
}

// maxDropped is how many problems Open keeps.
const maxDropped = 100

// drop takes note of a piece that could not be used.
func (r *Recovered) drop(p *Problem) {
	if r.DroppedTotal++; len(r.Dropped) < maxDropped {
		r.Dropped = append(r.Dropped, *p)
	}
}
