package journal

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// writerDirectory is the variable that makes of the test binary a process that
// appends there until it is killed.
const writerDirectory = "JOURNAL_TEST_WRITER_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDirectory); dir != "" {
		appendForever(dir)
	}
	goleak.VerifyTestMain(m)
}

// appendForever prints the index of each entry once it is acknowledged.
func appendForever(dir string) {
	j, found, err := Open(dir, Options{MaxBytes: minMaxBytes * 16})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for index := found.Reserved.Index + 1; ; index++ {
		if err := j.Append(switched(index)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(index)
		if index%20 == 0 {
			if err := j.Snapshot(index, map[string]uint64{"btc": index}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}

// killed runs a writer for a while and gives the indexes it acknowledged.
func killed(t *testing.T, dir string, acknowledgements int, grace time.Duration) []uint64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writerDirectory+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var indexes []uint64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		index, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			continue
		}
		indexes = append(indexes, index)
		if len(indexes) == acknowledgements {
			time.AfterFunc(grace, func() { _ = cmd.Process.Kill() })
		}
	}
	require.Error(t, cmd.Wait(), "it was to be killed")
	return indexes
}

func TestAKilledWriterLosesNothingAcknowledgedAndReusesNoIndex(t *testing.T) {
	t.Parallel()
	dir, highest := t.TempDir(), uint64(0)
	for range 50 {
		indexes := killed(t, dir, 1+rand.IntN(30), time.Duration(rand.IntN(3000))*time.Microsecond)
		require.NotEmpty(t, indexes)
		require.Greater(t, indexes[0], highest, "an index is used again")
		highest = indexes[len(indexes)-1]

		there := map[uint64]bool{}
		for e, err := range Read(dir) {
			if err == nil {
				there[e.Index] = true
			}
		}
		for _, index := range indexes {
			require.Truef(t, there[index], "entry %d was acknowledged and is not there", index)
		}
	}
}
