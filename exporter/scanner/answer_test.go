package scanner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// read parses a body in the format of a kind of source and reads one height.
func read(from, chain, body string, metric *config.MetricSource) (uint64, *Failure) {
	a, f := endpoint{from: from}.parse([]byte(body))
	if f != nil {
		return 0, f
	}
	return a.height(chain, metric)
}

// scannerStatus is what Bifrost answers, cut to three chains.
const scannerStatus = `{
  "BTC": {"chain":"BTC","chain_height":900010,"block_scanner_height":900007,"scanner_height_diff":3},
  "ETH": {"chain":"ETH","chain_height":-1,"block_scanner_height":-1,"scanner_height_diff":0},
  "THOR":{"chain":"THOR","chain_height":20000000,"block_scanner_height":-1,"scanner_height_diff":-1}
}`

func TestStatus(t *testing.T) {
	t.Parallel()
	entry := func(height string) string { return `{"BTC":{"block_scanner_height":` + height + `}}` }
	for _, c := range []struct {
		name, chain, body string
		want              uint64
		reason            Reason
	}{
		{"the chain's name in lower case", "btc", scannerStatus, 900007, ""},
		{"the chain's name as it is", "BTC", scannerStatus, 900007, ""},
		{"as it is goes before another case", "btc", `{"BTC":{"block_scanner_height":1},"btc":{"block_scanner_height":2}}`, 2, ""},
		{"of several other cases the first in order", "Btc", `{"btc":{"block_scanner_height":1},"BTC":{"block_scanner_height":2}}`, 2, ""},
		{"-1 is unknown", "eth", scannerStatus, 0, Unknown},
		{"no such chain", "doge", scannerStatus, 0, Absent},
		{"a chain that is null", "btc", `{"BTC":null}`, 0, Malformed},
		{"without the field", "btc", `{"BTC":{"chain_height":5}}`, 0, Malformed},
		{"null", "btc", entry("null"), 0, BadHeight},
		{"zero", "btc", entry("0"), 0, ""},
		{"in quotes", "btc", entry(`"17"`), 17, ""},
		{"the largest", "btc", entry("9007199254740992"), 1 << 53, ""},
		{"too large", "btc", entry("9007199254740993"), 0, BadHeight},
		{"2^64", "btc", entry("18446744073709551616"), 0, BadHeight},
		{"negative", "btc", entry("-2"), 0, BadHeight},
		{"fractional", "btc", entry("1.5"), 0, BadHeight},
		{"with an exponent", "btc", entry("1e6"), 0, BadHeight},
		{"with a leading zero in quotes", "btc", entry(`"017"`), 0, BadHeight},
		{"empty quotes", "btc", entry(`""`), 0, BadHeight},
		{"an object", "btc", entry("{}"), 0, BadHeight},
		{"a page", "btc", "<html>", 0, Malformed},
		{"nothing", "btc", "", 0, Malformed},
		{"null at the top", "btc", "null", 0, Malformed},
		{"an array", "btc", "[]", 0, Malformed},
		{"half of it", "btc", scannerStatus[:80], 0, Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, f := read(FromBifrost, c.chain, c.body, nil)
			requireReason(t, c.reason, f)
			require.Equal(t, c.want, got)
		})
	}
}

func TestLastBlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       uint64
		reason     Reason
	}{
		{"one chain", `[{"chain":"BTC","last_observed_in":17,"last_signed_out":8654,"thorchain":456435643}]`, 17, ""},
		{"among others", `[{"chain":"ETH","last_observed_in":1},{"chain":"BTC","last_observed_in":2}]`, 2, ""},
		{"in quotes", `[{"chain":"BTC","last_observed_in":"17"}]`, 17, ""},
		{"another chain", `[{"chain":"ETH","last_observed_in":1}]`, 0, Absent},
		{"no chains", `[]`, 0, Absent},
		{"negative", `[{"chain":"BTC","last_observed_in":-1}]`, 0, BadHeight},
		{"without the field", `[{"chain":"BTC"}]`, 0, Malformed},
		{"an error object", `{"code":5,"message":"not found"}`, 0, Malformed},
		{"null", `null`, 0, Malformed},
		{"more behind it", `[] []`, 0, Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, f := read(FromThornode, "btc", c.body, nil)
			requireReason(t, c.reason, f)
			require.Equal(t, c.want, got)
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	const body = `# HELP scanner_height Height.
# TYPE scanner_height gauge
scanner_height{chain="ETH",kind="tip"} 5
scanner_height{chain="BTC",kind="tip"} 900010
scanner_height{chain="BTC",kind="scanned"} 9.00007e+05
# TYPE blocks_total counter
blocks_total 42
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 1
seconds_sum 1
seconds_count 1
untyped 7
`
	source := func(name string, labels ...string) *config.MetricSource {
		m := &config.MetricSource{Name: name, Labels: map[string]string{}}
		for i := 0; i < len(labels); i += 2 {
			m.Labels[labels[i]] = labels[i+1]
		}
		return m
	}
	for _, c := range []struct {
		name   string
		metric *config.MetricSource
		want   uint64
		reason Reason
	}{
		{"all labels", source("scanner_height", "chain", "BTC", "kind", "scanned"), 900007, ""},
		{"the first that matches", source("scanner_height", "chain", "BTC"), 900010, ""},
		{"no labels", source("scanner_height"), 5, ""},
		{"a label that no series has", source("scanner_height", "chain", "DOGE"), 0, Absent},
		{"an empty value is that of a label that is not there", source("scanner_height", "chain", "ETH", "node", ""), 5, ""},
		{"a counter", source("blocks_total"), 42, ""},
		{"without a type", source("untyped"), 7, ""},
		{"a histogram", source("seconds"), 0, Malformed},
		{"no such metric", source("other"), 0, Absent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, f := read(FromMetric, "btc", body, c.metric)
			requireReason(t, c.reason, f)
			require.Equal(t, c.want, got)
		})
	}
	for value, reason := range map[string]Reason{
		"NaN": BadHeight, "+Inf": BadHeight, "-Inf": BadHeight, "-1": BadHeight, "1.5": BadHeight, "9.1e15": BadHeight,
		"9007199254740992": "", "0": "", "-0": "", "word": Malformed,
	} {
		t.Run("a value of "+value, func(t *testing.T) {
			t.Parallel()
			_, f := read(FromMetric, "btc", "h "+value+"\n", source("h"))
			requireReason(t, reason, f)
		})
	}
	t.Run("a failure tells the line and not what stands there", func(t *testing.T) {
		t.Parallel()
		_, f := read(FromMetric, "btc", "h 1\nh{secret-word 2\n", source("h"))
		require.EqualError(t, f, "malformed: line 2 of the answer is not in the Prometheus text format")
	})
}

func requireReason(t *testing.T, want Reason, f *Failure) {
	t.Helper()
	if want == "" {
		require.Nil(t, f)
		return
	}
	require.NotNil(t, f)
	require.Equal(t, want, f.Reason, f.Text)
	require.Contains(t, Reasons, f.Reason)
}

func FuzzStatus(f *testing.F) {
	f.Add(scannerStatus)
	f.Add(`{"BTC":{"block_scanner_height":"17"},"btc":null}`)
	f.Add(`{"b\u0000":{"block_scanner_height":1e400}}`)
	f.Fuzz(func(t *testing.T, body string) {
		checkRead(t, FromBifrost, body, nil)
	})
}

func FuzzLastBlock(f *testing.F) {
	f.Add(`[{"chain":"BTC","last_observed_in":17,"last_signed_out":8654,"thorchain":456435643}]`)
	f.Add(`[{"chain":"btc","last_observed_in":"-1"},null]`)
	f.Fuzz(func(t *testing.T, body string) {
		checkRead(t, FromThornode, body, nil)
	})
}

func FuzzMetrics(f *testing.F) {
	f.Add("# TYPE h gauge\nh{chain=\"BTC\"} 17 1700000000000\n", "h", "chain", "BTC")
	f.Add("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} NaN\nh_count 3\n", "h", "", "")
	f.Add("# TYPE h summary\nh{quantile=\"0.5\"} 1\nh_sum NaN\n{\"h\",a=\"b\"} 1\n# EOF\n", "h", "a", "b")
	f.Fuzz(func(t *testing.T, body, name, label, value string) {
		checkRead(t, FromMetric, body, &config.MetricSource{Name: name, Labels: map[string]string{label: value}})
	})
}

// checkRead holds what is true of every answer: a height within bounds or a
// failure of a known class, with a text that is one line.
func checkRead(t *testing.T, from, body string, metric *config.MetricSource) {
	t.Helper()
	height, f := read(from, "btc", body, metric)
	if f == nil {
		require.LessOrEqual(t, height, uint64(maxHeight))
		return
	}
	require.Zero(t, height)
	require.Contains(t, Reasons, f.Reason)
	if metric == nil {
		require.NotContains(t, f.Text, "\n")
	}
	if word := strings.TrimSpace(body); metric == nil && len(word) > 20 {
		require.NotContains(t, fmt.Sprint(f), word, "nothing that the source said")
	}
}
