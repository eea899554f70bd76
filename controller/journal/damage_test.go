package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// written is the file of a journal with entries 1 to n.
func written(t testing.TB, n uint64) []byte {
	t.Helper()
	dir := t.TempDir()
	j, _, err := Open(dir, Options{})
	require.NoError(t, err)
	for i := uint64(1); i <= n; i++ {
		require.NoError(t, j.Append(switched(i)))
	}
	require.NoError(t, j.Close())
	content, err := os.ReadFile(filepath.Join(dir, currentName))
	require.NoError(t, err)
	return content
}

// holding is a directory with a journal of that content.
func holding(t testing.TB, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, currentName), content, filePermissions))
	return dir
}

func TestATornEndCostsTheTornLineOnly(t *testing.T) {
	t.Parallel()
	whole := written(t, 3)
	for end := range len(whole) + 1 {
		dir := holding(t, whole[:end])
		// A line that lacks only its newline is complete.
		complete := bytes.Count(whole[:end], []byte("\n"))
		if end < len(whole) && whole[end] == '\n' {
			complete++
		}
		j, found, err := Open(dir, Options{})
		require.NoError(t, err)
		require.Lenf(t, found.Entries, complete, "cut at byte %d", end)
		require.NoError(t, j.Append(switched(9)))
		require.NoError(t, j.Close())
		entries, problems := collect(t, dir)
		require.Len(t, entries, complete+1)
		require.Equal(t, switched(9), entries[complete])
		require.Empty(t, problems)
	}
}

func TestADamagedByteCostsItsLineOnly(t *testing.T) {
	t.Parallel()
	whole := written(t, 3)
	first := bytes.IndexByte(whole, '\n') + 1
	second := first + bytes.IndexByte(whole[first:], '\n') + 1
	for at := first; at < second-1; at++ {
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x01
		j, found, err := Open(holding(t, damaged), Options{})
		require.NoError(t, err)
		require.Equalf(t, []Entry{switched(1), switched(3)}, found.Entries, "byte %d", at)
		require.Equal(t, 2, found.Dropped[0].Line)
		require.Equal(t, int64(first), found.Dropped[0].Offset)
		require.False(t, found.Dropped[0].Torn)
		require.NoError(t, j.Close())
	}
}

func FuzzOpenKeepsWhatIsCompleteBeforeTheDamage(f *testing.F) {
	whole := written(f, 2)
	f.Add([]byte("x"), []byte("{}"))
	f.Add(whole, seal([]byte(`{"state":1,"seq":1}`)))
	f.Add(bytes.Repeat([]byte{0}, 5000), []byte{})
	f.Fuzz(func(t *testing.T, damage, state []byte) {
		dir := holding(t, append(slices.Clone(whole), damage...))
		j, found, err := Open(dir, Options{disk: hastyDisk{}})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(found.Entries), 2)
		require.Equal(t, []Entry{switched(1), switched(2)}, found.Entries[:2])
		require.NoError(t, j.Close())

		require.NoError(t, os.WriteFile(filepath.Join(dir, snapshotName), state, filePermissions))
		j, _, err = Open(dir, Options{disk: hastyDisk{}})
		require.NoError(t, err)
		require.NoError(t, j.Close())
	})
}

func FuzzScannerAccountsForEveryByte(f *testing.F) {
	whole := written(f, 2)
	f.Add([]byte("x\n"))
	f.Add(whole[:len(whole)-1])
	f.Add(bytes.Repeat([]byte("y"), 200<<10))
	f.Add(seal([]byte(`{"seq":0,"entry":{}}`)))
	f.Fuzz(func(t *testing.T, damage []byte) {
		s := newScanner(currentName, bytes.NewReader(append(slices.Clone(whole), damage...)), nil)
		for i := range uint64(2) {
			r, problem, err := s.next()
			require.NoError(t, err)
			require.Nil(t, problem)
			require.Equal(t, switched(i+1), r.Entry)
		}
		for err := error(nil); err == nil; {
			_, _, err = s.next()
		}
		require.Equal(t, int64(len(whole)+len(damage)), s.offset)
	})
}
