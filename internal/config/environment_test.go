package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func variables(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

func TestKeeperEnvironment(t *testing.T) {
	t.Parallel()
	type provider struct{ name, url, operator string }
	tests := map[string]struct {
		environment []string
		providers   []provider
		check       func(t *testing.T, c Config)
	}{
		"one URL and nothing else": {
			environment: []string{"SOROBAN_RPC_URL", "https://soroban-testnet.stellar.org"},
			providers:   []provider{{"soroban-testnet.stellar.org", "https://soroban-testnet.stellar.org", "stellar.org"}},
			check: func(t *testing.T, c Config) {
				require.Equal(t, Network{}, c.Chains[0].Network, "what most endpoints say, as a keeper also runs on test networks")
				f := c.Chains[0].Failover
				require.Equal(t, 15*time.Second, f.HealthCheckInterval)
				require.Equal(t, 30*time.Second, f.RecoveryCheckInterval)
				require.Equal(t, 3, f.ErrorThreshold)
				require.Equal(t, FailbackAuto, f.Failback)
				g := c.Chains[0].Gateway
				require.True(t, g.Enabled)
				require.Equal(t, 3, g.FailureThreshold)
				require.Equal(t, 30*time.Second, g.Cooldown)
				require.Len(t, c.Warnings, 1)
				require.Equal(t, "environment: SOROBAN_RPC_URLS: soroban-testnet.stellar.org is the only provider, so there is nothing to fail over to and, without observed_height, no height to compare with, add one of another operator", c.Warnings.Error())
			},
		},
		"further URLs come in order, each once, blanks dropped": {
			environment: []string{"SOROBAN_RPC_URL", "https://a.example/key", "SOROBAN_RPC_URLS", " https://b.example/key ,, https://a.example/key,https://a.example/other,https://a.example:8000,"},
			providers: []provider{
				{"a.example", "https://a.example/key", "a.example"}, {"b.example", "https://b.example/key", "b.example"},
				{"a.example-2", "https://a.example/other", "a.example"}, {"a.example-3", "https://a.example:8000", "a.example"},
			},
		},
		"hosts that are no names": {
			environment: []string{"SOROBAN_RPC_URL", "http://[::1]:8000", "SOROBAN_RPC_URLS", "http://127.0.0.1:8000,http://Foo_Bar:1"},
			providers: []provider{
				{"1", "http://[::1]:8000", "[::1]:8000"}, {"127.0.0.1", "http://127.0.0.1:8000", "127.0.0.1:8000"},
				{"foo-bar", "http://Foo_Bar:1", "foo_bar:1"},
			},
		},
		"all controls": {
			environment: []string{
				"SOROBAN_RPC_URL", "https://a.example", "SOROBAN_RPC_URLS", "https://b.example", "RPC_FAILOVER_ENABLED", "FALSE",
				"RPC_FAILOVER_FAILURE_THRESHOLD", "20", "RPC_FAILOVER_COOLDOWN_MS", "1", "RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS", "1500",
				"NETWORK_PASSPHRASE", "Test SDF Future Network ; October 2022",
			},
			providers: []provider{{"a.example", "https://a.example", "a.example"}, {"b.example", "https://b.example", "b.example"}},
			check: func(t *testing.T, c Config) {
				require.Equal(t, Network{Value: "Test SDF Future Network ; October 2022"}, c.Chains[0].Network)
				f := c.Chains[0].Failover
				require.Equal(t, 1500*time.Millisecond, f.HealthCheckInterval)
				require.Equal(t, 1500*time.Millisecond, f.RequestTimeout)
				require.Equal(t, 10*time.Millisecond, f.RecoveryCheckInterval)
				require.Equal(t, 20, f.ErrorThreshold)
				require.Equal(t, time.Minute, f.ErrorWindow)
				require.Equal(t, FailbackSticky, f.Failback, "without background checks a keeper leaves a working endpoint only when a call fails")
				require.False(t, f.PreferHigherPriority)
				g := c.Chains[0].Gateway
				require.True(t, g.Enabled, "a keeper's client fails over also without background checks")
				require.Equal(t, 20, g.FailureThreshold)
				require.Equal(t, 10*time.Millisecond, g.Cooldown)
			},
		},
		"the window is as long as the threshold needs": {
			environment: []string{"SOROBAN_RPC_URL", "https://a.example", "SOROBAN_RPC_URLS", "https://b.example", "RPC_FAILOVER_FAILURE_THRESHOLD", "100"},
			providers:   []provider{{"a.example", "https://a.example", "a.example"}, {"b.example", "https://b.example", "b.example"}},
			check: func(t *testing.T, c Config) {
				require.Equal(t, 100*7*time.Second, c.Chains[0].Failover.ErrorWindow)
			},
		},
		"a dollar is a dollar": {
			environment: []string{"SOROBAN_RPC_URL", "https://a.example/${KEY}", "SOROBAN_RPC_URLS", "https://b.example", "KEY", "no", "RPC_FAILOVER_ENABLED", "1"},
			providers:   []provider{{"a.example", "https://a.example/$%7BKEY%7D", "a.example"}, {"b.example", "https://b.example", "b.example"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, set, err := FromEnvironment(variables(test.environment...))
			require.NoError(t, err)
			require.True(t, set)
			require.Equal(t, "environment", c.Source)
			require.Len(t, c.Chains, 1)
			chain := c.Chains[0]
			require.Equal(t, "soroban", chain.Name)
			require.Equal(t, Stellar, chain.Kind)
			require.Equal(t, 5*time.Second, chain.BlockTime)
			var got []provider
			for i, p := range chain.Providers {
				require.Equal(t, SorobanRPC, p.Type)
				require.Equal(t, i+1, p.Priority)
				require.Equal(t, chain.Failover.HealthCheckInterval, p.HealthCheckInterval)
				got = append(got, provider{p.Name, p.RPCHost.Reveal().String(), p.Operator})
			}
			require.Equal(t, test.providers, got)
			if test.check != nil {
				test.check(t, c)
			}
		})
	}
}

func TestNoKeeperEnvironment(t *testing.T) {
	t.Parallel()
	for _, environment := range [][]string{nil, {"SOROBAN_RPC_URL", " "}, {"SOROBAN_RPC_URLS", "https://a.example"}} {
		c, set, err := FromEnvironment(variables(environment...))
		require.NoError(t, err)
		require.False(t, set)
		require.Empty(t, c.Chains)
	}
}

func TestKeeperEnvironmentMistakes(t *testing.T) {
	t.Parallel()
	_, set, err := FromEnvironment(variables(
		"SOROBAN_RPC_URL", "soroban.example/m4rk3r", "SOROBAN_RPC_URLS", "https://a.example, wss://b.example/m4rk3r",
		"RPC_FAILOVER_ENABLED", "m4rk3r", "RPC_FAILOVER_FAILURE_THRESHOLD", "0", "RPC_FAILOVER_COOLDOWN_MS", "30s",
		"RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS", "1.5",
	))
	require.True(t, set)
	require.IsType(t, Mistakes{}, err)
	require.Equal(t, `environment: RPC_FAILOVER_FAILURE_THRESHOLD: it is not a whole number of the possible size, 1 to 1000 is possible
environment: RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS: it is not a whole number of the possible size, 1 to 2592000000 is possible
environment: RPC_FAILOVER_COOLDOWN_MS: it is not a whole number of the possible size, 1 to 2592000000 is possible
environment: RPC_FAILOVER_ENABLED: it is not a boolean, true or false
environment: SOROBAN_RPC_URL: it needs the scheme http or https, such as http://localhost:8332
environment: SOROBAN_RPC_URLS[1]: it needs the scheme http or https, such as http://localhost:8332`, err.Error())
	require.NotContains(t, err.Error(), "m4rk3r")

	_, _, err = FromEnvironment(variables("SOROBAN_RPC_URL", "https://a.example", "RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS", "1"))
	require.EqualError(t, err, "environment: RPC_FAILOVER_HEALTH_CHECK_INTERVAL_MS: it is shorter than 10ms, such as 10s")
}
