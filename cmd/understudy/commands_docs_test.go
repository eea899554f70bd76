package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	"github.com/stretchr/testify/require"
)

func TestTheDocumentationHasEveryCommand(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	app := kingpin.New("understudy", "")
	p := &program{stdout: io.Discard, stderr: io.Discard, log: &promslog.Config{}}
	for _, c := range p.commands(app) {
		heading := "### understudy " + c.clause.FullCommand()
		require.Truef(t, strings.Contains(string(text), "\n"+heading+"\n"), "docs/commands.md has no heading %q", heading)
	}
}

func TestTheDocumentedOutputIsTheRealOne(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	for command, name := range map[string]string{"status btc": "failover.status.txt", "explain btc": "failover.explain.txt"} {
		output, err := os.ReadFile(filepath.Join(answersOf, name))
		require.NoError(t, err)
		block := "```console\n$ understudy " + command + "\n" + string(output) + "```\n"
		require.Truef(t, strings.Contains(string(text), block), "docs/commands.md does not show %s as it is", name)
	}
}

func TestTheDocumentedMistakeIsTheRealOne(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/commands.md")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "bad.yml")
	require.NoError(t, os.WriteFile(path, []byte(`chains:
  eth:
    providers: [{name: geth, type: evm-rpc, rpc_host: "http://127.0.0.1:8545"}]
    nonsense: true
`), 0o600))
	r := call(nil, "check", "config", path)
	require.Equal(t, exitFailed, r.status)
	mistakes := strings.ReplaceAll(r.stdout+r.stderr, path, "bad.yml")
	require.Contains(t, string(text), "$ understudy check config bad.yml\n"+mistakes+"```\n")
}
