package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"bitcoinrpc": "bitcoin-rpc", "Bitcoin-RPC": "bitcoin-rpc", "bitcoin_rpc": "bitcoin-rpc", "evm": "evm-rpc", "bi": "", "evmrpc": "evm-rpc", "ethereum": "", "": "",
		"esplora": "esplora-rest", strings.Repeat("x", 100): "",
	} {
		require.Equal(t, want, closest(word, typeWords()), word)
	}
	require.Equal(t, 3, editDistance("kitten", "sitting"))
	require.Equal(t, 4, editDistance("", "four"))
}
