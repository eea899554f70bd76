package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files, the JSON Schema and the tables of the documentation")

// environment is what the files of testdata find in it.
func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"SECRET": "variable-secret-77ab", "CHAIN_ID": "0x1", "NAME": "vendor", "TYPE": "evm-rpc", "HOST": "rpc.vendor.example",
		"NUMBER": "7", "FALSE": "false", "DURATION": "20s", "WORD": "manual", "EMPTY": "",
	}[name]
	return v, ok
}

// golden compares with the content of a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "write it with: go test ./internal/config -update")
	require.Equal(t, string(want), got)
}

func TestGoodFiles(t *testing.T) {
	for _, name := range files(t, "testdata/good/*.yml") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			c, err := Load(name, environment)
			require.NoError(t, err)
			effective, err := c.Redacted()
			require.NoError(t, err)
			got := string(effective)
			if len(c.Warnings) > 0 {
				got += "# " + strings.ReplaceAll(c.Warnings.Error(), "\n", "\n# ") + "\n"
			}
			golden(t, strings.TrimSuffix(name, ".yml")+".effective", got)
		})
	}
}

func TestBadFiles(t *testing.T) {
	names := files(t, "testdata/bad/*.yml")
	require.GreaterOrEqual(t, len(names), 35)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			_, err := Load(name, environment)
			var mistakes Mistakes
			require.ErrorAs(t, err, &mistakes)
			if filepath.Base(name) == "ten-mistakes.yml" {
				require.Len(t, mistakes, 10)
			} else {
				require.Len(t, mistakes, 1, err.Error())
			}
			// hunter2 is the password in these files.
			require.NotContains(t, err.Error(), "hunter2")
			golden(t, strings.TrimSuffix(name, ".yml")+".txt", err.Error()+"\n")
		})
	}
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}
