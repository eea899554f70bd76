package rules_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/rules"
)

func TestEveryRuleFileIsEmbeddedAndNamed(t *testing.T) {
	t.Parallel()
	inFolder, err := filepath.Glob("*.yml")
	require.NoError(t, err)
	inFolder = slices.DeleteFunc(inFolder, func(name string) bool { return strings.HasSuffix(name, "_test.yml") })
	require.ElementsMatch(t, inFolder, rules.FileNames())

	embedded, err := rules.Files.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, embedded, len(inFolder))
	for _, f := range embedded {
		require.Contains(t, inFolder, f.Name())
	}
}
