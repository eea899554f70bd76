package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Where the network is what most operators say, the first answers come before
// anybody can know it. That is nobody's failure.
func TestProvidersOfAChainWithoutAKnownNetworkAreAllHealthyFromTheStart(t *testing.T) {
	t.Parallel()
	path, _ := ethereum(t, "a", "b", "c")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	// A busy machine may well take longer than a hasty policy allows.
	own := strings.NewReplacer("  eth:\n", "  mychain:\n", hasty, "{request_timeout: 10s, error_window: 2m}").Replace(string(text))
	p := startCommand(t, "run", nil, "--config.file="+file(t, "understudy.yml", own))
	p.eventually(func() bool {
		_, c := getJSON[wire.Chain](p, "/thorchain/providers/mychain")
		return c.Healthy == 3 && c.Active != nil && *c.Active == "a"
	}, "all are healthy, and the preferred one serves")
	require.NotContains(t, p.log.String(), "to=unhealthy")
}
