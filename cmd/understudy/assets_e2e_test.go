//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// written is a folder with all assets.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := call(nil, "assets", dir)
	require.Equal(t, exitOK, r.status, r.stderr)
	return dir
}

// said runs a real program and gives what it says.
func said(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), node.Binary(t, name), args...).Output()
	require.NoErrorf(t, err, "%s %q: %s", name, args, output)
	return string(output)
}

func TestPromtoolAcceptsTheAssets(t *testing.T) {
	t.Parallel()
	got := said(t, "promtool", "check", "config", "--lint=all", "--lint-fatal", filepath.Join(written(t), "prometheus.yml"))
	require.Contains(t, got, "3 rule files found")
}

func TestPromtoolRunsTheDocumentedTest(t *testing.T) {
	t.Parallel()
	rules, test := documented(t)
	said(t, "promtool", "check", "rules", "--lint=all", "--lint-fatal", rules)
	require.Contains(t, said(t, "promtool", "test", "rules", test), "SUCCESS")
}

func TestAmtoolAcceptsTheAssets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(written(t), "alertmanager.yml")
	require.Contains(t, said(t, "amtool", "check-config", path), "2 receivers")
	for _, c := range []struct {
		name, receivers string
		labels          []string
	}{
		{"the heartbeat reaches the controller alone", "understudy", []string{"alertname=UnderstudyWatchdog", "severity=none"}},
		{"evidence reaches the controller and people", "understudy,people", []string{"alertname=ProviderDown", "failover=true", "chain=btc", "provider=a"}},
		{"evidence of a user's own rule does too", "understudy,people", []string{"alertname=Mine", "failover=true", "chain=btc", "provider=a"}},
		{"a split reaches the controller and people", "understudy,people", []string{"alertname=ChainSplit", "chain=btc"}},
		{"the rest reaches people", "people", []string{"alertname=ChainTipStalled", "chain=btc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := said(t, "amtool", append([]string{"config", "routes", "test", "--config.file=" + path}, c.labels...)...)
			require.Equal(t, c.receivers, strings.TrimSpace(got))
		})
	}
}

// option is a line of a comment that holds a setting to be put into the file.
var option = regexp.MustCompile(`(?m)^( *)#   (\w+: \{.*\})$`)

func TestAmtoolAcceptsTheTokenThatTheFileSuggests(t *testing.T) {
	t.Parallel()
	dir := written(t)
	path := filepath.Join(dir, "alertmanager.yml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, option.FindAll(text, -1), 1)
	require.NoError(t, os.WriteFile(path, option.ReplaceAll(text, []byte("$1$2")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "understudy.token"), []byte("secret"), 0o600))
	said(t, "amtool", "check-config", path)
	require.Contains(t, string(option.ReplaceAll(text, []byte("$1$2"))), "        http_config: {authorization")
}
