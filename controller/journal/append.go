package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Bounds of what waits for the disk.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 8 << 20
)

// line is an entry on its way to the disk.
type line struct {
	seq   uint64
	bytes []byte
	// done gets the outcome once. It has room for it, so that nobody need wait.
	done chan error
	told bool
	// lost says that it no longer waits, because too many did.
	lost bool
}

// tell gives the outcome to whoever waits, the first time.
func (l *line) tell(err error) {
	if !l.told {
		l.told = true
		l.done <- err
	}
}

// Append records a decision. Without an error it is on disk. With one that is
// ErrUnconfirmed it waits to be written; no call is needed for that. Other errors
// are for entries that are never written.
func (j *Journal) Append(e Entry) error {
	err := j.append(e)
	if err != nil {
		j.mu.Lock()
		j.stats.Failed++
		j.mu.Unlock()
	}
	return err
}

func (j *Journal) append(e Entry) error {
	if e.Time.IsZero() {
		e.Time = j.o.Now()
	}
	e.Time = e.Time.UTC().Round(0)
	entry, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("the entry cannot be written as JSON: %w", err)
	}
	l, err := j.enqueue(e, entry)
	if err != nil {
		return err
	}
	j.rouse()
	patience := time.NewTimer(j.o.Patience)
	defer patience.Stop()
	select {
	case err = <-l.done:
	case <-patience.C:
		j.stalled(l)
		err = <-l.done
	}
	return err
}

// enqueue puts an entry behind those that wait. It is an error if the disk is
// known to be in trouble, and the entry waits all the same.
func (j *Journal) enqueue(e Entry, entry []byte) (*line, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, ErrClosed
	}
	// What was decided was decided, whether or not it can be recorded.
	j.marks.raise(e)
	l := &line{seq: j.seq + 1, bytes: encode(j.seq+1, entry), done: make(chan error, 1)}
	if int64(len(l.bytes)) > longest(j.o.MaxBytes) {
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLong, len(l.bytes))
	}
	j.seq++
	e.Data = bytes.Clone(e.Data)
	j.recent.add(j.seq, e)
	for len(j.waiting) >= maxWaiting || (len(j.waiting) > 0 && j.waitingBytes+len(l.bytes) > maxWaitingBytes) {
		j.stats.Lost++
		j.waiting[0].lost = true
		j.waiting[0].tell(fmt.Errorf("%w: too many entries wait for the disk", ErrUnconfirmed))
		j.shift()
	}
	j.waiting = append(j.waiting, l)
	j.waitingBytes += len(l.bytes)
	if j.fault != nil {
		l.told = true
		return nil, fmt.Errorf("%w: %w", ErrUnconfirmed, j.fault)
	}
	return l, nil
}

// longest is the bound of a line.
func longest(maxBytes int64) int64 { return min(maxLine, maxBytes/segments) }

// shift takes the first of those that wait away.
func (j *Journal) shift() {
	j.waitingBytes -= len(j.waiting[0].bytes)
	j.waiting[0] = nil
	j.waiting = j.waiting[1:]
}

// rouse makes run look at what there is to do.
func (j *Journal) rouse() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// stalled says that the disk does not answer, if the outcome of the line is
// still open.
func (j *Journal) stalled(l *line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !l.told {
		j.failLocked(fmt.Errorf("the disk has not answered within %s", j.o.Patience))
	}
}
