package config

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzParse reads anything without panic: the result is mistakes that say
// something, or a configuration that readers need not check again and that
// prints no part of a URL beyond its host.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yml", "testdata/bad/*.yml", "example.yml"} {
		names, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, name := range names {
			if content, err := os.ReadFile(name); err == nil && len(content) < 4096 {
				f.Add(content)
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := Parse("testdata/good/fuzz.yml", content, environment)
		if err != nil {
			mistakes, ok := err.(Mistakes)
			require.True(t, ok)
			require.NotEmpty(t, mistakes)
			for _, m := range mistakes {
				require.NotEmpty(t, m.Wrong)
				require.Positive(t, m.Line)
				require.True(t, utf8.ValidString(m.Error()))
			}
			return
		}
		require.NotEmpty(t, c.Chains)
		for i, chain := range c.Chains {
			requireValid(t, chain)
			for j := range chain.Providers {
				u, err := ParseURL("https://" + marker + "@host.example/" + marker + "?" + marker)
				require.NoError(t, err)
				c.Chains[i].Providers[j].RPCHost = u
			}
		}
		effective, err := c.Redacted()
		require.NoError(t, err)
		require.NotContains(t, string(effective), marker)
	})
}

func requireValid(t *testing.T, c Chain) {
	require.Regexp(t, usableName, c.Name)
	require.Contains(t, Kinds, c.Kind)
	require.Positive(t, c.BlockTime)
	require.NotEmpty(t, c.Providers)
	require.Positive(t, c.Failover.SuspectCheckInterval)
	require.Positive(t, c.Failover.RequestTimeout)
	require.Contains(t, []int{1, 2, 3}, c.Failover.TipQuorum)
	names := map[string]bool{}
	for _, p := range c.Providers {
		require.Regexp(t, usableName, p.Name)
		require.False(t, names[p.Name])
		names[p.Name] = true
		require.Contains(t, Types, p.Type)
		require.Contains(t, []Kind{"", c.Kind}, p.Type.Kind())
		require.False(t, p.RPCHost.IsZero())
		require.NotEmpty(t, p.Operator)
		require.Positive(t, p.HealthCheckInterval)
	}
}
