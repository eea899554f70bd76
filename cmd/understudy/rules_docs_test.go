package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// documented writes the rule file of the documentation and its test to a folder.
func documented(t *testing.T) (rules, test string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/rules.md")
	require.NoError(t, err)
	blocks := yamlBlock.FindAllSubmatch(text, -1)
	require.Len(t, blocks, 2, "the rules and their test")
	dir := t.TempDir()
	rules, test = filepath.Join(dir, "acme.yml"), filepath.Join(dir, "acme_test.yml")
	require.NoError(t, os.WriteFile(rules, blocks[0][1], 0o600))
	require.NoError(t, os.WriteFile(test, blocks[1][1], 0o600))
	return rules, test
}

func TestTheDocumentedRulesAreValid(t *testing.T) {
	t.Parallel()
	rules, _ := documented(t)
	r := call(nil, "check", "rules", "--fatal-warnings", rules)
	require.Equal(t, exitOK, r.status, r.stderr)
}

// Without one of these routes the controller would not hear what it has to.
func TestTheDocumentsNameEveryRouteToTheController(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/alertmanager/alertmanager.yml")
	require.NoError(t, err)
	routes := regexp.MustCompile(`(?m)^    - receiver: understudy\n      matchers: \['[a-z]+="([A-Za-z]+)"'\]$`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, routes, 3)
	for _, path := range []string{"rules.md", "operating.md"} {
		doc, err := os.ReadFile("../../docs/" + path)
		require.NoError(t, err)
		words := regexp.MustCompile(`(?m)^.*\broutes? (?:for|to).*$`).FindAllString(string(doc), -1)
		for _, r := range routes {
			require.Contains(t, strings.Join(words, "\n"), r[1], path)
		}
	}
}
