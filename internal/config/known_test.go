package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWellKnownChainsAreWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range chains {
		normal, wrong, _ := normalNetwork(k.kind, k.network)
		require.Empty(t, wrong, k.names)
		require.Equal(t, k.network, normal)
		require.Positive(t, k.blockTime)
		for _, name := range k.names {
			require.False(t, seen[name], name)
			seen[name] = true
			upper, ok := wellKnown(strings.ToUpper(name))
			require.True(t, ok)
			require.Equal(t, k, upper)
		}
		if k.blockchair != "" {
			kind, ok := blockchairKind("/" + k.blockchair + "/")
			require.True(t, ok)
			require.Equal(t, k.kind, kind)
		}
	}
	for _, k := range Kinds {
		require.Positive(t, familyBlockTimes[k], k)
	}
	_, ok := BlockchairPath("gaia")
	require.False(t, ok)
	path, ok := BlockchairPath("BCH")
	require.True(t, ok)
	require.Equal(t, "bitcoin-cash", path)
}
