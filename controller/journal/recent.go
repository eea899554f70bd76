package journal

import (
	"slices"
	"time"
)

// Bounds of what is kept in memory of each chain.
const (
	maxRecent      = 512
	maxRecentBytes = 1 << 20
)

// recent are the latest entries by chain.
type recent map[string]*latest

// latest are the latest entries of one chain, oldest first.
type latest struct {
	entries []numbered
	bytes   int
	// cut says that there were older ones.
	cut bool
}

// numbered is an entry with the number of its line.
type numbered struct {
	Entry
	seq uint64
}

// size is about how many bytes an entry takes in memory.
func (e Entry) size() int {
	return 200 + len(e.Chain) + len(e.Kind) + len(e.From) + len(e.To) + len(e.Reason) + len(e.Data)
}

// add keeps an entry, and forgets older ones of its chain for it.
func (r recent) add(seq uint64, e Entry) {
	of := r[e.Chain]
	if of == nil {
		of = &latest{}
		r[e.Chain] = of
	}
	of.entries = append(of.entries, numbered{e, seq})
	of.bytes += e.size()
	for len(of.entries) > maxRecent || (of.bytes > maxRecentBytes && len(of.entries) > 1) {
		of.bytes -= of.entries[0].size()
		of.entries[0] = numbered{}
		of.entries = of.entries[1:]
		of.cut = true
	}
}

// covered is the number of the last line of those, from the first one on, that a
// state covers which holds the outcome of each chain up to an index. It is before
// if that is not known.
func (r recent) covered(last, before uint64, indexes map[string]uint64) uint64 {
	for chain, of := range r {
		for i, e := range of.entries {
			if e.Index <= indexes[chain] {
				continue
			}
			if i == 0 && of.cut {
				return before
			}
			last = min(last, e.seq-1)
			break
		}
	}
	return max(last, before)
}

// Recent are the latest decisions of a chain that are not before a time, oldest
// first: up to 512 of them and 1 MiB. They include those that are not on disk.
// The caller must not change their data.
func (j *Journal) Recent(chain string, since time.Time) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	of := j.recent[chain]
	if of == nil {
		return nil
	}
	var found []Entry
	for _, e := range slices.Backward(of.entries) {
		if e.Time.Before(since) {
			break
		}
		found = append(found, e.Entry)
	}
	slices.Reverse(found)
	return found
}
