package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.yml")
	f, err := os.Create(huge)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(maxFile+10))
	require.NoError(t, f.Close())
	for name, want := range map[string]string{
		filepath.Join(dir, "missing.yml"): ": the file cannot be opened, no such file or directory",
		dir:                               ": the file cannot be read, is a directory",
		huge:                              ": the file is larger than 32 MiB",
	} {
		_, err := Load(name, os.LookupEnv)
		require.IsType(t, Mistakes{}, err)
		require.EqualError(t, err, name+want)
	}
}

// TestRelativeFiles resolves the names of secret files from the folder of the
// configuration file, wherever the program runs.
func TestRelativeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("x"), 0o600))
	name := filepath.Join(dir, "understudy.yml")
	content := "chains:\n  btc:\n    providers:\n      - {name: a, type: bitcoin-rpc, rpc_host: 'http://localhost', http: {basic_auth: {username: a, password_file: token}}}\n"
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	c, err := Load(name, os.LookupEnv)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "token"), c.Chains[0].Providers[0].HTTP.BasicAuth.PasswordFile)
}

func TestExample(t *testing.T) {
	t.Parallel()
	c, err := Parse(ExampleName, Example, nil)
	require.NoError(t, err)
	require.Empty(t, c.Warnings, c.Warnings.Error())
	require.Len(t, c.Chains, 4)
	for _, chain := range c.Chains {
		require.GreaterOrEqual(t, len(chain.Providers), 3, chain.Name)
	}
	require.True(t, strings.HasPrefix(string(Example), "# yaml-language-server: $schema=../../docs/config.schema.json\n"))
}
