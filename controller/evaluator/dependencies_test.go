package evaluator

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoCloudIsLinked keeps out what other packages of Prometheus bring with
// them: clients of clouds that nobody here talks to.
func TestNoCloudIsLinked(t *testing.T) {
	t.Parallel()
	listing, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(listing))
	require.Contains(t, packages, "github.com/prometheus/prometheus/promql")
	for _, p := range packages {
		for _, unwanted := range []string{
			"aws", "smithy", "azure", "azidentity", "cloud.google.com", "google.golang.org/api", "google.golang.org/grpc",
			"k8s.io", "github.com/prometheus/prometheus/rules", "github.com/prometheus/prometheus/config",
			"github.com/prometheus/prometheus/notifier", "github.com/prometheus/prometheus/discovery",
		} {
			require.NotContains(t, strings.ToLower(p), unwanted)
		}
	}
}
