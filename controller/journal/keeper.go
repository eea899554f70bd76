package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Names of the snapshot, of the one that is being written, and of one that could
// not be read.
const (
	snapshotName          = "snapshot.json"
	snapshotTemporaryName = "snapshot.json.tmp"
	snapshotDamagedName   = "snapshot.json.damaged"
)

// maxSnapshot bounds the snapshot, in bytes.
const maxSnapshot = 16 << 20

// snapshot is the file of it.
type snapshot struct {
	Taken time.Time `json:"taken"`
	// Seq is a line up to which, from the first one on, all are covered.
	Seq uint64 `json:"seq"`
	// Indexes are, by chain, up to where the state covers.
	Indexes map[string]uint64 `json:"indexes,omitempty"`
	// Highest are the marks of the entries, Reserved those that may be in use.
	Highest  Marks `json:"highest"`
	Reserved Marks `json:"reserved"`
	// Clean says that the marks are exact and nothing is missing up to line Last.
	Clean bool   `json:"clean"`
	Last  uint64 `json:"last,omitempty"`
	// State is the caller's.
	State json.RawMessage `json:"state"`
}

// covers reports whether the state holds the outcome of a line.
func (s snapshot) covers(r record) bool {
	return r.Seq <= s.Seq || (r.Entry.Index > 0 && r.Entry.Index <= s.Indexes[r.Entry.Chain])
}

// keeper writes the snapshot. Only the goroutine of run touches it.
type keeper struct {
	dir  string
	disk disk
	// last is what is on disk.
	last snapshot
}

// reserve keeps the marks on disk ahead of those in use.
func (k *keeper) reserve(m marks) error {
	if !k.last.Clean && k.last.Reserved.cover(m.used.ahead(2)) {
		return nil
	}
	next := k.last
	next.Clean, next.Last, next.Highest = false, 0, m.highest
	next.Reserved = k.last.Reserved.clone()
	next.Reserved.merge(m.used.ahead(1))
	return k.write(next)
}

// store puts a state on disk. The marks stay, but for the highest.
func (k *keeper) store(s snapshot, m marks) error {
	s.Highest, s.Reserved, s.Clean, s.Last = m.highest, k.last.Reserved, k.last.Clean, k.last.Last
	return k.write(s)
}

// clean notes that nothing is missing up to a line.
func (k *keeper) clean(m marks, last uint64) error {
	next := k.last
	next.Highest, next.Reserved, next.Clean, next.Last = m.highest, m.used, true, last
	return k.write(next)
}

// write puts a snapshot in the place of the last one: after a crash, one of the
// two is there as a whole.
func (k *keeper) write(s snapshot) error {
	object, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	if err := k.replace(seal(object)); err != nil {
		return fmt.Errorf("write the snapshot: %w", err)
	}
	k.last = s
	return nil
}

// replace writes the file beside, and renames it when it is on disk.
func (k *keeper) replace(content []byte) error {
	temporary := filepath.Join(k.dir, snapshotTemporaryName)
	f, err := k.disk.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := k.disk.Rename(temporary, filepath.Join(k.dir, snapshotName)); err != nil {
		return err
	}
	return k.disk.SyncDirectory(k.dir)
}

// load reads the snapshot. What is damaged is a problem and set aside; not being
// able to read is an error.
func (k *keeper) load() (found bool, problem *Problem, err error) {
	name := filepath.Join(k.dir, snapshotName)
	f, err := k.disk.OpenFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxSnapshot+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return false, nil, err
	}
	s, cause := parseSnapshot(content)
	if cause == nil {
		k.last = s
		return true, nil, nil
	}
	// Where it cannot be set aside, nothing can be written in its place either.
	setAside := k.disk.Rename(name, filepath.Join(k.dir, snapshotDamagedName))
	return false, &Problem{
		File: snapshotName, Line: 1, Bytes: int64(len(content)), Cause: errors.Join(cause, setAside),
	}, nil
}

// parseSnapshot checks and reads the file.
func parseSnapshot(content []byte) (snapshot, error) {
	if len(content) > maxSnapshot {
		return snapshot{}, errTooLong
	}
	content = bytes.TrimSuffix(content, []byte("\n"))
	if _, err := unseal(content); err != nil {
		return snapshot{}, err
	}
	var s snapshot
	if err := json.Unmarshal(content, &s); err != nil {
		return snapshot{}, fmt.Errorf("it is not a snapshot: %w", err)
	}
	return s, nil
}
