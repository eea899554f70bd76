package console

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, got, want string }{
		{"less than a second", age(999 * time.Millisecond), "0s"},
		{"seconds", age(12*time.Second + 900*time.Millisecond), "12s"},
		{"the last second of the first minute", age(time.Minute - 1), "59s"},
		{"minutes", age(3*time.Minute + 2*time.Second), "3m02s"},
		{"the last second of the first hour", age(time.Hour - 1), "59m59s"},
		{"hours", age(2*time.Hour + 5*time.Minute + 59*time.Second), "2h05m"},
		{"days", age(76 * time.Hour), "3d04h"},
		{"in the future, by a wrong clock", age(-time.Hour), "0s"},
		{"an age that is no number of this world", seconds(math.MaxFloat64), "36500d00h"},
		{"an age below zero", seconds(-3), "0s"},
		{"an age in seconds", seconds(212.4), "3m32s"},
		{"a time today", clock(now.Add(-time.Hour), now), "01:03:12"},
		{"a time yesterday", clock(now.Add(-24*time.Hour), now), "2026-11-29 02:03:12"},
		{"the same day of another year", clock(now.AddDate(-1, 0, 0), now), "2025-11-30 02:03:12"},
		{"a time in another zone", clock(now.In(time.FixedZone("", 7200)), now), "02:03:12"},
		{"due", in(now, now), "now"},
		{"due later", in(now.Add(90*time.Second), now), "in 1m30s"},
		{"due in a little less than two hours", in(now.Add(2*time.Hour-time.Millisecond), now), "in 2h00m"},
		{"no end", more(nil, now), ""},
		{"an end in the past", more(new(now.Add(-time.Hour)), now), " for 0s more"},
		{"no time", since(time.Time{}, now), "-"},
		{"no height", height(nil), "-"},
		{"a height", height(new(uint64(math.MaxUint64))), "18446744073709551615"},
		{"no lag", lag(nil), "-"},
		{"ahead", lag(new(int64(-2))), "-2"},
		{"ahead in words", toTip(-1), "1 block ahead of the tip"},
		{"as far ahead as can be", toTip(math.MinInt64), "9223372036854775808 blocks ahead of the tip"},
		{"behind in words", toTip(14), "14 blocks behind the tip"},
		{"no latency", latency(nil), "-"},
		{"a short latency", latency(new(3.14)), "3.1ms"},
		{"a latency", latency(new(120.4)), "120ms"},
		{"a long latency", latency(new(2510.0)), "2.5s"},
		{"names", list([]string{"a", "b", "c"}), "a, b and c"},
		{"one name", list([]string{"a"}), "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.got)
		})
	}
}

func TestWrappedTextKeepsItsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zäß日]{1,120}`)).Draw(t, "words")
		first := strings.Repeat(" ", rapid.IntRange(0, 8).Draw(t, "indent")) + rapid.SampledFrom([]string{"", "- "}).Draw(t, "mark")
		text := wrap(first, strings.Join(words, " "))
		require.Equal(t, append(strings.Fields(first), words...), strings.Fields(text))
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			fits := utf8.RuneCountInString(line) <= width
			require.True(t, fits || len(strings.Fields(strings.TrimPrefix(line, first))) == 1, "%q is too long and could be broken", line)
		}
	})
}
