package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// errForeign is the error for a file that is not as it was when it was read.
var errForeign = errors.New("another process wrote to it while the directory was not locked; restart to read it again")

// writer appends to the newest file, and removes the oldest ones. Only the
// goroutine of run touches it.
type writer struct {
	dir  string
	disk disk
	// maxBytes bounds all files, maxFile each.
	maxBytes, maxFile int64

	// file is the newest file, nil if it has to be opened first.
	file file
	// size are the bytes of it that are on disk, and first is the number of its
	// first line, 0 if it has none.
	size  int64
	first uint64
	// found is how long the file was when it was read at the start, until it is
	// first opened; then it is -1.
	found int64
	// finish says that the last line lacks its newline.
	finish bool
	// spoiled says that an fsync of the file failed. The kernel may have thrown
	// away what was to be written and report nothing the next time, so the file is
	// left as it is and another begun.
	spoiled bool
	// extra are the bytes of the spoiled file that may be there beyond its size.
	extra int64
	// older are the other files, oldest first.
	older []segment
}

// open makes the newest file ready for writing, if it is not.
func (w *writer) open() error {
	if w.spoiled {
		if err := w.retire(); err != nil {
			return err
		}
	}
	current := filepath.Join(w.dir, currentName)
	if w.file != nil && w.disk.Holds(current, w.file) {
		return nil
	}
	if w.file != nil {
		// What somebody removed is gone; the entries from now on are not.
		w.size, w.first = 0, 0
		if err := w.close(); err != nil {
			return fmt.Errorf("close a file that was removed: %w", err)
		}
	}
	f, err := w.disk.OpenFile(current, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	if err := w.trim(f); err != nil {
		return errors.Join(fmt.Errorf("open %s: %w", currentName, err), f.Close())
	}
	w.file = f
	return nil
}

// trim cuts off what is behind the last line of a file that was just opened, and
// makes sure that the rest is on disk.
func (w *writer) trim(f file) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if w.found >= 0 && size != w.found {
		return errForeign
	}
	w.found = -1
	// Somebody may have emptied it since.
	w.size = min(w.size, size)
	if size > w.size {
		if err := f.Truncate(w.size); err != nil {
			return err
		}
	}
	if w.finish {
		if _, err := f.Write([]byte("\n")); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if w.finish {
		w.size, w.finish = w.size+1, false
	}
	return w.disk.SyncDirectory(w.dir)
}

// write puts lines on disk. After an error nothing of them counts as written,
// though a part may be there.
func (w *writer) write(first uint64, lines []byte) error {
	if err := w.open(); err != nil {
		return err
	}
	if w.size > 0 && w.size+int64(len(lines)) > w.maxFile {
		if err := w.retire(); err != nil {
			return err
		}
		if err := w.open(); err != nil {
			return err
		}
	}
	if err := w.prune(); err != nil {
		return err
	}
	if _, err := w.file.Write(lines); err != nil {
		return w.undo(int64(len(lines)), fmt.Errorf("write to %s: %w", currentName, err))
	}
	if err := w.file.Sync(); err != nil {
		w.spoiled, w.extra = true, int64(len(lines))
		return fmt.Errorf("sync %s: %w", currentName, err)
	}
	if w.first == 0 {
		w.first = first
	}
	w.size += int64(len(lines))
	return nil
}

// undo takes back the part of a write that was done.
func (w *writer) undo(written int64, cause error) error {
	if err := errors.Join(w.file.Truncate(w.size), w.file.Sync()); err != nil {
		w.spoiled, w.extra = true, written
		return errors.Join(cause, err)
	}
	return cause
}

// retire ends the newest file: it becomes the last of the older ones, or is
// removed if nothing of it is on disk.
func (w *writer) retire() error {
	err := w.close()
	// An error of closing says nothing new of what was synced already.
	w.spoiled = w.spoiled || err != nil
	current := filepath.Join(w.dir, currentName)
	if w.size == 0 {
		if err := w.disk.Remove(current); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an empty file: %w", err)
		}
	} else if err := w.rename(current); err != nil {
		return err
	}
	w.size, w.first, w.extra, w.spoiled = 0, 0, 0, false
	return nil
}

// rename gives the newest file the name of an older one.
func (w *writer) rename(current string) error {
	taken := map[string]bool{}
	for _, s := range w.older {
		taken[s.name] = true
	}
	s := segment{first: w.first, size: w.size + w.extra}
	for s.name = segmentName(s.first, s.copy); taken[s.name]; s.name = segmentName(s.first, s.copy) {
		s.copy++
	}
	if err := w.disk.Rename(current, filepath.Join(w.dir, s.name)); err != nil {
		return fmt.Errorf("begin another file: %w", err)
	}
	w.older = append(w.older, s)
	slices.SortFunc(w.older, segment.compare)
	return nil
}

// prune removes the oldest files until the rest and a full newest one are within
// the bound.
func (w *writer) prune() error {
	total := w.maxFile
	for _, s := range w.older {
		total += s.size
	}
	for len(w.older) > 0 && total > w.maxBytes {
		oldest := w.older[0]
		if err := w.disk.Remove(filepath.Join(w.dir, oldest.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the oldest entries: %w", err)
		}
		total -= oldest.size
		w.older = w.older[1:]
	}
	return nil
}

// total are the bytes and the number of all files.
func (w *writer) total() (bytes int64, files int) {
	bytes = w.size
	for _, s := range w.older {
		bytes += s.size
	}
	return bytes, len(w.older) + 1
}

// close closes the newest file.
func (w *writer) close() error {
	if w.file == nil {
		return nil
	}
	f := w.file
	w.file = nil
	return f.Close()
}
