package controller_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// writable is the metric about the journal.
const writable = "understudy_journal_writable"

func TestDecisionsGoOnWhileTheDiskFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := open(t, t.TempDir()+"/journal", three).run()
		w.look()
		before := w.serves("a", wire.StateOK)
		require.Contains(t, w.metrics(), writable+" 1")

		// Another file stands where the folder was.
		require.NoError(t, os.Rename(w.dir, w.dir+".away"))
		require.NoError(t, os.WriteFile(w.dir, nil, 0o600))
		w.fail("a", "timeout")
		w.look()
		after := w.serves("b", wire.StateOK)
		require.Equal(t, before.Generation+1, after.Generation)
		page := w.metrics()
		require.Contains(t, page, writable+" 0")
		require.Contains(t, page, "understudy_journal_waiting_entries ")
		require.NotContains(t, page, "understudy_journal_waiting_entries 0\n")
		require.Len(t, w.log.lines("The journal cannot be written; decisions go on and wait in memory"), 1)
		require.NotEmpty(t, w.chain().Events, "what waits is shown all the same")

		require.NoError(t, os.Remove(w.dir))
		require.NoError(t, os.Rename(w.dir+".away", w.dir))
		w.pass(40 * time.Second)
		require.Contains(t, w.metrics(), writable+" 1")
		require.Contains(t, w.metrics(), "understudy_journal_waiting_entries 0\n")
		require.NoError(t, w.stop())
		again := open(t, w.dir, three)
		require.Equal(t, after.Generation, again.serves("b", wire.StateOK).Generation)
	})
}

func TestAControllerStartsWhereNothingCanBeWritten(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const readOnly = "/sys/kernel"
		if err := os.WriteFile(readOnly+"/understudy-test", nil, 0o600); err == nil || !isDir(readOnly) {
			require.Fail(t, "there is no folder in which nobody can write", "this test needs %s as Linux has it", readOnly)
		}
		w := open(t, readOnly, three).run()
		w.look()
		w.serves("a", wire.StateOK)
		require.Contains(t, w.metrics(), writable+" 0")
		require.Empty(t, w.c.Ready(), "who cannot write can still decide")
		w.fail("a", "timeout")
		w.look()
		w.serves("b", wire.StateOK)
		require.Error(t, w.stop(), "whoever stops it is told that decisions are lost")
	})
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func TestADamagedJournalCostsWhatIsDamaged(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := begin(t, three)
		w.fail("a", "timeout")
		w.look()
		before := w.serves("b", wire.StateOK)
		dir := w.copied()
		require.NoError(t, w.stop())
		current := dir + "/" + journalFile(t, dir)
		text, err := os.ReadFile(current)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(current, append(text, `{"torn`...), 0o600))
		again := open(t, dir, three)
		require.Equal(t, before.Index, again.serves("b", wire.StateOK).Index)
		require.Len(t, again.log.lines("Parts of the journal cannot be used"), 1)
		again.run()
		again.fail("a", "timeout")
		again.fail("b", "timeout")
		again.look()
		after := again.serves("c", wire.StateOK)
		require.Greater(t, after.Index, before.Index)
		require.Greater(t, after.Generation, before.Generation)
	})
}

// journalFile is the name of the file that entries are appended to.
func journalFile(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() == "journal.jsonl" {
			return e.Name()
		}
	}
	t.Fatalf("no journal among %v", entries)
	return ""
}

func TestABrokenRuleFileIsAnErrorAtStart(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/own.yml"
	require.NoError(t, os.WriteFile(path, []byte("groups: [{name: x, rules: [{alert: Y, expr: 'up ==='}]}]\n"), 0o600))
	cfg := parse(t, three)
	_, err := controller.New(controller.Options{
		Config: cfg, Exporters: sourcesOf(newFleet("e", cfg)), RuleFiles: []string{path}, StoragePath: t.TempDir(),
	})
	require.ErrorContains(t, err, path+":1:")
}
