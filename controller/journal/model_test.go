package journal

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAJournalIsWhatItsModelIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		require.NoError(t, err)
		defer os.RemoveAll(dir) //nolint:errcheck
		d := newFakeDisk()
		j, _, err := Open(dir, Options{disk: d})
		require.NoError(t, err)
		defer func() {
			if j != nil {
				_ = j.Close()
			}
		}()
		var (
			index   uint64
			entries []Entry
			state   json.RawMessage
			covered = map[string]uint64{}
			chains  = rapid.SampledFrom([]string{"btc", "eth"})
		)
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				index++
				e := switched(index)
				e.Chain = chains.Draw(t, "chain")
				require.NoError(t, j.Append(e))
				entries = append(entries, e)
			},
			"append on a disk that fails": func(t *rapid.T) {
				index++
				e := switched(index)
				e.Chain = chains.Draw(t, "chain")
				d.set(func(d *fakeDisk) { d.noSync = true })
				require.ErrorIs(t, j.Append(e), ErrUnconfirmed)
				d.set(func(d *fakeDisk) { d.noSync = false })
				entries = append(entries, e)
				// Closing writes what waits.
				require.NoError(t, j.Close())
				j, _, err = Open(dir, Options{disk: d})
				require.NoError(t, err)
			},
			"snapshot": func(t *rapid.T) {
				for _, chain := range []string{"btc", "eth"} {
					// The state may be older than the last entry.
					covered[chain] = max(covered[chain], index-min(index, rapid.Uint64Range(0, 3).Draw(t, "behind")))
				}
				require.NoError(t, j.Snapshot(index, covered))
				state, err = json.Marshal(index)
				require.NoError(t, err)
			},
			"reopen": func(t *rapid.T) {
				require.NoError(t, j.Close())
				var found Recovered
				j, found, err = Open(dir, Options{disk: d})
				require.NoError(t, err)
				var want []Entry
				for _, e := range entries {
					if e.Index > covered[e.Chain] {
						want = append(want, e)
					}
				}
				require.Equal(t, want, found.Entries)
				require.Equal(t, state, found.Snapshot)
				require.Equal(t, index, found.Highest.Index)
				require.Equal(t, index, found.Reserved.Index)
				require.True(t, found.Clean)
			},
			"": func(t *rapid.T) {
				var all []Entry
				for e, err := range Read(dir) {
					if err != nil && len(entries) == 0 {
						return
					}
					require.NoError(t, err)
					all = append(all, e)
				}
				require.Equal(t, entries, all)
			},
		})
	})
}
