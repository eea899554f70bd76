package journal

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Read goes through the entries of a directory, or of a single file, in the
// order of their appends. A piece that cannot be used is yielded as a *Problem,
// and the entries behind it follow; any other error is the last thing that is
// yielded. It takes no lock: of a journal that is being written, the last line
// may be found unfinished.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		names, err := filesOf(path)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		seen := new(memory)
		for _, name := range names {
			if !readOne(name, seen, yield) {
				return
			}
		}
	}
}

// filesOf are the files with entries that a path stands for.
func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	older, err := segmentsOf(realDisk{}, path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range older {
		names = append(names, filepath.Join(path, s.name))
	}
	current := filepath.Join(path, currentName)
	if _, err := os.Stat(current); err == nil {
		names = append(names, current)
	}
	if names == nil {
		return nil, fmt.Errorf("there is no journal in %s", path)
	}
	return names, nil
}

// readOne yields what is in a file, and reports whether to go on.
func readOne(name string, seen *memory, yield func(Entry, error) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(Entry{}, err) && false
	}
	// Closing a file that was only read loses nothing.
	defer f.Close() //nolint:errcheck
	s := newScanner(filepath.Base(name), f, seen)
	for {
		r, problem, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return yield(Entry{}, fmt.Errorf("read %s: %w", name, err)) && false
		case problem != nil:
			if !yield(Entry{}, problem) {
				return false
			}
		case !yield(r.Entry, nil):
			return false
		}
	}
}
