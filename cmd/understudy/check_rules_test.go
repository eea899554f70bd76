package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

const (
	goodRules = `groups:
  - name: mine
    rules:
      - alert: ProviderFarBehind
        expr: chain_provider:bifrost_block_lag:blocks > 100
        labels: {failover: "true", failure_mode: behind}
`
	doubtfulRules = `groups:
  - name: mine
    rules:
      - alert: DiskFull
        expr: node_filesystem_avail_bytes < 1e9
`
	wrongRules = `groups:
  - name: mine
    rules:
      - alert: ProviderSlowToday
        expr: max by (chain) (bifrost_provider_latency_ms) > 100
        labels: {failover: "true"}
`
)

func TestCheckRules(t *testing.T) {
	t.Parallel()
	good, doubtful, wrong := file(t, "good.yml", goodRules), file(t, "doubtful.yml", doubtfulRules), file(t, "wrong.yml", wrongRules)
	tests := file(t, "good_test.yml", "rule_files: [good.yml]\n")
	own := filepath.Join(t.TempDir(), "own")
	require.Equal(t, exitOK, call(nil, "assets", own).status)
	for _, c := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"the bundled files", nil, exitOK, "3 rule files are valid.\n", ""},
		{"a file that reads what the bundled ones record", []string{good}, exitOK, "1 rule file is valid.\n", ""},
		{"a pattern", []string{filepath.Join(filepath.Dir(good), "g*.yml")}, exitOK, "1 rule file is valid.\n", ""},
		{"a file named twice", []string{good, good}, exitOK, "1 rule file is valid.\n", ""},
		{"copies of the bundled files", []string{filepath.Join(own, "rules", "*.yml")}, exitOK, "3 rule files are valid.\n", ""},
		{"a warning", []string{doubtful}, exitOK, "1 rule file is valid.\n", "1 rule file: 0 errors, 1 warning\n"},
		{"a warning that is fatal", []string{"--fatal-warnings", doubtful}, exitFailed, "", doubtful + ":5:15: warning: DiskFull: "},
		{"an error", []string{good, wrong}, exitFailed, "", wrong + ":5:15: error: ProviderSlowToday: "},
		{"tests beside the rules", []string{good, tests}, exitOK, "1 rule file is valid.\n", "promtool test rules " + tests},
		{"tests alone", []string{tests}, exitFailed, "", "no rule file"},
		{"no such file", []string{"no-such.yml"}, exitFailed, "", "no-such.yml: there is no such file"},
		{"a pattern that matches nothing", []string{"no-such*.yml"}, exitFailed, "", "there is no such file"},
		{"a broken pattern", []string{"[.yml"}, exitFailed, "", "not a pattern"},
		{"a folder", []string{filepath.Dir(good)}, exitFailed, "", "read a rule file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := call(nil, append([]string{"check", "rules"}, c.args...)...)
			require.Equal(t, c.status, r.status, r.stderr)
			require.Equal(t, c.stdout, r.stdout)
			if c.stderr == "" {
				require.Empty(t, r.stderr)
			}
			require.Contains(t, r.stderr, c.stderr)
		})
	}
}

func TestAssetsWriteEveryFileOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	r := call(nil, "assets", dir)
	require.Equal(t, exitOK, r.status, r.stderr)
	want := []string{"alertmanager.yml", "dashboards/chain.json", "dashboards/gateway.json", "dashboards/overview.json", "dashboards/understudy.json", "prometheus.yml", "rules/chains.yml", "rules/pipeline.yml", "rules/providers.yml"}
	var got []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			got = append(got, filepath.ToSlash(name))
			require.Contains(t, r.stdout, "wrote "+path+"\n")
			info, err := e.Info()
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o644), info.Mode(), "Prometheus runs under a user of its own")
		}
		return err
	}))
	require.Equal(t, want, got)
	written, err := os.ReadFile(filepath.Join(dir, "rules", "providers.yml"))
	require.NoError(t, err)
	bundled, err := rules.Files.ReadFile("providers.yml")
	require.NoError(t, err)
	require.Equal(t, bundled, written)
}

func TestAssetsKeepChangedFilesUnlessForced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	changed, missing := filepath.Join(dir, "alertmanager.yml"), filepath.Join(dir, "rules", "chains.yml")
	require.Equal(t, exitOK, call(nil, "assets", dir).status)
	original, err := os.ReadFile(changed)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(changed, []byte("receivers: []\n"), 0o600))
	require.NoError(t, os.Remove(missing))

	r := call(nil, "assets", dir)
	require.Equal(t, exitFailed, r.status)
	require.Contains(t, r.stderr, "kept "+changed)
	require.Contains(t, r.stdout, "wrote "+missing+"\n")
	require.Contains(t, r.stdout, "unchanged "+filepath.Join(dir, "prometheus.yml")+"\n")
	kept, err := os.ReadFile(changed)
	require.NoError(t, err)
	require.Equal(t, "receivers: []\n", string(kept))

	r = call([]string{"UNDERSTUDY_FORCE=true"}, "assets", dir)
	require.Equal(t, exitOK, r.status, r.stderr)
	require.Contains(t, r.stdout, "wrote "+changed+"\n")
	overwritten, err := os.ReadFile(changed)
	require.NoError(t, err)
	require.Equal(t, original, overwritten)
}

func TestAssetsSayWhatStandsInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules"), nil, 0o600))
	r := call(nil, "assets", dir)
	require.Equal(t, exitUsage, r.status)
	require.Contains(t, r.stderr, filepath.Join(dir, "rules"))
	require.Equal(t, exitUsage, call(nil, "assets").status)
}
