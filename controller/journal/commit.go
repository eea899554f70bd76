package journal

import (
	"fmt"
	"slices"
	"time"
)

// How long after a failure the disk is tried again: the first time and at most.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// run does all the work on the disk, until the journal is closed.
func (j *Journal) run() {
	defer close(j.done)
	delay := firstRetry
	retry := time.NewTimer(delay)
	defer retry.Stop()
	scheduled := j.failing()
	for {
		select {
		case <-j.closing:
			j.flush()
			return
		case <-j.wake:
			if scheduled {
				j.refuseSnapshot()
				continue
			}
		case <-retry.C:
			if !scheduled {
				continue
			}
		}
		if j.flush() {
			scheduled, delay = false, firstRetry
			continue
		}
		scheduled = true
		retry.Reset(delay)
		delay = min(2*delay, lastRetry)
	}
}

// flush writes all that waits, the entries first, and reports whether they are
// on disk.
func (j *Journal) flush() bool {
	if err := j.flushEntries(); err != nil {
		j.mu.Lock()
		j.failLocked(err)
		j.mu.Unlock()
		j.refuseSnapshot()
		return false
	}
	j.takeSnapshot()
	return true
}

// flushEntries writes the entries that wait, as many with one fsync as there
// are.
func (j *Journal) flushEntries() error {
	if j.failing() {
		if err := j.prepare(); err != nil {
			return err
		}
	}
	for {
		batch, m := j.batch()
		if len(batch) == 0 {
			return nil
		}
		// Its failure does not keep entries from being written: Healthy tells.
		j.noteSnapshot(j.keeper.reserve(m))
		pieces := make([][]byte, len(batch))
		for i, l := range batch {
			pieces[i] = l.bytes
		}
		if err := j.writer.write(batch[0].seq, slices.Concat(pieces...)); err != nil {
			return err
		}
		j.confirm(batch)
	}
}

// prepare makes the files ready for writing.
func (j *Journal) prepare() error {
	if err := j.lock.acquire(j.o.disk); err != nil {
		return err
	}
	if err := j.writer.open(); err != nil {
		return err
	}
	j.mu.Lock()
	m := j.marks.clone()
	j.mu.Unlock()
	j.noteSnapshot(j.keeper.reserve(m))
	return nil
}

// batch are the first lines that wait, as many as fit into one file, and the
// marks in use. Without any, the journal is well: the caller has just found the
// disk in order.
func (j *Journal) batch() ([]*line, marks) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) == 0 {
		j.recoverLocked()
		return nil, marks{}
	}
	n, bytes := 0, 0
	for _, l := range j.waiting {
		if bytes += len(l.bytes); int64(bytes) > j.o.MaxBytes/segments {
			break
		}
		n++
	}
	return slices.Clone(j.waiting[:n]), j.marks.clone()
}

// confirm tells those who wait for lines that these are on disk.
func (j *Journal) confirm(batch []*line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range batch {
		if l.lost {
			j.stats.Lost--
		} else {
			j.shift()
		}
		j.stats.Written++
		l.tell(nil)
	}
	j.stats.Commits++
	j.stats.Bytes, j.stats.Files = j.writer.total()
}

// failing reports whether the last attempt to write failed.
func (j *Journal) failing() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.fault != nil
}

// failLocked takes note of a failure and tells those who wait.
func (j *Journal) failLocked(err error) {
	if j.fault == nil {
		j.stats.Faults++
		j.o.Logger.Error("The journal cannot be written; decisions go on and wait in memory", "dir", j.dir, "err", err)
	}
	j.fault = err
	for _, l := range j.waiting {
		l.tell(fmt.Errorf("%w: %w", ErrUnconfirmed, err))
	}
}

// recoverLocked takes note that all is written.
func (j *Journal) recoverLocked() {
	if j.fault != nil {
		j.fault = nil
		j.o.Logger.Info("The journal is written again", "dir", j.dir, "lost", j.stats.Lost)
	}
}
