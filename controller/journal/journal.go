// Package journal is the durable record of decisions. It models a directory with
// lines of JSON, one a decision, and a snapshot for a fast start. It knows no
// policy: of a decision it understands the chain, the index, the generation and
// the time.
//
//   - An entry is on disk when Append returns without an error. Chains that append
//     at the same time share one fsync.
//   - An entry that cannot be written waits in memory and is written when that is
//     possible again; Append says so at once, and Healthy says so meanwhile.
//     Whoever decides goes on deciding.
//   - Damage costs the lines that are damaged, never those around them.
//   - Indexes and generations are reserved ahead on disk, so that the loss of
//     entries never leads to one being used again.
//   - Disk, memory and the length of lines are bounded. The oldest entries go
//     first.
//   - One process writes; any number may Read meanwhile.
//
// It never logs an entry, and holds no secret unless it is given one.
package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Bounds of Options.MaxBytes.
const (
	defaultMaxBytes = 64 << 20
	minMaxBytes     = 64 << 10
	// segments is how many files share MaxBytes at least.
	segments = 8
)

// defaultPatience is how long Append waits for the disk.
const defaultPatience = 2 * time.Second

// Options are what a journal needs from its surroundings.
type Options struct {
	// MaxBytes bounds the files of entries together. Zero: 64 MiB; 64 KiB at least.
	// A line is at most 1 MiB and an eighth of this long.
	MaxBytes int64
	// Patience bounds how long Append, Snapshot and Close wait for a disk that does
	// not answer. Zero: 2 s.
	Patience time.Duration
	// Now is the clock of entries without a time and of snapshots. Nil: time.Now.
	Now func() time.Time
	// Logger is told when the journal can no longer be written, and when it can
	// again. Nil: nobody is.
	Logger *slog.Logger

	// disk is the file system. Nil: that of the operating system.
	disk disk
}

// withDefaults fills in what is not said.
func (o Options) withDefaults() (Options, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.MaxBytes < minMaxBytes {
		return o, fmt.Errorf("a journal of %d bytes is too small, %d are needed", o.MaxBytes, minMaxBytes)
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.disk == nil {
		o.disk = realDisk{}
	}
	return o, nil
}

// Journal is one open journal. Make it with Open; its methods may be called from
// any goroutine.
type Journal struct {
	dir  string
	o    Options
	lock lock
	// writer belongs to the goroutine of run.
	writer *writer
	keeper *keeper

	wake    chan struct{}
	closing chan struct{}
	done    chan struct{}

	mu sync.Mutex
	// waiting are the entries that are not on disk, oldest first, those that are
	// being written included.
	waiting      []*line
	waitingBytes int
	seq          uint64
	marks        marks
	recent       recent
	fault        error
	// requested is the state that is to be put on disk, and snapshotFault why the
	// last snapshot could not be.
	requested     *request
	snapshotFault error
	closed        bool
	stats         Stats
}

// Open opens the journal of a directory, which is made if it is not there, and
// tells what it holds. The error is ErrLocked if another process writes it. A
// directory that can be read and not written is no error: Healthy tells. A file
// that is there and cannot be read is one, as what was decided is not known then.
func Open(dir string, o Options) (*Journal, Recovered, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, Recovered{}, err
	}
	j := &Journal{
		dir: dir, o: o, lock: lock{dir: dir}, recent: recent{},
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	fault := j.lock.acquire(o.disk)
	if errors.Is(fault, ErrLocked) {
		return nil, Recovered{}, fault
	}
	found, err := j.recover()
	if err != nil {
		return nil, Recovered{}, errors.Join(fmt.Errorf("read the journal: %w", err), j.lock.release())
	}
	if fault == nil {
		fault = j.prepare()
	}
	if fault != nil {
		j.mu.Lock()
		j.failLocked(fault)
		j.mu.Unlock()
	}
	go j.run()
	return j, found, nil
}

// Close writes what waits, notes that nothing is missing, and lets another
// process write. Its error tells what could not be written. It waits no longer
// than Options.Patience.
func (j *Journal) Close() error {
	j.mu.Lock()
	already := j.closed
	j.closed = true
	j.mu.Unlock()
	if already {
		return ErrClosed
	}
	close(j.closing)
	patience := time.NewTimer(j.o.Patience)
	defer patience.Stop()
	select {
	case <-j.done:
	case <-patience.C:
		return fmt.Errorf("close the journal: the disk has not answered within %s", j.o.Patience)
	}
	return errors.Join(j.finish(), j.lock.release())
}

// finish leaves a snapshot that says that nothing is missing, unless something
// is.
func (j *Journal) finish() error {
	j.mu.Lock()
	m, last, fault := j.marks.clone(), j.seq, j.fault
	j.mu.Unlock()
	unwritten := j.Healthy()
	err := j.writer.close()
	if fault != nil {
		return errors.Join(unwritten, err)
	}
	return errors.Join(j.keeper.clean(m, last), err)
}
