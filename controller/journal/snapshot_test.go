package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithoutACleanEndTheMarksAreFarAhead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{})
	require.NoError(t, j.Append(switched(1)))
	// As a crash leaves it, with the last entries lost beside.
	left := t.TempDir()
	content, err := os.ReadFile(filepath.Join(dir, snapshotName))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(left, snapshotName), content, filePermissions))
	_, found := open(t, left, Options{})
	require.False(t, found.Clean)
	require.Empty(t, found.Entries)
	require.GreaterOrEqual(t, found.Reserved.Index, uint64(reservedIndexes))
	require.Greater(t, found.Reserved.Generations["btc"], uint64(1))
}

func TestADamagedSnapshotIsSetAsideAndTheEntriesTell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{})
	require.NoError(t, j.Append(switched(1)))
	require.NoError(t, j.Snapshot("state", map[string]uint64{"btc": 1}))
	require.NoError(t, j.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, snapshotName), []byte(`{"crc":"00000000","state":1}`), filePermissions))

	_, found := open(t, dir, Options{})
	require.Nil(t, found.Snapshot)
	require.Equal(t, []Entry{switched(1)}, found.Entries)
	require.Equal(t, snapshotName, found.Dropped[0].File)
	require.ErrorIs(t, &found.Dropped[0], errChecksum)
	require.Greater(t, found.Reserved.Index, uint64(reservedIndexes))
	require.FileExists(t, filepath.Join(dir, snapshotDamagedName))
}

func TestAStateThatIsNoSnapshotIsToldAndTheOneBeforeStays(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]any{
		"longer than a snapshot may be": strings.Repeat("x", maxSnapshot),
		"not to be written as JSON":     func() {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			j, _ := open(t, dir, Options{})
			require.NoError(t, j.Snapshot("state", nil))
			require.Error(t, j.Snapshot(state, nil))
			require.Equal(t, uint64(1), j.Stats().SnapshotFaults)
			require.NoError(t, j.Close())
			_, found := open(t, dir, Options{})
			require.JSONEq(t, `"state"`, string(found.Snapshot))
		})
	}
}

func TestFilesThatTheSnapshotCoversAreNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{MaxBytes: minMaxBytes})
	for i := uint64(1); i <= 100; i++ {
		require.NoError(t, j.Append(switched(i)))
	}
	require.NoError(t, j.Snapshot("state", map[string]uint64{"btc": 98}))
	require.NoError(t, j.Close())
	older, err := segmentsOf(realDisk{}, dir)
	require.NoError(t, err)
	require.Greater(t, len(older), 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, older[0].name), []byte("not read\n"), filePermissions))

	_, found := open(t, dir, Options{MaxBytes: minMaxBytes})
	require.Equal(t, []Entry{switched(99), switched(100)}, found.Entries)
	require.Empty(t, found.Dropped)
	require.Equal(t, uint64(100), found.Highest.Index)
}

func TestAFileThatWasRemovedIsBegunAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := open(t, dir, Options{})
	require.NoError(t, j.Append(switched(1)))
	require.NoError(t, os.Remove(filepath.Join(dir, currentName)))
	require.NoError(t, j.Append(switched(2)))
	entries, _ := collect(t, dir)
	require.Equal(t, []Entry{switched(2)}, entries)
}
