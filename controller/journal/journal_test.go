package journal

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noon is when most tests happen.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// switched is an entry of btc.
func switched(index uint64) Entry {
	return Entry{
		Time: noon.Add(time.Duration(index) * time.Second), Chain: "btc", Kind: "failover", Index: index, Generation: index,
		From: "a", To: "b", Reason: "down", Data: json.RawMessage(`{"facts":["ProviderDown"]}`),
	}
}

// open opens a journal that is closed with the test, unless it is before.
func open(t *testing.T, dir string, o Options) (*Journal, Recovered) {
	t.Helper()
	j, found, err := Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return j, found
}

// collect reads all entries and problems.
func collect(t *testing.T, path string) (entries []Entry, problems []*Problem) {
	t.Helper()
	for e, err := range Read(path) {
		var p *Problem
		if err != nil {
			require.ErrorAs(t, err, &p)
			problems = append(problems, p)
			continue
		}
		entries = append(entries, e)
	}
	return entries, problems
}

func TestWhatWasAppendedIsThereAfterReopening(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, found := open(t, dir, Options{})
	require.Equal(t, Recovered{}, found)
	require.NoError(t, j.Append(switched(1)))
	require.NoError(t, j.Append(switched(2)))
	require.NoError(t, j.Healthy())
	require.NoError(t, j.Close())

	_, found = open(t, dir, Options{})
	require.Equal(t, []Entry{switched(1), switched(2)}, found.Entries)
	require.Equal(t, Marks{Index: 2, Generations: map[string]uint64{"btc": 2}}, found.Highest)
	require.Equal(t, found.Highest, found.Reserved)
	require.True(t, found.Clean)
}
