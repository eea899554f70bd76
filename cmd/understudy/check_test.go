package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is the configuration that Bifrost's operators start from.
const sample = `bifrost:
  chains:
    btc:
      providers:
        - name: "local-daemon"
          rpc_host: "http://localhost:8332"
          priority: 1                     # lower = preferred
          type: "bitcoin-rpc"
        - name: "quicknode"
          rpc_host: "https://xxx.quiknode.pro/abc123"
          priority: 2
          type: "bitcoin-rpc"
        - name: "blockchair"
          rpc_host: "https://api.blockchair.com"
          priority: 3
          type: "blockchair-rest"         # uses adapter
      failover:
        health_check_interval: 10s        # how often to check provider health
        max_block_lag: 3                  # max blocks behind tip before considered stale
        error_threshold: 5                # consecutive errors before marking unhealthy
        error_window: 60s                 # time window for error counting
        recovery_check_interval: 30s      # how often to re-check failed providers
        min_recovery_checks: 3            # consecutive healthy checks before restoring
`

func TestCheckConfigSummarisesAGoodOne(t *testing.T) {
	t.Parallel()
	r := call(nil, "check", "config", file(t, "config.yaml", sample))
	require.Equal(t, exitOK, r.status, r.stderr)
	require.Contains(t, r.stdout, ": 1 chain, 3 providers.\n")
	for _, name := range []string{"local-daemon", "quicknode", "blockchair"} {
		require.Regexp(t, regexp.MustCompile(name+`.*\d{5,}`), r.stdout, "the provider with its requests a month")
	}
	require.NotContains(t, r.stdout+r.stderr, "abc123")
	require.Contains(t, r.stderr, "warning:", "Blockchair's free allowance is less than what it will be sent")
}

func TestCheckConfigShowsEveryMistakeOfTen(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ name, from, to, want string }{
		{"an unknown type", `type: "blockchair-rest"`, `type: "blockchair"`, "type"},
		{"an unknown key", "priority: 2", "prority: 2", "prority"},
		{"a URL without a scheme", "http://localhost:8332", "localhost:8332", "rpc_host"},
		{"a provider without a name", `- name: "quicknode"`, `- name: ""`, "name"},
		{"a duration without a unit", "health_check_interval: 10s", "health_check_interval: 10", "health_check_interval"},
		{"a negative lag", "max_block_lag: 3", "max_block_lag: -3", "max_block_lag"},
		{"errors that cannot happen in time", "error_threshold: 5", "error_threshold: 50", "50 errors"},
		{"a threshold of zero", "error_threshold: 5", "error_threshold: 0", "error_threshold"},
		{"an unset variable", "https://xxx.quiknode.pro/abc123", "https://xxx.quiknode.pro/${QUICKNODE_KEY_UNSET}", "QUICKNODE_KEY_UNSET"},
		{"no recovery checks", "min_recovery_checks: 3", "min_recovery_checks: 0", "min_recovery_checks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, sample, c.from)
			text := strings.Replace(sample, c.from, c.to, 1)
			line := 1 + strings.Count(text[:strings.Index(text, c.to)], "\n")
			path := file(t, "config.yaml", text)
			r := call(nil, "check", "config", path)
			require.Equal(t, exitFailed, r.status, "case %d", i)
			require.Contains(t, r.stderr, fmt.Sprintf("%s:%d:", path, line), "the place")
			require.Contains(t, r.stderr, "chains.btc.", "the path")
			require.Contains(t, r.stderr, c.want)
		})
	}
}

func TestCheckConfigReportsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer(`"bitcoin-rpc"`, `"pigeon"`, "max_block_lag: 3", "max_block_lag: x", "error_threshold: 5", "error_threshold: -1").Replace(sample)
	r := call(nil, "check", "config", file(t, "config.yaml", text))
	require.Equal(t, exitFailed, r.status)
	require.Equal(t, 2, strings.Count(r.stderr, "].type: "))
	require.Contains(t, r.stderr, "4 mistakes")
	require.Contains(t, r.stderr, "max_block_lag")
	require.Contains(t, r.stderr, "error_threshold")
}
