package config

import (
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
