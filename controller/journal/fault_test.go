package journal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestADiskThatFailsIsTriedAgainAndNothingIsLost(t *testing.T) {
	t.Parallel()
	cases := map[string]func(d *fakeDisk, broken bool){
		"writing":         func(d *fakeDisk, broken bool) { d.noWrite = broken },
		"fsync":           func(d *fakeDisk, broken bool) { d.noSync = broken },
		"all of the disk": func(d *fakeDisk, broken bool) { d.left = map[bool]int{true: 0, false: -1}[broken] },
	}
	for name, breaks := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir, d := t.TempDir(), newFakeDisk()
				j, _, err := Open(dir, Options{disk: d})
				require.NoError(t, err)
				require.NoError(t, j.Append(switched(1)))
				d.set(func(d *fakeDisk) { breaks(d, true) })
				require.ErrorIs(t, j.Append(switched(2)), ErrUnconfirmed)
				require.ErrorIs(t, j.Append(switched(3)), ErrUnconfirmed)
				require.ErrorIs(t, j.Healthy(), errDisk)
				time.Sleep(5 * time.Second)
				require.Error(t, j.Healthy())
				require.Equal(t, 2, j.Stats().Waiting)

				d.set(func(d *fakeDisk) { breaks(d, false) })
				time.Sleep(lastRetry)
				require.NoError(t, j.Healthy())
				require.NoError(t, j.Append(switched(4)))
				require.NoError(t, j.Close())
				entries, problems := collect(t, dir)
				require.Equal(t, []Entry{switched(1), switched(2), switched(3), switched(4)}, entries)
				for _, p := range problems {
					require.True(t, p.Torn)
				}
			})
		})
	}
}

func TestAFileWhoseFsyncFailedIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	dir, d := t.TempDir(), newFakeDisk()
	j, _ := open(t, dir, Options{disk: d})
	require.NoError(t, j.Append(switched(1)))
	d.set(func(d *fakeDisk) { d.noSync = true })
	require.ErrorIs(t, j.Append(switched(2)), ErrUnconfirmed)
	d.set(func(d *fakeDisk) { d.noSync = false })
	require.NoError(t, j.Close())

	older, err := segmentsOf(realDisk{}, dir)
	require.NoError(t, err)
	require.Len(t, older, 1)
	entries, _ := collect(t, filepath.Join(dir, currentName))
	require.Equal(t, []Entry{switched(2)}, entries)
	entries, _ = collect(t, dir)
	require.Equal(t, []Entry{switched(1), switched(2)}, entries)
}

func TestADiskThatHangsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, d := t.TempDir(), newFakeDisk()
		j, _, err := Open(dir, Options{disk: d})
		require.NoError(t, err)
		hang := make(chan struct{})
		d.set(func(d *fakeDisk) { d.hang = hang })
		begin := time.Now()
		require.ErrorIs(t, j.Append(switched(1)), ErrUnconfirmed)
		require.Equal(t, defaultPatience, time.Since(begin))
		require.ErrorIs(t, j.Append(switched(2)), ErrUnconfirmed)
		require.Equal(t, defaultPatience, time.Since(begin))

		d.set(func(d *fakeDisk) { d.hang = nil })
		close(hang)
		synctest.Wait()
		require.NoError(t, j.Healthy())
		require.NoError(t, j.Close())
		entries, _ := collect(t, dir)
		require.Equal(t, []Entry{switched(1), switched(2)}, entries)
	})
}

func TestTheLimitOfWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, d := t.TempDir(), newFakeDisk()
		j, _, err := Open(dir, Options{disk: d})
		require.NoError(t, err)
		d.set(func(d *fakeDisk) { d.left = 0 })
		for i := range uint64(maxWaiting + 10) {
			require.ErrorIs(t, j.Append(switched(i+1)), ErrUnconfirmed)
		}
		require.Equal(t, uint64(10), j.Stats().Lost)
		d.set(func(d *fakeDisk) { d.left = -1 })
		require.NoError(t, j.Close())
		entries, _ := collect(t, dir)
		require.Len(t, entries, maxWaiting)
		require.Equal(t, switched(11), entries[0])
	})
}

func TestAFullDiskFromTheStartIsToldAndServed(t *testing.T) {
	t.Parallel()
	dir, d := holding(t, written(t, 2)), newFakeDisk()
	d.left = 0
	j, found := open(t, dir, Options{disk: d})
	require.Len(t, found.Entries, 2)
	require.ErrorIs(t, j.Healthy(), errDisk)
	require.ErrorIs(t, j.Append(switched(3)), ErrUnconfirmed)
	require.Equal(t, switched(3), j.Recent("btc", noon)[2])
	require.ErrorIs(t, j.Close(), errDisk)
}

func TestASecondWriterIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{})
	_, _, err := Open(dir, Options{})
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, j.Close())
	open(t, dir, Options{})
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	j, _ := open(t, dir, Options{})
	require.NoError(t, j.Append(switched(1)))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(directoryPermissions), info.Mode().Perm())
	for _, name := range []string{currentName, snapshotName, lockName} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(filePermissions), info.Mode().Perm(), name)
	}
}

func TestTheBoundOfTheFilesHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{MaxBytes: minMaxBytes})
	for i := uint64(1); i <= 600; i++ {
		require.NoError(t, j.Append(switched(i)))
		require.LessOrEqual(t, j.Stats().Bytes, int64(minMaxBytes))
	}
	long := switched(601)
	long.Data, _ = json.Marshal(string(make([]byte, minMaxBytes)))
	require.ErrorIs(t, j.Append(long), ErrTooLong)
	entries, problems := collect(t, dir)
	require.Empty(t, problems)
	require.Equal(t, uint64(600), entries[len(entries)-1].Index)
	require.Greater(t, entries[0].Index, uint64(1))
	require.Equal(t, uint64(600)-entries[0].Index+1, uint64(len(entries)))
}

func TestManyAppendAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{})
	var all sync.WaitGroup
	for i := uint64(1); i <= 200; i++ {
		all.Go(func() {
			if err := j.Append(switched(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, uint64(200), j.Stats().Written)
	require.NoError(t, j.Close())
	entries, _ := collect(t, dir)
	require.Len(t, entries, 200)
}
