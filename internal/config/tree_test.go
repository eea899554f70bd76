package config

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// eachScalar calls a function for every scalar of a document in turn. What the
// function does to the scalar is undone after it.
func eachScalar(t *testing.T, text []byte, f func(document, scalar *yaml.Node, isKey bool, path string)) {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &document))
	var visit func(n *yaml.Node, isKey bool, path string)
	visit = func(n *yaml.Node, isKey bool, path string) {
		switch n.Kind {
		case yaml.ScalarNode:
			before := *n
			f(document.Content[0], n, isKey, path)
			*n = before
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				at := join(path, n.Content[i].Value)
				visit(n.Content[i], true, at)
				visit(n.Content[i+1], false, at)
			}
		case yaml.SequenceNode:
			for i, item := range n.Content {
				visit(item, false, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	visit(document.Content[0], false, "")
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// branchAt finds the key at a path of a file.
func branchAt(path string) *branch {
	b := file
	path = strings.TrimPrefix(index.ReplaceAllString(path, ".[]"), "bifrost.")
	for s := range strings.SplitSeq(path, ".") {
		switch {
		case b == nil:
			return nil
		case b.each != nil:
			b = b.each
		default:
			b = b.child(s)
		}
	}
	return b
}

// keys are all keys of the tree.
func keys(b *branch) []*branch {
	var all []*branch
	for _, c := range b.children {
		all = append(append(all, c), keys(c)...)
	}
	if b.each != nil {
		all = append(append(all, b.each), keys(b.each)...)
	}
	return all
}

func TestEveryKeyOfTheTableIsInTheTree(t *testing.T) {
	t.Parallel()
	table := concat(chainKeys, providerKeys, httpKeys("chains.*.providers[].http"), failoverKeys, gatewayKeys)
	require.Len(t, keys(file), len(table))
	for _, b := range keys(file) {
		require.NotEmpty(t, b.doc, b.path)
		require.True(t, strings.HasSuffix(b.doc, "."), b.path)
		scalar := b.children == nil && b.each == nil
		require.Equal(t, scalar, b.example != "" && b.shape != shapeList, "%s: a single value has an example", b.path)
		item := b.name == "*" || b.name == "[]"
		require.Equal(t, !b.required && !item, b.standard != "", "%s: what is not required has a default", b.path)
	}
}

// TestEveryKeyIsUsedAndTyped finds each key of the table in a good file, and
// sees that a list in its place is refused there: so each key is read, and by
// its own shape.
func TestEveryKeyIsUsedAndTyped(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, name := range []string{"testdata/good/every-key.yml", "testdata/good/bifrost.yml"} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		eachScalar(t, content, func(document, scalar *yaml.Node, isKey bool, path string) {
			b := branchAt(path)
			if b == nil {
				return
			}
			used[b.path] = true
			if isKey || strings.Contains(path, "<<") {
				return
			}
			*scalar = yaml.Node{Kind: yaml.SequenceNode, Anchor: scalar.Anchor, Content: []*yaml.Node{text("a")}}
			_, err := (&reader{file: name, lookup: environment}).config(document)
			require.ErrorContains(t, err, path+": it is a list, not", "%s", name)
		})
	}
	for _, b := range keys(file) {
		if b.name != "*" && b.name != "[]" {
			require.True(t, used[b.path], "%s stands in no good file", b.path)
		}
	}
}

// TestEffectiveConfigurationIsAFile reads what Redacted prints: it is a valid
// file that says the same, but for what it hides.
func TestEffectiveConfigurationIsAFile(t *testing.T) {
	t.Parallel()
	for _, name := range append(files(t, "testdata/good/*.yml"), "example.yml") {
		first, err := Load(name, environment)
		require.NoError(t, err)
		text, err := first.Redacted()
		require.NoError(t, err)
		second, err := Parse("effective.yml", text, nil)
		if name == "testdata/good/unknown-chains.yml" {
			// The family of a chain with Blockchair alone stands in the path,
			// which is hidden; kind: says it instead, but the path is needed.
			require.ErrorContains(t, err, "Blockchair does not serve")
			continue
		}
		require.NoError(t, err, "%s\n%s", name, text)
		require.Len(t, second.Chains, len(first.Chains))
		for i, c := range second.Chains {
			require.Equal(t, first.Chains[i].Failover, c.Failover)
			require.Equal(t, first.Chains[i].Kind, c.Kind)
			require.Equal(t, first.Chains[i].Network, c.Network)
			require.Equal(t, first.Chains[i].Checkpoint, c.Checkpoint)
			for j, p := range c.Providers {
				require.Equal(t, first.Chains[i].Providers[j].Operator, p.Operator)
				require.Equal(t, first.Chains[i].Providers[j].Priority, p.Priority)
			}
		}
	}
}
