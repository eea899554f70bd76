package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// lockName is the file that a writer holds. It stays when the journal is closed:
// removing it would let two writers hold two files of that name.
const lockName = "journal.lock"

// ErrLocked is the error of Open for a directory whose journal another process
// writes.
var ErrLocked = errors.New("another process writes this journal")

// lock is the right to write in a directory. Where it cannot be had, because the
// disk is full or read-only, it is tried again before each attempt to write.
type lock struct {
	dir string

	mu   sync.Mutex
	held *os.File
}

// acquire makes the directory, if need be, and takes the lock, if it is not
// already held.
func (l *lock) acquire(d disk) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		return nil
	}
	if err := d.MakeDirectory(l.dir); err != nil {
		return fmt.Errorf("make the directory of the journal: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(l.dir, lockName), os.O_RDWR|os.O_CREATE, filePermissions)
	if err != nil {
		return fmt.Errorf("lock the journal: %w", err)
	}
	if err := flock(f); err != nil {
		return errors.Join(fmt.Errorf("lock the journal with %s: %w", f.Name(), err), f.Close())
	}
	l.held = f
	return nil
}

// release gives the right back.
func (l *lock) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		return nil
	}
	f := l.held
	l.held = nil
	// Closing alone would not do while a process that is just being started still
	// has the file.
	return errors.Join(unlock(f), f.Close())
}
