package rulelint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/rulelint"
	"github.com/understudy-rpc/understudy/rules"
)

// bundled are the rule files that the program brings along.
func bundled(t testing.TB) []rulelint.File {
	t.Helper()
	var files []rulelint.File
	for _, name := range rules.FileNames() {
		text, err := rules.Files.ReadFile(name)
		require.NoError(t, err)
		files = append(files, rulelint.File{Name: name, Data: text})
	}
	return files
}

func TestBundledRulesAreClean(t *testing.T) {
	t.Parallel()
	for _, f := range rulelint.Lint(bundled(t)) {
		t.Error(f)
	}
}
