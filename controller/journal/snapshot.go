package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// request is a state that is to be put on disk.
type request struct {
	snapshot snapshot
	done     chan error
}

// Snapshot puts a state on disk, for a fast start. The indexes are, by chain,
// those of the last decisions whose outcome the state holds; Open gives the state
// and the entries with later ones. So a decision that is appended while the state
// is gathered is not lost: its index is later. Of a chain that is not among the
// indexes nothing is covered; one that is no longer configured should stay there
// with its last index. Entries without an index count as covered.
//
// A state that could not be written is forgotten: the caller tries again with a
// newer one, and the snapshot before stays.
func (j *Journal) Snapshot(state any, indexes map[string]uint64) error {
	raw, err := textOf(state)
	if err != nil {
		j.noteSnapshot(err)
		return err
	}
	r := &request{
		snapshot: snapshot{Taken: j.o.Now().UTC().Round(0), Indexes: maps.Clone(indexes), State: raw},
		done:     make(chan error, 1),
	}
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	r.snapshot.Seq = j.recent.covered(j.seq, 0, indexes)
	if j.requested != nil {
		j.requested.done <- errors.New("a newer state came before this one was written")
	}
	j.requested = r
	j.mu.Unlock()
	j.rouse()
	patience := time.NewTimer(j.o.Patience)
	defer patience.Stop()
	select {
	case err := <-r.done:
		return err
	case <-patience.C:
		return fmt.Errorf("write the snapshot: the disk has not answered within %s", j.o.Patience)
	}
}

// textOf is the text of a state.
func textOf(state any) ([]byte, error) {
	raw, err := json.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("the state cannot be written as JSON: %w", err)
	}
	// What is around the state has room in a hundredth of the bound.
	if len(raw) > maxSnapshot-maxSnapshot/100 {
		return nil, fmt.Errorf("the state is longer than a snapshot may be: %d bytes", len(raw))
	}
	return raw, nil
}

// takeRequest takes the state that is to be written, if there is one.
func (j *Journal) takeRequest() *request {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.requested
	j.requested = nil
	return r
}

// takeSnapshot writes the state that is to be written.
func (j *Journal) takeSnapshot() {
	r := j.takeRequest()
	if r == nil {
		return
	}
	r.snapshot.Seq = max(r.snapshot.Seq, j.keeper.last.Seq)
	j.mu.Lock()
	m := j.marks.clone()
	j.mu.Unlock()
	err := j.keeper.store(r.snapshot, m)
	j.noteSnapshot(err)
	if err == nil {
		j.mu.Lock()
		j.stats.Snapshots++
		j.mu.Unlock()
	}
	r.done <- err
}

// refuseSnapshot answers for a state that cannot be written, as the entries
// before it cannot be.
func (j *Journal) refuseSnapshot() {
	if r := j.takeRequest(); r != nil {
		r.done <- fmt.Errorf("write the snapshot: %w", j.Healthy())
	}
}

// noteSnapshot takes note of how writing the snapshot went.
func (j *Journal) noteSnapshot(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && j.snapshotFault == nil {
		j.stats.SnapshotFaults++
		j.o.Logger.Error("The snapshot of the journal cannot be written", "dir", j.dir, "err", err)
	}
	j.snapshotFault = err
}
