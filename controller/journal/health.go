package journal

import (
	"errors"
	"fmt"
)

// Stats are what a journal has done since Open, and how much there is of it.
type Stats struct {
	// Written are the entries that came on disk, with Commits fsyncs.
	Written, Commits uint64
	// Failed are the calls of Append that returned an error.
	Failed uint64
	// Lost are the entries that were given up because too many waited.
	Lost uint64
	// Faults is how often the journal became impossible to write, SnapshotFaults
	// the same for the snapshot.
	Faults, SnapshotFaults uint64
	// Snapshots are the states that came on disk.
	Snapshots uint64
	// Waiting are the entries that are not on disk yet.
	Waiting int
	// Bytes and Files are the size of the files with entries.
	Bytes int64
	Files int
}

// Stats are the counters as they are now.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.Waiting = len(j.waiting)
	return s
}

// Healthy tells why the journal cannot be written. Nil: it can, as far as is
// known; a disk is only known by what was last written to it.
func (j *Journal) Healthy() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if j.fault != nil {
		err = fmt.Errorf("journal in %s: %d decisions wait in memory, and are lost if the process ends; see to the disk: %w", j.dir, len(j.waiting), j.fault)
	}
	if j.snapshotFault != nil {
		err = errors.Join(err, fmt.Errorf("journal in %s: see to the disk: %w", j.dir, j.snapshotFault))
	}
	return err
}
