package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestVariables(t *testing.T) {
	t.Parallel()
	r := &reader{lookup: variables("A", "x", "B_1", "${A}", "EMPTY", "")}
	for in, want := range map[string]string{
		"plain": "plain", "${A}": "x", "a${A}b${A}c": "axbxc", "${B_1}": "${A}", "${EMPTY}": "", "$A": "$A", "$$": "$$", "$": "$",
		"$${A}": "${A}", "$${": "${", "$$${A}": "$${A}", "${A}$${A}": "x${A}", "{A}": "{A}", "a}b": "a}b",
	} {
		got, _, wrong, _ := r.expand(in)
		require.Empty(t, wrong, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"${", "${}", "${a b}", "${A", "${1}", "${A:-x}", "x${ A }"} {
		_, _, wrong, right := r.expand(in)
		require.Equal(t, "a ${ is not followed by the name of a variable and }", wrong, in)
		require.NotEmpty(t, right)
	}
	_, _, wrong, _ := r.expand("${A}${UNSET}")
	require.Equal(t, "the environment variable UNSET is not set", wrong)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a${}A]{0,12}`).Draw(t, "s")
		got, _, wrong, _ := r.expand(strings.ReplaceAll(s, "${", "$${"))
		require.Empty(t, wrong)
		require.Equal(t, s, got)
	})
}

func TestWhatIsNotInUTF8IsRefused(t *testing.T) {
	t.Parallel()
	const file = `chains: {btc: {providers: [{name: a, type: bitcoin-rpc, operator: "%s", rpc_host: "%s"}]}}`
	for name, c := range map[string]struct{ operator, address, want string }{
		"a variable":           {"${LATIN}", "http://localhost:8332", "what the variable brings in is not in UTF-8"},
		"a part of a variable": {"us, ${LATIN}", "http://localhost:8332", "what the variable brings in is not in UTF-8"},
		"a variable in a URL":  {"us", "http://${LATIN}.example", "what the variable brings in is not in UTF-8"},
		"a host":               {"us", "http://%FF.example", "its host is not in UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("test.yml", fmt.Appendf(nil, file, c.operator, c.address), variables("LATIN", "hunter2\xe9"))
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
	_, _, err := FromEnvironment(variables("SOROBAN_RPC_URL", "http://localhost:8000", "NETWORK_PASSPHRASE", "Caf\xe9"))
	require.ErrorContains(t, err, "NETWORK_PASSPHRASE: what the variable brings in is not in UTF-8")
}
