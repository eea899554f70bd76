package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// marker is found in no output.
const marker = "m4rk3r"

// printed is everything that can be printed of a configuration.
func printed(t *testing.T, c Config) string {
	t.Helper()
	var b bytes.Buffer
	redacted, err := c.Redacted()
	require.NoError(t, err)
	b.Write(redacted)
	for _, v := range []any{c, &c, c.Chains, c.Chains[0].Providers, c.Chains[0].Providers[0], c.Chains[0].Providers[0].RPCHost, c.Chains[0].ObservedHeight} {
		fmt.Fprintf(&b, "%v\n%+v\n%s\n%q\n%d\n", v, v, v, v, v)
		j, err := json.Marshal(v)
		require.NoError(t, err)
		b.Write(j)
		y, err := yaml.Marshal(v)
		require.NoError(t, err)
		b.Write(y)
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "value", v)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "value", v)
	}
	fmt.Fprintf(&b, "%#v\n%#v\n%x\n", c, c.Chains[0].Providers[0].RPCHost, c.Chains[0].Providers[0].RPCHost)
	return b.String()
}

const marked = `
chains:
  btc:
    observed_height:
      metric: {url: "http://u5er-m4rk3r:m4rk3r@host.example/m4rk3r?m4rk3r=m4rk3r", name: scanner_height}
    providers:
      - name: a
        type: bitcoin-rpc
        rpc_host: https://m4rk3r:m4rk3r@host.example:8332/m4rk3r/m4rk3r?m4rk3r=m4rk3r
        http:
          proxy_url: http://m4rk3r:m4rk3r@proxy.example/m4rk3r
          proxy_connect_header: {X-Proxy: [m4rk3r]}
          http_headers: {X-Key: {secrets: [m4rk3r], values: [m4rk3r]}}
          tls_config: {cert: PEM, key: m4rk3r}
      - name: b
        type: esplora-rest
        rpc_host: https://other.example/${KEY}
        http:
          authorization: {credentials: "${KEY}"}
      - name: c
        type: esplora-rest
        rpc_host: https://third.example/?key=${KEY}
        http:
          oauth2:
            client_id: id
            client_secret: ${KEY}
            token_url: https://auth.example/${KEY}
            endpoint_params: {key: "${KEY}"}
            claims: {key: "${KEY}"}
            proxy_url: socks5://m4rk3r@proxy.example
            proxy_connect_header: {X-Proxy: [m4rk3r]}
            tls_config: {cert: PEM, key: m4rk3r}
  eth:
    observed_height: {thornode_url: "https://m4rk3r@host.example/m4rk3r"}
    providers:
      - {name: a, type: evm-rpc, rpc_host: "http://host.example/v2/m4rk3r", http: {basic_auth: {username: user, password: m4rk3r}}}
      - {name: b, type: evm-rpc, rpc_host: "http://host.example/v2/m4rk3r"}
  bch:
    observed_height: {bifrost_status_url: "https://host.example/m4rk3r"}
    providers:
      - {name: a, type: blockchair-rest, rpc_host: "https://api.blockchair.com/?k=m4rk3r"}
`

func keyOnly(name string) (string, bool) { return marker, name == "KEY" }

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	c, err := Parse("marked.yml", []byte(marked), keyOnly)
	require.NoError(t, err)
	require.NotEmpty(t, c.Warnings)
	out := printed(t, c)
	requireHidden(t, out, "the marked file")
	// The secrets are there for those that may know them.
	require.Contains(t, c.Chains[0].Providers[0].RPCHost.Reveal().String(), marker)
	require.EqualValues(t, marker, c.Chains[1].Providers[0].HTTP.BasicAuth.Password)
}

// requireHidden fails with the surroundings of the marker, not with the whole text.
func requireHidden(t *testing.T, out, where string) {
	t.Helper()
	for _, form := range []string{marker, fmt.Sprintf("%x", marker), fmt.Sprintf("%X", marker)} {
		if i := strings.Index(out, form); i >= 0 {
			require.Fail(t, "a secret is printed", "%s: …%s…", where, out[max(0, i-80):min(len(out), i+40)])
		}
	}
}

// TestNoMistakePrintsAValue puts a secret into each place of good files in turn: as a value, as a variable, in a URL, as a key. Whatever mistake that
// makes, and whatever is printed where it makes none, does not repeat it.
func TestNoMistakePrintsAValue(t *testing.T) {
	t.Parallel()
	url, variable := "https://"+marker+"@h.example/"+marker, "${KEY}"
	for name, forms := range map[string][]string{
		"testdata/good/every-key.yml": {url, variable},
		"testdata/good/bifrost.yml":   {url, "http://h.example/${KEY}", variable, "${" + marker, "5" + marker + " 1"},
	} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, form := range forms {
			eachScalar(t, text, func(document, scalar *yaml.Node, isKey bool, path string) {
				if isKey && form != url {
					return
				}
				scalar.Value, scalar.Tag, scalar.Style = form, "!!str", yaml.DoubleQuotedStyle
				r := &reader{file: name, lookup: both(keyOnly, environment)}
				c, err := r.config(document)
				switch {
				case err != nil:
					requireHidden(t, err.Error(), name+" at "+path)
				case !isKey && hides(path):
					effective, err := c.Redacted()
					require.NoError(t, err)
					requireHidden(t, string(effective)+c.Warnings.Error(), name+" at "+path)
				}
			})
		}
	}
}

// hides says whether the key at a path has a value that is not to be shown.
func hides(path string) bool {
	b := branchAt(path)
	return b != nil && (b.shape == shapeAddress || b.shape == shapeSecret)
}

func both(a, b func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := a(name); ok {
			return v, ok
		}
		return b(name)
	}
}

// TestSyntaxErrorsPrintNothing breaks the text itself around a secret.
func TestSyntaxErrorsPrintNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: *" + marker, "a: [" + marker, "a: {" + marker + ": ", "a: \"" + marker, "a: !" + marker + "!x y", "%TAG ! " + marker + "\n---\na: b",
		"a: '" + marker, "a: b: " + marker, "\t" + marker + ": a", "a: &" + marker + " b\nc: *" + marker + "d", marker, "- " + marker, "? " + marker + " x",
		"a: |\n" + marker, "a: @" + marker, "a: `" + marker + "`", "%YAML " + marker + "\n---\n", "a: \"\\" + marker + "\"", "bifrost: " + marker,
		"chains: " + marker, "chains: {" + marker + " x: 5}", "<<: " + marker, "chains: {a: {<<: *" + marker + "}}",
	} {
		_, err := Parse("x.yml", []byte(text), keyOnly)
		require.Error(t, err, text)
		requireHidden(t, err.Error(), text)
	}
}
