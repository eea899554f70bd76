package rulelint_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/rulelint"
	"github.com/understudy-rpc/understudy/rules"
)

var update = flag.Bool("update", false, "write the golden files")

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

// report is what is said, a line per finding.
func report(files ...rulelint.File) string {
	var b strings.Builder
	for _, f := range rulelint.Lint(files) {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

func TestBundledRulesAreClean(t *testing.T) {
	t.Parallel()
	require.Empty(t, report(bundled(t)...))
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yml"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			got := report(rulelint.File{Name: filepath.Base(name), Data: text})
			golden := strings.TrimSuffix(name, ".yml") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "write it with: go test ./controller/rulelint -update")
			require.Empty(t, cmp.Diff(string(want), got))
		})
	}
}

// TestEveryCheckIsFoundAndDocumented holds the checks, the bad files and the
// documentation together.
func TestEveryCheckIsFoundAndDocumented(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("lint.go")
	require.NoError(t, err)
	names := regexp.MustCompile(`(?m)^\tcheck\w+ += "([a-z-]+)"$`).FindAllSubmatch(program, -1)
	require.GreaterOrEqual(t, len(names), 12)
	documentation, err := os.ReadFile("../../docs/rules.md")
	require.NoError(t, err)
	goldens, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	var found strings.Builder
	for _, name := range goldens {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		found.Write(text)
	}
	for _, name := range names {
		require.Contains(t, string(documentation), "\n| `"+string(name[1])+"` |")
		require.Contains(t, found.String(), "["+string(name[1])+"]\n")
	}
}
