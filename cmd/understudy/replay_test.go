package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/decision"
	"github.com/understudy-rpc/understudy/controller/journal"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// serves waits until a provider serves eth; "": until nobody does.
func (p *process) serves(provider string) wire.Active {
	p.t.Helper()
	var a wire.Active
	p.eventually(func() bool {
		_, text := p.get("/active/eth")
		a = wire.Active{}
		if json.Unmarshal([]byte(text), &a) != nil || a.Chain == "" {
			return false
		}
		return (a.Provider == nil && provider == "") || (a.Provider != nil && *a.Provider == provider)
	}, provider+" serves")
	return a
}

// pair starts two simulated providers and describes them in a file, patiently:
// the machine may be busy.
func pair(t *testing.T) (string, map[string]*simulator.Provider) {
	t.Helper()
	path, providers := ethereum(t, "a", "b")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	policy := regexp.MustCompile(`failover: .*`).ReplaceAllLiteralString(string(text),
		"failover: {health_check_interval: 500ms, request_timeout: 500ms, suspect_check_interval: 50ms, error_threshold: 2, error_window: 5s, recovery_check_interval: 100ms, min_recovery_checks: 1}")
	return file(t, "patient.yml", policy), providers
}

// recorded is the folder of a journal with a failover in it.
func recorded(t *testing.T) string {
	t.Helper()
	path, providers := pair(t)
	storage := t.TempDir()
	p := startCommand(t, "run", nil, "--config.file="+path, "--storage.path="+storage)
	p.serves("a")
	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeReset})
	p.serves("b")
	require.Equal(t, exitOK, p.stop(syscall.SIGTERM))
	return storage
}

func TestAJournalIsDecidedAgain(t *testing.T) {
	t.Parallel()
	storage := recorded(t)
	current := filepath.Join(storage, "journal.jsonl")
	for _, path := range []string{storage, current} {
		r := call(nil, "replay", path)
		require.Equal(t, exitOK, r.status, r.stderr)
		require.Contains(t, r.stdout, "  start: start: ")
		require.Contains(t, r.stdout, "eth  failover: failover: a down (connection_reset)\n")
		require.Contains(t, r.stdout, "eth/a  state: a down (connection_reset)\n")
		require.Contains(t, r.stdout, ", 0 problems\n")
		quiet := call(nil, "replay", "--quiet", path)
		require.Equal(t, 1, strings.Count(quiet.stdout, "\n"))
	}
}

func TestAJournalThatWasChangedIsFound(t *testing.T) {
	t.Parallel()
	storage := recorded(t)
	current := filepath.Join(storage, "journal.jsonl")
	text, err := os.ReadFile(current)
	require.NoError(t, err)

	torn := file(t, "journal.jsonl", string(text[:len(text)-20]))
	r := call(nil, "replay", "--quiet", torn)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, "unfinished line")
	require.Contains(t, r.stdout, ", 1 problem\n")

	changed := strings.Replace(string(text), "a down (connection_reset)", "b down (connection_reset)", 1)
	require.NotEqual(t, string(text), changed)
	r = call(nil, "replay", "--quiet", file(t, "journal.jsonl", changed))
	require.Equal(t, exitFailed, r.status, "a line that was changed by hand is not read")
	require.NotEmpty(t, r.stderr)
}

func TestWhatStandsInAJournalDoesNotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	const wipe = "\x1b[2J"
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs}
	p.printReplayed(controller.Replayed{
		Entry:      journal.Entry{Chain: "eth" + wipe, Index: 7},
		Changes:    []decision.Change{{Kind: "state" + wipe, Provider: "a" + wipe, Reason: "a down\n(" + wipe + ")"}},
		Difference: "decided again," + wipe + " b serves",
	}, false)
	require.NotContains(t, out.String()+errs.String(), "\x1b")
	require.Equal(t, 1, strings.Count(out.String(), "\n"))
	require.Contains(t, errs.String(), "b serves")
}

func TestReplayOfNothing(t *testing.T) {
	t.Parallel()
	r := call(nil, "replay", filepath.Join(t.TempDir(), "no-such-file"))
	require.Equal(t, exitFailed, r.status)
	require.NotEmpty(t, r.stderr)
}

func TestTheControllerDecidesByAnExporterElsewhere(t *testing.T) {
	t.Parallel()
	path, providers := pair(t)
	e := start(t, nil, "--config.file="+path)
	e.ready()
	p := startCommand(t, "controller", nil, "--config.file="+path, "--exporter.url=http://"+e.address, "--rules.interval=200ms", "--storage.path="+t.TempDir())
	p.ready()
	a := p.serves("a")
	require.Equal(t, wire.StateOK, a.State)
	p.eventually(func() bool { return p.serves("a").Hash != "" }, "the exporter tells the hash")

	providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeReset})
	a = p.serves("b")
	require.Equal(t, "failover: a down (connection_reset)", a.Reason)

	e.stop(syscall.SIGKILL)
	p.eventually(func() bool { return p.serves("b").Stale }, "what is known is old")
	status, text := p.get("/-/ready")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, text, "no exporter answers")
	require.Equal(t, exitOK, p.stop(syscall.SIGTERM))
}
