package config

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const schemaFile = "../../docs/config.schema.json"

// beyondSchema are the bad files whose mistake a schema cannot see, with the
// reason; all others must fail it.
var beyondSchema = map[string]string{
	// The text itself, before there is anything to validate.
	"not-yaml": "syntax", "tab": "syntax", "not-utf8": "syntax", "unknown-anchor": "syntax", "second-document": "syntax",
	"duplicate-key": "syntax", "duplicate-chain": "syntax", "list-as-key": "syntax", "alias-loop": "syntax",
	"alias-laughs": "syntax", "merge-not-a-mapping": "syntax", "tagged": "syntax",
	// Texts have no pattern.
	"gateway-method-unusable": "notation",
	// JSON Schema knows one number: an octal 8 is a whole number.
	"priority-is-octal": "notation",
	// The sum of several keys.
	"name-twice": "several keys", "all-disabled": "several keys", "families-mixed": "several keys",
	"family-of-another-chain": "several keys", "family-against-kind": "several keys", "kind-not-told": "several keys",
	"blockchair-not-served": "several keys", "blockchair-of-another-family": "several keys",
	"network-evm": "several keys", "network-bitcoin": "several keys", "network-solana": "several keys",
	"checkpoint-hash": "several keys", "checkpoint-solana": "several keys",
	"observed-height-empty": "several keys", "observed-height-twice": "several keys",
	"gateway-attempt-too-long": "several keys", "gateway-hedge-too-late": "several keys",
	"failback-contradicts": "several keys", "timeout-above-interval": "several keys", "timeout-above-own-interval": "several keys",
	"suspect-above-interval": "several keys", "threshold-never-hanging": "several keys", "threshold-never-refusing": "several keys",
	"threshold-just-not": "several keys", "latency-above-timeout": "several keys", "stall-below-interval": "several keys",
	"stall-below-own-interval": "several keys", "integrity-below-interval": "several keys",
	"http-two-authorizations": "several keys", "http-basic-as-authorization": "several keys", "http-password-twice": "several keys",
	"http-beside-url-credentials": "several keys", "http-cert-without-key": "several keys", "http-no-proxy-alone": "several keys", "http-header-reserved": "several keys",
	"bifrost-without-providers": "several keys",
	// What a pattern would say less clearly, or not at all.
	"url-fragment": "value", "url-bad-port": "value", "url-port-too-large": "value", "operator-two-lines": "value",
	"duration-zero": "value", "duration-too-short": "value", "duration-too-long": "value",
	"observed-height-metric-name": "value", "observed-height-label": "value", "http-header-name": "value",
	// The world outside the file.
	"http-file-missing": "environment", "http-file-is-a-folder": "environment",
	"variable-unset": "environment", "variable-empty": "environment", "variable-not-closed": "environment",
	"variable-without-name": "environment", "variable-of-wrong-type": "environment", "variable-not-a-url": "environment",
}

func TestSchemaIsGenerated(t *testing.T) {
	made, err := Schema()
	require.NoError(t, err)
	golden(t, schemaFile, string(made))
}

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	schema := compile(t)
	for _, name := range append(files(t, "testdata/good/*.yml"), "example.yml") {
		require.NoError(t, schema.Validate(instance(t, name)), name)
	}
}

func TestSchemaAcceptsTheEffectiveConfiguration(t *testing.T) {
	schema := compile(t)
	for _, name := range files(t, "testdata/good/*.effective") {
		require.NoError(t, schema.Validate(instance(t, name)), name)
	}
}

func TestSchemaRefusesBadFiles(t *testing.T) {
	schema := compile(t)
	seen := map[string]bool{}
	for _, name := range files(t, "testdata/bad/*.yml") {
		base := name[len("testdata/bad/") : len(name)-len(".yml")]
		reason, beyond := beyondSchema[base]
		seen[base] = true
		switch {
		case reason == "syntax":
		case beyond:
			require.NoError(t, schema.Validate(instance(t, name)), "%s is listed as beyond the schema", base)
		default:
			require.Error(t, schema.Validate(instance(t, name)), base)
		}
	}
	for base := range beyondSchema {
		require.True(t, seen[base], "%s is listed and does not exist", base)
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("schema.json", document))
	schema, err := compiler.Compile("schema.json")
	require.NoError(t, err)
	return schema
}

// instance is a YAML file as the values that a schema validates.
func instance(t *testing.T, name string) any {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	require.NoError(t, err)
	var v any
	require.NoError(t, yaml.Unmarshal(text, &v), name)
	return plainJSON(v)
}

// plainJSON replaces what YAML has and JSON has not.
func plainJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, m := range v {
			v[k] = plainJSON(m)
		}
	case map[any]any:
		m := map[string]any{}
		for k, each := range v {
			m[k.(string)] = plainJSON(each)
		}
		return m
	case []any:
		for i, m := range v {
			v[i] = plainJSON(m)
		}
	case time.Time:
		return v.String()
	}
	return v
}
