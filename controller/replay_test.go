package controller_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/journal"
)

// differences are what a replay of a journal finds.
func differences(t testing.TB, dir string) (entries int, found []string) {
	t.Helper()
	for r, err := range controller.Replay(dir) {
		require.NoError(t, err)
		if entries++; r.Difference != "" {
			found = append(found, r.Difference)
		}
	}
	return entries, found
}

// altered is a copy of a journal with another text in some entries.
func altered(t testing.TB, dir, before, after string) string {
	t.Helper()
	other := t.TempDir()
	j, _, err := journal.Open(other, journal.Options{})
	require.NoError(t, err)
	for e, err := range journal.Read(dir) {
		require.NoError(t, err)
		e.Data = bytes.ReplaceAll(e.Data, []byte(before), []byte(after))
		require.NoError(t, j.Append(e))
	}
	require.NoError(t, j.Close())
	return other
}

func TestAJournalDecidesTheSameAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		require.NoError(t, w.c.Drain(t.Context(), "eth", "c", order("disk swap")))
		w.well("a")
		w.pass(25 * time.Second)
		w.serves("a", "ok")
		again := restart(w, three).run()
		again.look()
		require.NoError(t, again.stop())
		entries, found := differences(t, again.dir)
		require.Greater(t, entries, 5)
		require.Empty(t, found)

		_, found = differences(t, altered(t, again.dir, `"current":{"provider":"b"`, `"current":{"provider":"c"`))
		require.NotEmpty(t, found)
		require.Contains(t, found[0], `decided again, "b" serves (generation 2), and the entry has "c" (generation 2)`)
		_, found = differences(t, altered(t, again.dir, "down (timeout)", "down (dns)"))
		require.Empty(t, found, "words are evidence, and follow from it everywhere")
		_, found = differences(t, altered(t, again.dir, `"state":{`, `"state":7,"rest":{`))
		require.NotEmpty(t, found, "what cannot be read is told")
	})
}
