package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/remote"
)

func TestWatchPrintsATableForEachChangeUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover")
	var out, errs lockedBuffer
	v := statusView{program: &program{stdout: &out, stderr: &errs}}
	client, err := remote.New(remote.Options{URL: f.URL + "/sub"})
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		status, _ := v.watch(ctx, client)
		ended <- status
	}()
	tables := func(n int) func() bool {
		return func() bool { return strings.Count(out.String(), "PROVIDER  ") == n }
	}
	require.Eventually(t, tables(1), time.Minute, time.Millisecond)
	f.change(func() {
		c := f.chains["btc"]
		c.Index, c.Reason = 43, "failback: quicknode is healthy and preferred"
		f.index, f.chains["btc"] = 43, c
	})
	require.Eventually(t, tables(2), time.Minute, time.Millisecond)
	f.CloseClientConnections()
	f.Close()
	require.Eventually(t, func() bool { return strings.Contains(errs.String(), "what is shown is old") }, time.Minute, time.Millisecond)
	cancel()
	require.Equal(t, exitOK, <-ended)
	require.Contains(t, out.String(), "failback: quicknode is healthy and preferred")
	require.Regexp(t, `(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, out.String())
	require.NotContains(t, out.String(), "\x1b")
}

func TestWatchRedrawsATerminal(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover")
	var out lockedBuffer
	v := statusView{program: &program{stdout: &out, stderr: io.Discard}, screen: true}
	client, err := remote.New(remote.Options{URL: f.URL + "/sub"})
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		status, _ := v.watch(ctx, client)
		ended <- status
	}()
	drawn := func() []string { return strings.Split(out.String(), "\x1b[H\x1b[2J")[1:] }
	eventually := func(condition func() bool) { require.Eventually(t, condition, time.Minute, time.Millisecond) }
	eventually(func() bool { return len(drawn()) == 1 })
	f.change(func() { f.index++ })
	eventually(func() bool { return len(drawn()) == 2 })
	f.CloseClientConnections()
	f.Close()
	eventually(func() bool { return strings.Contains(out.String(), "trying again") })
	cancel()
	require.Equal(t, exitOK, <-ended)
	for _, screen := range drawn() {
		require.Contains(t, screen, "* btc/local-daemon", "the table stays, also while the controller is away")
	}
}

func TestWhatIsWrittenForTerminals(t *testing.T) {
	t.Parallel()
	// The null device counts as a terminal: it is one as far as a program can tell
	// without asking it for its size.
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = device.Close() }()
	regular, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer func() { _ = regular.Close() }()
	for _, c := range []struct {
		name             string
		stdout           io.Writer
		environ          []string
		terminal, colour bool
	}{
		{"a terminal", device, nil, true, true},
		{"a terminal without colours", device, []string{"NO_COLOR=1"}, true, false},
		{"an empty NO_COLOR says nothing", device, []string{"NO_COLOR="}, true, true},
		{"a terminal that understands no sequences", device, []string{"TERM=dumb"}, false, false},
		{"a file", regular, nil, false, false},
		{"a buffer", new(strings.Builder), nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &program{stdout: c.stdout, environ: c.environ}
			require.Equal(t, c.terminal, p.terminal())
			require.Equal(t, c.colour, p.style().Colour)
		})
	}
}

func TestAnOrderWithoutAnAnswerIsInDoubt(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	r := call(nil, "drain", "btc/quicknode", "--controller.url="+server.URL)
	require.Equal(t, exitUsage, r.status)
	require.Contains(t, r.stderr, "the order may be in force all the same, see understudy status")
	require.NotContains(t, call(nil, "drain", "btc/quicknode", "--controller.url=http://127.0.0.1:1").stderr, "in force", "nobody took it")
}

func TestWatchEndsOnInterrupt(t *testing.T) {
	t.Parallel()
	f := controllerWith(t, "failover", "nobody")
	cmd := exec.Command(os.Args[0], "status", "--watch", "--format=json", f.flag())
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	require.Eventually(t, func() bool { return strings.HasSuffix(out.String(), "}\n") }, time.Minute, 5*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), "to be interrupted is how a watch ends")
	require.Equal(t, 1, strings.Count(out.String(), "\n"), "JSON is a line for each change")
}
