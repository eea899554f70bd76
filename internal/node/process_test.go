package node_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// script is a process that says where its home is and then sleeps in a child of
// its own, as a wrapper around a node would.
func script(t *testing.T) *node.Process {
	t.Helper()
	p := node.Start(t, node.Spec{
		Name:   "script",
		Binary: "sh",
		Args:   []string{"-c", "echo started by $HOME; sleep 1000 & wait"},
	})
	awaitLog(t, p, 1)
	return p
}

// awaitLog waits until the script has announced itself so many times.
func awaitLog(t *testing.T, p *node.Process, starts int) {
	t.Helper()
	node.Await(t, "the script to start", func(context.Context) error {
		if strings.Count(p.Log(), "started by") != starts {
			return errors.New("it has not")
		}
		return nil
	})
}

func TestProcessLeavesNothingBehindWhenItsTestEnds(t *testing.T) {
	t.Parallel()
	// The pipe has an end of file once nobody is left who could write to it.
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	var p *node.Process
	var reader *os.File
	t.Run("a test starts a process with a child", func(t *testing.T) {
		p = node.Start(t, node.Spec{
			Name:   "script",
			Binary: "sh",
			Args:   []string{"-c", `sleep 1000 >"$0" & wait`, pipe},
		})
		var err error
		reader, err = os.Open(pipe)
		require.NoError(t, err)
	})
	defer reader.Close()
	require.ErrorIs(t, syscall.Kill(p.PID(), 0), syscall.ESRCH, "the process is neither there nor a zombie")
	left, err := io.ReadAll(reader)
	require.NoError(t, err, "the child has ended too")
	require.Empty(t, left)
}

func TestProcessStopsAlsoWhenItIsPaused(t *testing.T) {
	t.Parallel()
	p := script(t)
	p.Pause()
	p.Stop()
	require.ErrorIs(t, syscall.Kill(p.PID(), 0), syscall.ESRCH)
}

func TestProcessLivesAgainWithItsOldFolderAndLog(t *testing.T) {
	t.Parallel()
	p := script(t)
	first := p.PID()
	p.Kill()
	p.Restart()
	awaitLog(t, p, 2)
	require.NotEqual(t, first, p.PID())
	p.Restart()
	awaitLog(t, p, 3)
	lines := strings.Fields(p.Log())
	require.Equal(t, lines[2], lines[8], "HOME of the first and the third life")
}

func TestProcessSeesNoHomeOfThePersonWhoTests(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	require.NotContains(t, strings.Fields(script(t).Log()), home)
}
