package journal

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var errDisk = errors.New("no space left on device")

// fakeDisk is the real one until it fails. After a number of changes the power
// goes: nothing works from then on, and a write is done by half.
type fakeDisk struct {
	realDisk
	mu sync.Mutex
	// left are the changes until the power goes; negative: it stays.
	left int
	// noWrite and noSync let these fail; a write is done by half.
	noWrite, noSync bool
	// hang keeps fsync from coming back until it is closed.
	hang chan struct{}
	// unsynced are the names that changed without their directory being synced.
	unsynced bool
	changes  int
}

func newFakeDisk() *fakeDisk { return &fakeDisk{left: -1} }

// set changes how it fails.
func (d *fakeDisk) set(change func(*fakeDisk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// step counts a change and reports whether it fails.
func (d *fakeDisk) step(renames bool, broken func() bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes++
	if d.left == 0 || (broken != nil && broken()) {
		return errDisk
	}
	if d.left > 0 {
		d.left--
	}
	d.unsynced = d.unsynced || renames
	return nil
}

func (d *fakeDisk) OpenFile(name string, flag int) (file, error) {
	if flag&os.O_CREATE != 0 {
		_, missing := os.Stat(name)
		if err := d.step(missing != nil, nil); err != nil {
			return nil, err
		}
	}
	f, err := d.realDisk.OpenFile(name, flag)
	if err != nil {
		return nil, err
	}
	return &fakeFile{f, d}, nil
}

func (d *fakeDisk) Holds(name string, f file) bool { return d.realDisk.Holds(name, f) }

func (d *fakeDisk) Rename(from, to string) error {
	if err := d.step(true, nil); err != nil {
		return err
	}
	return d.realDisk.Rename(from, to)
}

func (d *fakeDisk) Remove(name string) error {
	if err := d.step(true, nil); err != nil {
		return err
	}
	return d.realDisk.Remove(name)
}

func (d *fakeDisk) SyncDirectory(name string) error {
	if err := d.step(false, nil); err != nil {
		return err
	}
	d.set(func(d *fakeDisk) { d.unsynced = false })
	return nil
}

// fakeFile is a file of a fakeDisk.
type fakeFile struct {
	file
	disk *fakeDisk
}

func (f *fakeFile) Write(b []byte) (int, error) {
	if err := f.disk.step(false, func() bool { return f.disk.noWrite }); err != nil {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, err
	}
	return f.file.Write(b)
}

func (f *fakeFile) Truncate(size int64) error {
	if err := f.disk.step(false, nil); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f *fakeFile) Sync() error {
	f.disk.mu.Lock()
	hang := f.disk.hang
	f.disk.mu.Unlock()
	if hang != nil {
		<-hang
	}
	return f.disk.step(false, func() bool { return f.disk.noSync })
}

// hastyDisk waits for no disk, so that a fuzzer gets somewhere.
type hastyDisk struct{ realDisk }

func (hastyDisk) SyncDirectory(string) error { return nil }

func (d hastyDisk) OpenFile(name string, flag int) (file, error) {
	f, err := d.realDisk.OpenFile(name, flag)
	return hastyFile{f}, err
}

// hastyFile is a file of a hastyDisk.
type hastyFile struct{ file }

func (hastyFile) Sync() error { return nil }

func TestACrashAtAnyChangeLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	for left := range 400 {
		dir, d := t.TempDir(), newFakeDisk()
		d.left = left
		j, _, err := Open(dir, Options{MaxBytes: minMaxBytes, disk: d})
		require.NoError(t, err)
		acknowledged, stored := uint64(0), uint64(0)
		for i := uint64(1); i <= 60; i++ {
			e := switched(i)
			e.Reason = string(make([]byte, 100))
			if j.Append(e) != nil {
				break
			}
			require.False(t, d.unsynced, "a name is not on disk")
			acknowledged = i
			if i%10 == 0 && j.Snapshot(i, map[string]uint64{"btc": i}) == nil {
				stored = i
			}
		}
		_ = j.Close()

		j, found, err := Open(dir, Options{MaxBytes: minMaxBytes})
		require.NoErrorf(t, err, "after %d changes", left)
		require.GreaterOrEqual(t, found.Reserved.Index, acknowledged)
		require.GreaterOrEqualf(t, found.Highest.Index, acknowledged, "after %d changes", left)
		if stored > 0 {
			require.NotEmpty(t, found.Snapshot)
		}
		for i, e := range found.Entries {
			require.Equal(t, found.Entries[0].Index+uint64(i), e.Index)
		}
		require.NoError(t, j.Close())
		if d.changes < left {
			return
		}
	}
	t.Fatal("the power never stayed to the end")
}
