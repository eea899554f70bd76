package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopGrace is how long a node may take to end after SIGTERM.
const stopGrace = 30 * time.Second

// tailLines is how much of a node's log a failed test shows.
const tailLines = 40

// Spec says how to start a process.
type Spec struct {
	// Name stands in messages and in the name of the log file. Required.
	Name string
	// Binary is the name of the program, looked up by [Binary], or its absolute
	// path. Required.
	Binary string
	// Args are the program's arguments.
	Args []string
	// Env are further variables of the environment, as NAME=value. Of the person who
	// runs the test the program sees PATH alone.
	Env []string
	// Dir is the working folder, and HOME, so that no file of the person who
	// runs the test is read or written. Empty: a new temporary folder.
	Dir string
	// Ready returns nil once the process answers. Nil: ready at once.
	Ready func(ctx context.Context) error
}

// Process is a running program that a test started. Its methods are to be
// called by the test's goroutine, one at a time; each fails the test if it
// can't do what it is asked.
type Process struct {
	tb   testing.TB
	spec Spec
	path string
	log  *os.File
	run  *run
}

// run is one life of a process, from a start to an end.
type run struct {
	pid  int
	done chan struct{} // Closed once the process was reaped.
	err  error         // How it ended; to be read after done.
}

// Start starts a process and waits until it is ready. When the test ends, the
// process is killed and reaped; if the test failed, the end of its log is
// printed. The whole log lies in the test's artifact folder, which is kept
// with "go test -artifacts".
func Start(tb testing.TB, spec Spec) *Process {
	tb.Helper()
	if spec.Dir == "" {
		spec.Dir = tb.TempDir()
	}
	log, err := os.CreateTemp(tb.ArtifactDir(), spec.Name+"-*.log")
	if err != nil {
		tb.Fatalf("node %s: log file: %v", spec.Name, err)
	}
	p := &Process{tb: tb, spec: spec, path: Binary(tb, spec.Binary), log: log}
	tb.Cleanup(p.cleanUp)
	p.launch()
	return p
}

// launch starts the program once and waits until it is ready.
func (p *Process) launch() {
	p.tb.Helper()
	cmd := exec.Command(p.path, p.spec.Args...)
	cmd.Dir = p.spec.Dir
	cmd.Env = append([]string{"HOME=" + p.spec.Dir, "PATH=" + os.Getenv("PATH")}, p.spec.Env...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.SysProcAttr = attributes()
	r := &run{done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The kernel ends the child when the thread that started it ends, so
		// the thread has to stay until the child was reaped.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(r.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			r.err = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		p.tb.Fatalf("node %s: start: %v", p.spec.Name, err)
	}
	r.pid = cmd.Process.Pid
	p.run = r
	if p.spec.Ready == nil {
		return
	}
	if err := poll(p.tb.Context(), r.done, p.spec.Ready); err != nil {
		p.tb.Fatalf("node %s: not ready: %v", p.spec.Name, err)
	}
}

// Pause freezes the process with SIGSTOP and returns once it stands still: its
// ports still accept connections, but nobody answers.
func (p *Process) Pause() {
	p.tb.Helper()
	p.signal(syscall.SIGSTOP)
	Await(p.tb, p.spec.Name+" to stand still", func(context.Context) error { return frozen(p.run.pid) })
}

// Resume lets a paused process go on.
func (p *Process) Resume() {
	p.tb.Helper()
	p.signal(syscall.SIGCONT)
}

// Stop ends the process in an orderly way; afterwards its ports refuse
// connections. The test fails if that takes longer than the grace.
func (p *Process) Stop() {
	p.tb.Helper()
	p.signal(syscall.SIGTERM)
	// A frozen process acts on SIGTERM only when it goes on.
	p.send(syscall.SIGCONT)
	select {
	case <-p.run.done:
	case <-time.After(stopGrace):
		p.tb.Fatalf("node %s: still running %s after SIGTERM", p.spec.Name, stopGrace)
	}
}

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() {
	p.tb.Helper()
	p.signal(syscall.SIGKILL)
	<-p.run.done
}

// Restart stops the process unless it has ended, starts it again with the same
// arguments, ports and files, and waits until it is ready.
func (p *Process) Restart() {
	p.tb.Helper()
	if !p.ended() {
		p.Stop()
	}
	p.launch()
}

// PID returns the number of the process in its present, or else last, life. It
// is the number of its process group too.
func (p *Process) PID() int { return p.run.pid }

// Log returns what the process has written so far, over all its lives.
func (p *Process) Log() string {
	p.tb.Helper()
	text, err := os.ReadFile(p.log.Name())
	if err != nil {
		p.tb.Fatalf("node %s: read log: %v", p.spec.Name, err)
	}
	return string(text)
}

// signal sends a signal to a process that has to be there.
func (p *Process) signal(sig syscall.Signal) {
	p.tb.Helper()
	if p.ended() {
		p.tb.Fatalf("node %s: %v: the process has ended: %v", p.spec.Name, sig, p.run.err)
	}
	p.send(sig)
}

// send sends a signal to the process and to whatever it has started, unless it
// has ended meanwhile.
func (p *Process) send(sig syscall.Signal) {
	p.tb.Helper()
	if p.ended() {
		return
	}
	if err := syscall.Kill(-p.run.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		p.tb.Fatalf("node %s: %v: %v", p.spec.Name, sig, err)
	}
}

// ended says whether the process is gone and reaped.
func (p *Process) ended() bool {
	select {
	case <-p.run.done:
		return true
	default:
		return false
	}
}

// cleanUp leaves nothing running, also after a start that failed.
func (p *Process) cleanUp() {
	if p.run != nil {
		p.send(syscall.SIGKILL)
		<-p.run.done
	}
	if p.tb.Failed() {
		p.tb.Logf("node %s, end of its log:\n%s", p.spec.Name, tail(p.Log()))
	}
	if err := p.log.Close(); err != nil {
		p.tb.Errorf("node %s: close log: %v", p.spec.Name, err)
	}
}

// tail returns the last lines of a log, and says when it left some out.
func tail(log string) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	if len(lines) <= tailLines {
		return strings.Join(lines, "\n")
	}
	left := len(lines) - tailLines
	return fmt.Sprintf("(%d lines before)\n%s", left, strings.Join(lines[left:], "\n"))
}
