package console

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// update writes the golden files anew: go test ./controller/console -update.
var update = flag.Bool("update", false, "write the golden files anew")

// now is when everything is looked at.
var now = time.Date(2026, 11, 30, 2, 3, 12, 0, time.UTC)

// read reads an answer of a controller.
func read[T any](t testing.TB, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	var value T
	require.NoError(t, json.Unmarshal(text, &value))
	return value
}

// golden compares text with a file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

// requirePresentable fails for text that does not fit a terminal, or that says
// what it must not.
func requirePresentable(t *testing.T, text string) {
	t.Helper()
	require.NotContains(t, text, "SECRET")
	require.NotContains(t, text, "\x1b")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, utf8.RuneCountInString(line), width, line)
		require.Equal(t, strings.TrimRight(line, " "), line, "blanks at the end")
	}
}

func TestStatusOfAFleet(t *testing.T) {
	t.Parallel()
	text := Status(read[wire.ChainList](t, "fleet").Chains, now, Style{})
	requirePresentable(t, text)
	golden(t, "fleet.status", text)
}

func TestStatusOfAChain(t *testing.T) {
	t.Parallel()
	text := Status([]wire.Chain{read[wire.Chain](t, "failover")}, now, Style{})
	requirePresentable(t, text)
	golden(t, "failover.status", text)
}

func TestExplanations(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"failover", "nobody", "split", "orders"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := Explain(read[wire.Chain](t, name), now, Style{})
			requirePresentable(t, text)
			golden(t, name+".explain", text)
		})
	}
}

func TestFactsThatTheReasonNamesAreNotSaidTwice(t *testing.T) {
	t.Parallel()
	e := wire.Event{
		Reason: "failover: vendor inconsistent (ProviderInconsistent)", From: "vendor", To: "own",
		Kind: "failover", Facts: []string{"ProviderInconsistent", "ProviderSlow"},
	}
	require.Equal(t, "vendor -> own: vendor inconsistent (ProviderInconsistent) [ProviderSlow]", happening(e))
	e.Reason = "failover: vendor down (timeout), ProviderSlowly"
	require.Equal(t, []string{"ProviderInconsistent", "ProviderSlow"}, Unsaid(e))
}

func TestStatusWithoutChainsSaysSo(t *testing.T) {
	t.Parallel()
	require.Equal(t, "No chains are configured.\n", Status(nil, now, Style{}))
}

func TestColoursMoveNoColumn(t *testing.T) {
	t.Parallel()
	chains := read[wire.ChainList](t, "fleet").Chains
	coloured := Status(chains, now, Style{Colour: true})
	require.Contains(t, coloured, "\x1b[31munhealthy\x1b[0m")
	require.Contains(t, coloured, "eth: \x1b[31mnone\x1b[0m, nobody serves")
	plain := coloured
	for _, c := range append(slices.Collect(maps.Values(colours)), "\x1b[0m") {
		plain = strings.ReplaceAll(plain, c, "")
	}
	require.Equal(t, Status(chains, now, Style{}), plain)
	require.Contains(t, Explain(chains[0], now, Style{Colour: true}), "\x1b[32mok\x1b[0m")
}

func TestNothingFromOutsideSteersTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain text", "disk swap", "disk swap"},
		{"letters of any script stay", "Überprüft 日本", "Überprüft 日本"},
		{"line breaks and tabs are blanks", "a\r\n\tb\v c ", "a b c"},
		{"a sequence that clears the screen", "a\x1b[2Jb", "a\uFFFD[2Jb"},
		{"one in eight bits", "a\u009b2Jb", "a\uFFFD2Jb"},
		{"text that turns its direction", "a\u202Eb", "a\uFFFDb"},
		{"a byte that is no UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, Line(c.text))
		})
	}
}

func TestAddressesAreSchemeAndHost(t *testing.T) {
	t.Parallel()
	c := read[wire.Chain](t, "failover")
	require.Contains(t, c.Providers[0].RPCHost, "SECRET")
	redacted := Redact(c)
	require.Equal(t, "https://quicknode.example", redacted.Providers[0].RPCHost)
	require.Contains(t, c.Providers[0].RPCHost, "SECRET", "what was given in is left alone")
	for _, broken := range []string{"", "no address", "://PATHSECRET", "PATHSECRET@host", "mailto:PATHSECRET"} {
		require.Empty(t, host(broken), broken)
	}
}
