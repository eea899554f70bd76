package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// recover reads what is there, and makes the writer and the keeper go on behind
// it.
func (j *Journal) recover() (Recovered, error) {
	var found Recovered
	d := j.o.disk
	j.keeper = &keeper{dir: j.dir, disk: d}
	known, problem, err := j.keeper.load()
	if err != nil {
		return found, err
	}
	if problem != nil {
		found.drop(problem)
	}
	older, err := segmentsOf(d, j.dir)
	if err != nil {
		return found, err
	}
	j.writer = &writer{
		dir: j.dir, disk: d, maxBytes: j.o.MaxBytes, maxFile: j.o.MaxBytes / segments, older: older,
	}
	if err := j.read(&found); err != nil {
		return found, err
	}
	s := j.keeper.last
	found.Snapshot, found.Taken = s.State, s.Taken
	if string(s.State) == "null" {
		found.Snapshot = nil
	}
	// Lines behind those that a clean end speaks of were written by a process that
	// could not take that note back.
	exact := s.Clean && s.Last == j.seq
	found.Clean = exact && found.DroppedTotal == 0
	found.Reserved = found.Highest.clone()
	found.Reserved.merge(s.Reserved)
	fresh := !known && problem == nil && len(older) == 0 && j.writer.found == 0
	if !fresh && (!known || s.Clean != exact) {
		found.Reserved.merge(found.Highest.ahead(1))
	}
	j.marks = marks{highest: found.Highest.clone(), used: found.Reserved.clone()}
	j.stats.Bytes, j.stats.Files = j.writer.total()
	return found, nil
}

// read goes through the lines that the snapshot may not cover.
func (j *Journal) read(found *Recovered) error {
	s := j.keeper.last
	j.seq = s.Seq
	found.Highest = s.Highest.clone()
	for chain, index := range s.Indexes {
		found.Highest.raise(Entry{Chain: chain, Index: index})
	}
	seen := new(memory)
	take := func(r record) {
		j.seq = max(j.seq, r.Seq)
		found.Highest.raise(r.Entry)
		j.recent.add(r.Seq, r.Entry)
		if !s.covers(r) {
			found.Entries = append(found.Entries, r.Entry)
		}
	}
	for i, of := range j.writer.older {
		// All lines of a file are before the first one of the next.
		if next := i + 1; next < len(j.writer.older) && j.writer.older[next].first <= s.Seq {
			continue
		}
		if _, err := j.readFile(of.name, seen, take, found.drop); err != nil {
			return err
		}
	}
	return j.readCurrent(found, seen, take)
}

// readCurrent goes through the newest file, whose end the writer goes on behind.
func (j *Journal) readCurrent(found *Recovered, seen *memory, take func(record)) error {
	w := j.writer
	torn := int64(0)
	end, err := j.readFile(currentName, seen, func(r record) {
		if w.first == 0 {
			w.first = r.Seq
		}
		take(r)
	}, func(p *Problem) {
		if p.Torn {
			torn = p.Bytes
		}
		found.drop(p)
	})
	if err != nil {
		return err
	}
	w.found, w.size = end.offset, end.offset-torn
	w.finish = end.unfinished && torn == 0
	if w.first == 0 && w.size > 0 {
		w.first = j.seq + 1
	}
	return nil
}

// readFile gives the lines and the problems of a file, and where it ends. A file
// that is not there has none.
func (j *Journal) readFile(name string, seen *memory, take func(record), drop func(*Problem)) (*scanner, error) {
	f, err := j.o.disk.OpenFile(filepath.Join(j.dir, name), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return &scanner{}, nil
	}
	if err != nil {
		return nil, err
	}
	s := newScanner(name, f, seen)
	for {
		r, problem, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return s, f.Close()
		case err != nil:
			return nil, errors.Join(err, f.Close())
		case problem != nil:
			drop(problem)
		default:
			take(r)
		}
	}
}
