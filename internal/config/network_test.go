package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalNetwork(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("Ab", 32)
	for _, test := range []struct {
		kind     Kind
		in, want string
	}{
		{EVM, "1", "1"}, {EVM, "0x1", "1"}, {EVM, "0X2105", "8453"}, {EVM, "18446744073709551615", "18446744073709551615"},
		{EVM, "0x" + hash, strings.ToLower(hash)}, {EVM, hash, strings.ToLower(hash)},
		{EVM, "18446744073709551616", ""}, {EVM, "-1", ""}, {EVM, "1.0", ""}, {EVM, "mainnet", ""}, {EVM, "0x", ""}, {EVM, "1_000", ""}, {EVM, "+1", ""},
		{XRPL, "0", "0"}, {XRPL, "0x1", "1"}, {XRPL, hash, ""}, {XRPL, "main", ""},
		{Bitcoin, hash, strings.ToLower(hash)}, {Bitcoin, "0x" + hash, strings.ToLower(hash)}, {Bitcoin, hash[1:], ""}, {Bitcoin, "1", ""},
		{Tron, "0X" + hash, strings.ToLower(hash)}, {Tron, "0x2b6653dc", ""},
		{Solana, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"}, {Solana, "0eykt", ""},
		{Cosmos, "cosmoshub-4", "cosmoshub-4"}, {Stellar, pubnetPassphrase, pubnetPassphrase},
	} {
		got, wrong, right := normalNetwork(test.kind, test.in)
		require.Equal(t, test.want, got, "%s %s", test.kind, test.in)
		require.Equal(t, test.want == "", wrong != "" && right != "", "%s %s", test.kind, test.in)
		if got != "" {
			again, _, _ := normalNetwork(test.kind, got)
			require.Equal(t, got, again)
		}
	}
}
