package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// asProgram makes the test binary be the program, so that a test can start it
// as a process of its own.
const asProgram = "UNDERSTUDY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	if count := os.Getenv(asSimulator); count != "" {
		simulate(count)
		os.Exit(0)
	}
	if os.Getenv(asNode)+os.Getenv(asProxy) != "" {
		fmt.Fprintln(os.Stderr, serveAside())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// result is what a command left behind.
type result struct {
	status         int
	stdout, stderr string
}

// call runs a command inside the test.
func call(environ []string, args ...string) result {
	var out, errs bytes.Buffer
	status := execute(args, environ, &out, &errs)
	return result{status, out.String(), errs.String()}
}

// file writes a file of the test's own.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// hasty is the policy of tests that wait for what probes find.
const hasty = "{health_check_interval: 500ms, request_timeout: 500ms, suspect_check_interval: 20ms, error_window: 4s, integrity: {interval: 500ms}}"

// ethereum starts simulated providers and describes them in a file.
func ethereum(t *testing.T, names ...string) (string, map[string]*simulator.Provider) {
	t.Helper()
	chain := simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BaseHeight: 1000})
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	providers := map[string]*simulator.Provider{}
	var b strings.Builder
	b.WriteString("chains:\n  eth:\n    failover: " + hasty + "\n    providers:\n")
	for _, name := range names {
		p := simulator.NewProvider(chain, simulator.ProviderOptions{Name: name, Type: config.EVMRPC})
		url, err := server.Listen(p)
		require.NoError(t, err)
		providers[name] = p
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, rpc_host: %q}\n", name, url)
	}
	return file(t, "understudy.yml", b.String()), providers
}

// process is the program running by itself.
type process struct {
	// token is what requests present; empty: nothing.
	token   string
	t       testing.TB
	cmd     *exec.Cmd
	address string
	log     lockedBuffer
}

// start starts the exporter as a process on a free port.
func start(t testing.TB, environ []string, args ...string) *process {
	t.Helper()
	return startCommand(t, "exporter", environ, args...)
}

// startCommand starts a command that serves as a process on a free port.
func startCommand(t testing.TB, name string, environ []string, args ...string) *process {
	t.Helper()
	p := launch(t, name, environ, args...)
	p.eventually(func() bool { status, _ := p.get("/-/healthy"); return status == http.StatusOK }, "it serves")
	return p
}

// launch is startCommand without the wait until it serves.
func launch(t testing.TB, name string, environ []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, address: freeAddress(t)}
	p.cmd = exec.Command(os.Args[0], append([]string{name, "--web.listen-address=" + p.address}, args...)...)
	p.cmd.Env = append(append(os.Environ(), asProgram+"=yes"), environ...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.Dir = t.TempDir()
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		if t.Failed() {
			t.Log(p.log.String())
		}
	})
	return p
}

// get asks the process for a page; status 0 is no answer.
func (p *process) get(path string) (int, string) { return p.do(http.MethodGet, path, "") }

func (p *process) do(method, path, body string) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, strings.NewReader(body))
	require.NoError(p.t, err)
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	return res.StatusCode, string(text)
}

// eventually waits for what another process does.
func (p *process) eventually(condition func() bool, what string) {
	p.t.Helper()
	p.await(time.Minute, what, condition)
}

// await is eventually with a bound of its own.
func (p *process) await(bound time.Duration, what string, condition func() bool) {
	p.t.Helper()
	require.Eventually(p.t, condition, bound, 20*time.Millisecond, what)
}

// ready waits until every provider was probed.
func (p *process) ready() {
	p.t.Helper()
	p.eventually(func() bool { status, _ := p.get("/-/ready"); return status == http.StatusOK }, "ready")
}

// stop sends a signal and waits for the end.
func (p *process) stop(s os.Signal) int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(s))
	err := p.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	require.NoError(p.t, err)
	return 0
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// nameOf is the name of who serves; empty if nobody does.
func nameOf(provider *string) string {
	if provider == nil {
		return ""
	}
	return *provider
}
