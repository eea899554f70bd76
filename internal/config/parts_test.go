package config

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDefaultOperator(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://xxx.quiknode.pro/key":             "quiknode.pro",
		"https://api.blockchair.com":               "blockchair.com",
		"https://API.Blockchair.COM.:443":          "blockchair.com",
		"https://a.b.example.co.uk":                "example.co.uk",
		"https://one.herokuapp.com":                "one.herokuapp.com",
		"https://node.example:8545":                "node.example",
		"http://localhost:8332":                    "localhost:8332",
		"http://localhost":                         "localhost:80",
		"https://localhost":                        "localhost:443",
		"http://127.0.0.1:8332":                    "127.0.0.1:8332",
		"http://[::1]:8332":                        "[::1]:8332",
		"http://[::ffff:10.0.0.1]:1":               "[::ffff:10.0.0.1]:1",
		"http://10.1.2.3:1":                        "10.1.2.3:1",
		"http://172.16.0.1:1":                      "172.16.0.1:1",
		"http://192.168.0.1:1":                     "192.168.0.1:1",
		"http://169.254.0.1:1":                     "169.254.0.1:1",
		"http://100.64.0.1:1":                      "100.64.0.1:1",
		"http://[fd00::1]:1":                       "[fd00::1]:1",
		"http://[fe80::1]:1":                       "[fe80::1]:1",
		"http://0.0.0.0:1":                         "0.0.0.0:1",
		"http://bitcoind:8332":                     "bitcoind:8332",
		"http://node.local:1":                      "node.local:1",
		"http://node.corp.internal:1":              "node.corp.internal:1",
		"http://btc.chains.svc:1":                  "btc.chains.svc:1",
		"http://btc.chains.svc.cluster.local:8332": "btc.chains.svc.cluster.local:8332",
		"http://8.8.8.8:8332":                      "8.8.8.8",
		"http://[2001:4860:4860::8888]:1":          "2001:4860:4860::8888",
		"https://com":                              "com:443",
		"https://co.uk":                            "co.uk",
	} {
		u, err := ParseURL(address)
		require.NoError(t, err, address)
		require.Equal(t, want, defaultOperator(u), address)
	}
}

func TestNormalNetwork(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("Ab", 32)
	for _, test := range []struct {
		kind     Kind
		in, want string
	}{
		{EVM, "1", "1"}, {EVM, "0x1", "1"}, {EVM, "0X2105", "8453"}, {EVM, "18446744073709551615", "18446744073709551615"},
		{EVM, "0x" + hash, strings.ToLower(hash)}, {EVM, hash, strings.ToLower(hash)},
		{EVM, "18446744073709551616", ""}, {EVM, "-1", ""}, {EVM, "1.0", ""}, {EVM, "mainnet", ""}, {EVM, "0x", ""}, {EVM, "1_000", ""}, {EVM, "+1", ""},
		{XRPL, "0", "0"}, {XRPL, "0x1", "1"}, {XRPL, hash, ""}, {XRPL, "main", ""},
		{Bitcoin, hash, strings.ToLower(hash)}, {Bitcoin, "0x" + hash, strings.ToLower(hash)}, {Bitcoin, hash[1:], ""}, {Bitcoin, "1", ""},
		{Tron, "0X" + hash, strings.ToLower(hash)}, {Tron, "0x2b6653dc", ""},
		{Solana, "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"}, {Solana, "0eykt", ""},
		{Cosmos, "cosmoshub-4", "cosmoshub-4"}, {Stellar, pubnetPassphrase, pubnetPassphrase},
	} {
		got, wrong, right := normalNetwork(test.kind, test.in)
		require.Equal(t, test.want, got, "%s %s", test.kind, test.in)
		require.Equal(t, test.want == "", wrong != "" && right != "", "%s %s", test.kind, test.in)
		if got != "" {
			again, _, _ := normalNetwork(test.kind, got)
			require.Equal(t, got, again)
		}
	}
}

func TestWellKnownChainsAreWellFormed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range chains {
		normal, wrong, _ := normalNetwork(k.kind, k.network)
		require.Empty(t, wrong, k.names)
		require.Equal(t, k.network, normal)
		require.Positive(t, k.blockTime)
		for _, name := range k.names {
			require.False(t, seen[name], name)
			seen[name] = true
			upper, ok := wellKnown(strings.ToUpper(name))
			require.True(t, ok)
			require.Equal(t, k, upper)
		}
		if k.blockchair != "" {
			kind, ok := blockchairKind("/" + k.blockchair + "/")
			require.True(t, ok)
			require.Equal(t, k.kind, kind)
		}
	}
	for _, k := range Kinds {
		require.Positive(t, familyBlockTimes[k], k)
	}
	_, ok := BlockchairPath("gaia")
	require.False(t, ok)
	path, ok := BlockchairPath("BCH")
	require.True(t, ok)
	require.Equal(t, "bitcoin-cash", path)
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]time.Duration{
		"10s": 10 * time.Second, "5m": 5 * time.Minute, "1d": 24 * time.Hour, "1w": 7 * 24 * time.Hour, "1h30m": 90 * time.Minute,
		"1.5s": 1500 * time.Millisecond, "500ms": 500 * time.Millisecond, "0": 0, "0s": 0, "1m30s": 90 * time.Second, "30d": maxDuration, "10ms": minDuration,
	} {
		got, err := parseDuration(in)
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
	for in, want := range map[string]string{
		"": "it is not a duration", "10": "it has no unit", "1.5": "it has no unit", "-10s": "it is negative", "ten": "it is not a duration", "10 s": "it is not a duration",
		"s": "it is not a duration", "31d": "it is longer than 30 days", "1y": "it is longer than 30 days", "9ms": "it is shorter than 10ms", "1ns": "it is shorter than 10ms",
		"1d1.5s": "it is not a duration", "99999999999999h": "it is not a duration", "+5s": "it is not a duration", "5s ": "it is not a duration",
	} {
		_, err := parseDuration(in)
		require.EqualError(t, err, want, in)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(int64(minDuration), int64(maxDuration)).Draw(t, "d"))
		got, err := parseDuration(formatDuration(d))
		require.NoError(t, err, formatDuration(d))
		require.Equal(t, d, got)
	})
}

func TestVariables(t *testing.T) {
	t.Parallel()
	r := &reader{lookup: variables("A", "x", "B_1", "${A}", "EMPTY", "")}
	for in, want := range map[string]string{
		"plain": "plain", "${A}": "x", "a${A}b${A}c": "axbxc", "${B_1}": "${A}", "${EMPTY}": "", "$A": "$A", "$$": "$$", "$": "$",
		"$${A}": "${A}", "$${": "${", "$$${A}": "$${A}", "${A}$${A}": "x${A}", "{A}": "{A}", "a}b": "a}b",
	} {
		got, _, wrong, _ := r.expand(in)
		require.Empty(t, wrong, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"${", "${}", "${a b}", "${A", "${1}", "${A:-x}", "x${ A }"} {
		_, _, wrong, right := r.expand(in)
		require.Equal(t, "a ${ is not followed by the name of a variable and }", wrong, in)
		require.NotEmpty(t, right)
	}
	_, _, wrong, _ := r.expand("${A}${UNSET}")
	require.Equal(t, "the environment variable UNSET is not set", wrong)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a${}A]{0,12}`).Draw(t, "s")
		got, _, wrong, _ := r.expand(strings.ReplaceAll(s, "${", "$${"))
		require.Empty(t, wrong)
		require.Equal(t, s, got)
	})
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"bitcoinrpc": "bitcoin-rpc", "Bitcoin-RPC": "bitcoin-rpc", "bitcoin_rpc": "bitcoin-rpc", "evm": "evm-rpc", "bi": "", "evmrpc": "evm-rpc", "ethereum": "", "": "",
		"esplora": "esplora-rest", strings.Repeat("x", 100): "",
	} {
		require.Equal(t, want, closest(word, typeWords()), word)
	}
	require.Equal(t, 3, editDistance("kitten", "sitting"))
	require.Equal(t, 4, editDistance("", "four"))
}

func TestURLShowsSchemeAndHostOnly(t *testing.T) {
	t.Parallel()
	u, err := ParseURL("https://user:secret@host.example:8332/secret?key=secret")
	require.NoError(t, err)
	const shown = "https://host.example:8332"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%T-%v"} {
		require.NotContains(t, fmt.Sprintf(strings.TrimPrefix(verb, "%T-"), u), "secret")
	}
	require.Equal(t, shown, u.String())
	require.Equal(t, `"`+shown+`"`, fmt.Sprintf("%q", u))
	require.Equal(t, `config.URL("`+shown+`")`, u.GoString())
	require.Equal(t, "host.example:8332", u.Host())
	require.Equal(t, "https://user:secret@host.example:8332/secret?key=secret", u.Reveal().String())
	changed := u.Reveal()
	changed.Path = "/other"
	require.Equal(t, "/secret", u.Reveal().Path, "what is revealed is a copy")
	require.True(t, URL{}.IsZero())
	require.Equal(t, "  ", strings.Join([]string{URL{}.String(), URL{}.Host(), URL{}.Reveal().String()}, " "))
}

func TestRequestsPerMonth(t *testing.T) {
	t.Parallel()
	off := Chain{BlockTime: 10 * time.Minute}
	hashes, each := off, off
	hashes.Failover.Integrity = Integrity{Enabled: true, Interval: time.Minute}
	each.Failover.Integrity = Integrity{Enabled: true, Interval: time.Minute, Transactions: true}
	p := Provider{HealthCheckInterval: 10 * time.Second}
	all := Cost{Cycle: 1, NewBlock: 2, Identity: 1, Hints: 2, Capabilities: 3, Block: 1, BlockTransactions: 4}
	const cycles, minutes, hours, blocks = 259_200, 43_200, 720, 4_320
	require.Equal(t, cycles, p.RequestsPerMonth(Cost{Cycle: 1}, off))
	require.Equal(t, cycles+2*blocks, p.RequestsPerMonth(Cost{Cycle: 1, NewBlock: 2}, off))
	require.Equal(t, cycles, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1}, off), "blocks that are not compared cost nothing")
	require.Equal(t, cycles+minutes, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1, BlockTransactions: 4}, hashes))
	require.Equal(t, cycles+5*minutes, p.RequestsPerMonth(Cost{Cycle: 1, Block: 1, BlockTransactions: 4}, each))
	require.Equal(t, cycles+hours, p.RequestsPerMonth(Cost{Cycle: 1, Identity: 1}, off))
	require.Equal(t, cycles+minutes, p.RequestsPerMonth(Cost{Cycle: 1, Identity: 1}, hashes), "proven before each comparison")
	require.Equal(t, cycles+2*blocks+minutes+2*hours+3*hours+5*minutes, p.RequestsPerMonth(all, each))
	p.HealthCheckInterval = 2 * time.Hour
	require.Equal(t, 360*(1+2+1+2+3), p.RequestsPerMonth(all, off), "what is due is asked with each probe")
	p.HealthCheckInterval = 7 * time.Hour
	require.Equal(t, int(math.Ceil(30*24/7.0)), p.RequestsPerMonth(Cost{Cycle: 1}, off))
	require.Zero(t, Provider{}.RequestsPerMonth(all, each))
}

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
