//go:build e2e

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unit is a unit as it is shipped, with a program that is there in place of ours:
// systemd looks whether it is.
func unit(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/systemd/" + name)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "/usr/bin/understudy ", self+" ")), 0o600))
	return path
}

func TestSystemdAcceptsTheUnits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"understudy.service", "understudy-exporter.service", "understudy-controller.service"} {
		path := unit(t, name)
		output, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", path).CombinedOutput()
		require.NoErrorf(t, err, "%s: %s", name, output)
		require.NotContainsf(t, string(output), filepath.Base(path)+":", "systemd complains")
		// 1.5 of 10, where 10 is a unit without any restriction.
		output, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=15", path).CombinedOutput()
		require.NoErrorf(t, err, "%s: %s", name, output)
	}
}

func TestPromtoolAcceptsTheComposedConfiguration(t *testing.T) {
	t.Parallel()
	// The rules lie beside it, as they are mounted.
	dir := written(t)
	text, err := os.ReadFile("../../deploy/compose/prometheus.yml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yml"), text, 0o600))
	got := said(t, "promtool", "check", "config", "--lint=all", "--lint-fatal", filepath.Join(dir, "prometheus.yml"))
	require.Contains(t, got, "3 rule files found")
}

func TestAmtoolAcceptsTheComposedConfiguration(t *testing.T) {
	t.Parallel()
	require.Contains(t, said(t, "amtool", "check-config", "../../deploy/compose/alertmanager.yml"), "2 receivers")
}
