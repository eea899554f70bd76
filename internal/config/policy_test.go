package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// policyText draws some keys of a policy, each with a value that is fine by
// itself.
func policyText(t *rapid.T) string {
	durations := []string{"100ms", "500ms", "1s", "2s", "5s", "10s", "30s", "1m", "2m", "10m", "1h"}
	values := map[string][]string{
		"max_block_lag": {"0", "3", "100"}, "max_block_lead": {"1", "1000"}, "tip_quorum": {"1", "2", "3"},
		"error_threshold": {"1", "2", "5", "50", "1000"}, "latency_window": {"1", "10"}, "min_recovery_checks": {"1", "5"},
		"prefer_higher_priority": {"true", "false"}, "failback": {"auto", "sticky", "manual"}, "on_all_unhealthy": {"none", "last"},
		"integrity": {"{enabled: false}", "{interval: 5s}", "{interval: 1h, depth: 0}"},
	}
	for _, name := range []string{"health_check_interval", "suspect_check_interval", "request_timeout", "error_window", "max_latency", "stall_timeout", "recovery_check_interval", "min_active_time"} {
		values[name] = durations
	}
	var b strings.Builder
	for _, k := range failoverKeys {
		name := strings.TrimPrefix(k.path, "chains.*.failover.")
		if choices := values[name]; choices != nil && rapid.IntRange(0, 5).Draw(t, "has "+name) == 0 {
			fmt.Fprintf(&b, "      %s: %s\n", name, rapid.SampledFrom(choices).Draw(t, name))
		}
	}
	return b.String()
}

// TestPolicies holds the promises of a policy that is accepted: it can fire, it
// does not fire always, and it does not contradict itself. A mistake is always
// one of a key that is set; a default is never to blame.
func TestPolicies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.SampledFrom([]string{"", ", health_check_interval: 1s", ", health_check_interval: 5m"}).Draw(t, "own interval")
		name := rapid.SampledFrom([]string{"btc", "eth", "sol"}).Draw(t, "chain")
		kind := map[string]string{"btc": "bitcoin-rpc", "eth": "evm-rpc", "sol": "solana-rpc"}[name]
		policy := policyText(t)
		text := fmt.Sprintf("chains:\n  %s:\n    providers:\n      - {name: a, type: %s, rpc_host: 'http://a'%s}\n      - {name: b, type: %s, rpc_host: 'http://b'}\n    failover:\n%s", name, kind, own, kind, policy)
		c, err := Parse("x.yml", []byte(text), nil)
		if err != nil {
			for _, m := range err.(Mistakes) {
				key := m.Path[strings.LastIndex(m.Path, ".")+1:]
				require.Contains(t, text, key+":", m.Error())
			}
			return
		}
		requireSoundPolicy(t, c.Chains[0])
		effective, err := c.Redacted()
		require.NoError(t, err)
		again, err := Parse("x.yml", effective, nil)
		require.NoError(t, err, string(effective))
		require.Equal(t, c.Chains, again.Chains)
	})
}

func requireSoundPolicy(t *rapid.T, c Chain) {
	f := c.Failover
	intervals := []time.Duration{f.HealthCheckInterval, c.Providers[0].HealthCheckInterval, c.Providers[1].HealthCheckInterval}
	require.LessOrEqual(t, f.RequestTimeout, slices.Min(intervals))
	require.LessOrEqual(t, f.SuspectCheckInterval, slices.Min(intervals))
	require.LessOrEqual(t, f.MaxLatency, f.RequestTimeout)
	require.Greater(t, f.StallTimeout, slices.Max(intervals))
	require.GreaterOrEqual(t, f.Integrity.Interval, f.HealthCheckInterval)
	require.Less(t, time.Duration(f.ErrorThreshold-1)*(f.SuspectCheckInterval+f.RequestTimeout), f.ErrorWindow)
	require.False(t, f.Failback == FailbackAuto && !f.PreferHigherPriority)
	require.False(t, f.Failback == FailbackSticky && f.PreferHigherPriority)
}

// TestDefaults are those of the documentation, by block time.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		blockTime time.Duration
		lag, lead uint64
		stall     time.Duration
	}{
		{10 * time.Minute, 3, 30, 100 * time.Minute},
		{12 * time.Second, 3, 30, 2 * time.Minute},
		{10 * time.Second, 3, 30, 100 * time.Second},
		{6 * time.Second, 5, 50, time.Minute},
		{750 * time.Millisecond, 40, 400, time.Minute},
		{400 * time.Millisecond, 75, 750, time.Minute},
	} {
		text := fmt.Sprintf("chains: {x: {block_time: %s, providers: [{name: a, type: evm-rpc, rpc_host: 'http://a'}]}}", test.blockTime)
		c, err := Parse("x.yml", []byte(text), nil)
		require.NoError(t, err)
		require.Equal(t, Failover{
			HealthCheckInterval: 10 * time.Second, SuspectCheckInterval: 2 * time.Second, RequestTimeout: 5 * time.Second,
			MaxBlockLag: test.lag, MaxBlockLead: test.lead, TipQuorum: 2, ErrorThreshold: 5, ErrorWindow: time.Minute,
			MaxLatency: 5 * time.Second, LatencyWindow: 10, StallTimeout: test.stall,
			RecoveryCheckInterval: 30 * time.Second, MinRecoveryChecks: 3, PreferHigherPriority: true, Failback: FailbackAuto,
			FlapPenalty: true, OnAllUnhealthy: ServeNone,
			Integrity: Integrity{Enabled: true, Depth: 2, Interval: time.Minute, Transactions: true},
		}, c.Chains[0].Failover)
	}
	require.EqualValues(t, maxBlocks, defaultLead(maxBlocks))
}
