package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const referenceFile = "../../docs/configuration.md"

// section is one generated table of the reference: the keys below a path.
type section struct {
	name, below string
	except      []string
}

var sections = []section{
	{"chain", "chains.*", []string{"chains.*.providers[]", "chains.*.failover.", "chains.*.gateway."}},
	{"provider", "chains.*.providers[]", []string{"chains.*.providers[].http."}},
	{"http", "chains.*.providers[].http", nil},
	{"failover", "chains.*.failover", nil},
	{"gateway", "chains.*.gateway", nil},
}

// TestEveryKeyStandsInTheReference keeps the tables of the reference equal to
// the table of keys, and the table of well-known chains to the chains.
func TestEveryKeyStandsInTheReference(t *testing.T) {
	content, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	text := string(content)
	documented := 0
	for _, s := range sections {
		table, n := keyTable(s)
		documented += n
		text = replaced(t, text, s.name, table)
	}
	text = replaced(t, text, "well-known", chainTable())
	golden(t, referenceFile, text)
	// "chains" and "chains.*" are described by the text around the tables.
	require.Equal(t, len(keys(file))-2-itemKeys(), documented)
	for _, variable := range []string{variableURL, variableURLs, variableEnabled, variableThreshold, variableCooldown, variableInterval, variablePassphrase} {
		require.Contains(t, text, "`"+variable+"`")
	}
	for _, word := range append(append(typeWords(), kindWords()...), capabilityWords...) {
		require.Contains(t, text, "`"+word+"`")
	}
}

// itemKeys counts the keys that are items of lists and members of tables; they
// stand in the line of their parent.
func itemKeys() int {
	n := 0
	for _, b := range keys(file) {
		if (b.name == "*" || b.name == "[]") && b.path != "chains.*" {
			n++
		}
	}
	return n
}

// TestExamplesOfTheReference loads each YAML block of the reference.
func TestExamplesOfTheReference(t *testing.T) {
	content, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(content), -1)
	require.GreaterOrEqual(t, len(blocks), 4)
	for _, block := range blocks {
		_, err := Parse("reference", []byte(block[1]), func(string) (string, bool) { return "value", true })
		require.NoError(t, err, block[1])
	}
}

// replaced puts a generated table between its marks.
func replaced(t *testing.T, text, name, table string) string {
	t.Helper()
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(text, begin)
	require.True(t, found, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, name)
	return before + begin + table + end + after
}

// keyTable is the table of a section with the number of keys in it.
func keyTable(s section) (string, int) {
	var b strings.Builder
	b.WriteString("| key | type | default | meaning | example |\n|---|---|---|---|---|\n")
	n := 0
	for _, k := range keys(file) {
		if !strings.HasPrefix(k.path, s.below+".") || k.name == "*" || k.name == "[]" || excepted(k.path, s.except) {
			continue
		}
		n++
		name := strings.TrimPrefix(k.path, s.below+".")
		standard, sample := k.standard, k.example
		if k.required {
			standard = "**required**"
		}
		if k.each != nil && k.each.example != "" && sample == "" {
			sample = "[" + k.each.example + "]"
			if k.shape == shapeTable {
				sample = "{NAME: " + k.each.example + "}"
			}
		}
		if sample != "" {
			sample = "`" + sample + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s | %s |\n", name, typeName(k), standard, k.doc, choices(k), sample)
	}
	return b.String(), n
}

func excepted(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// typeName is a key's type for an operator.
func typeName(b *branch) string {
	switch b.shape {
	case shapeTable:
		return typeName(b.each) + " by name"
	case shapeList:
		return "list of " + typeName(b.each) + "s"
	case shapeInteger:
		return fmt.Sprintf("integer, %d to %d", b.min, b.max)
	case shapeAddress:
		return "URL"
	case shapeIdentity:
		return "text or integer"
	default:
		return string(b.shape)
	}
}

// choices are the words that a key takes.
func choices(b *branch) string {
	words := b.words
	if b.shape == shapeList {
		words = b.each.words
	}
	if len(words) == 0 {
		return ""
	}
	return " One of `" + strings.Join(words, "`, `") + "`."
}

// chainTable is the table of well-known chains.
func chainTable() string {
	var b strings.Builder
	b.WriteString("| name | kind | block time | network | path at Blockchair |\n|---|---|---|---|---|\n")
	for _, k := range chains {
		network := "`" + k.network + "`"
		if c := k.checkpoint; c != nil {
			network += fmt.Sprintf(" with block %d `%s`", c.Height, c.Hash)
		}
		blockchair := ""
		if k.blockchair != "" {
			blockchair = "`/" + k.blockchair + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", strings.Join(k.names, "`, `"), k.kind, formatDuration(k.blockTime), network, blockchair)
	}
	return b.String()
}
