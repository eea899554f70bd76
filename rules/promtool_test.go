//go:build e2e

package rules_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
	"github.com/understudy-rpc/understudy/rules"
)

func TestPromtoolFindsNothingToSayAboutTheRules(t *testing.T) {
	t.Parallel()
	promtool(t, append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, rules.FileNames()...))
}

func TestPromtoolRunsTheScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_test.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			promtool(t, []string{"test", "rules", file})
		})
	}
}

// promtool runs Prometheus's tool in this folder and fails with what it says.
func promtool(t *testing.T, args []string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), node.Binary(t, "promtool"), args...).CombinedOutput()
	require.NoErrorf(t, err, "promtool %q:\n%s", args, output)
}
