package chain

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every number up to the largest height reads back as it was written.
func TestNumbersReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, maxHeight).Draw(t, "n")
		var d Decimal
		var q Quoted
		var h Quantity
		for text, into := range map[string]any{
			strconv.FormatUint(n, 10):  &d,
			fmt.Sprintf(`"%d"`, n):     &q,
			fmt.Sprintf(`"0x%x"`, n):   &h,
			fmt.Sprintf(` "0x%X" `, n): &h,
		} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		if uint64(d) != n || uint64(q) != n || uint64(h) != n {
			t.Fatalf("%d reads as %d, %d and %d", n, d, q, h)
		}
	})
}

// A number is read as what it says or not at all.
func TestWhatIsNoPlainNumberIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[-+]?0?[0-9]{0,25}(\.[0-9]{1,3})?([eE][-+]?[0-9]{1,3})?`),
			rapid.StringMatching(`(0[xX])?[0-9a-fA-F_ ]{0,20}`),
			rapid.String(),
		).Draw(t, "text")
		checkNumbers(t, text)
	})
}

// checkNumbers compares the readers with math/big.
func checkNumbers(t interface{ Fatalf(string, ...any) }, text string) {
	if n, err := parseDecimal(text); err == nil {
		if n > maxHeight || strconv.FormatUint(n, 10) != text {
			t.Fatalf("%q reads as %d", text, n)
		}
	} else if want, ok := new(big.Int).SetString(text, 10); ok && want.String() == text &&
		want.Sign() >= 0 && want.Cmp(big.NewInt(maxHeight)) <= 0 {
		t.Fatalf("%q is refused: %v", text, err)
	}
	if n, err := parseQuantity(text); err == nil {
		if n > maxHeight || "0x"+strconv.FormatUint(n, 16) != strings.ToLower(text) || strings.HasPrefix(text, "0X") {
			t.Fatalf("%q reads as %d", text, n)
		}
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	for name, body := range badNumbers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d Decimal
			require.Error(t, json.Unmarshal([]byte(body), &d))
			require.Zero(t, d)
		})
	}
	var absent struct{ N *Decimal }
	require.NoError(t, json.Unmarshal([]byte(`{"N":null}`), &absent))
	require.Nil(t, absent.N, "null is no number, and a pointer tells it from zero")
	require.Error(t, json.Unmarshal([]byte(`{"N":""}`), &absent))
}

func TestQuantityAndQuoted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, quantity, quoted string }{
		{"nothing", `""`, `""`},
		{"the prefix alone", `"0x"`, `"0x"`},
		{"a plain number", `16`, `16`},
		{"another base", `"16"`, `"0x10"`},
		{"a leading zero", `"0x010"`, `"010"`},
		{"a sign", `"-0x10"`, `"-16"`},
		{"a plus", `"0x+10"`, `"+16"`},
		{"a fraction", `"0x1.8"`, `"1.5"`},
		{"an exponent", `"0x1p4"`, `"1e3"`},
		{"a separator", `"0x1_0"`, `"1_0"`},
		{"white space", `" 0x10"`, `"16 "`},
		{"a large prefix", `"0X10"`, `"0X10"`},
		{"other digits", `"0x１"`, `"１６"`},
		{"2^53 + 1", `"0x20000000000001"`, `"9007199254740993"`},
		{"2^63", `"0x8000000000000000"`, `"9223372036854775808"`},
		{"2^64", `"0x10000000000000000"`, `"18446744073709551616"`},
		{"null", `null`, `null`},
		{"an object", `{}`, `{}`},
		{"a boolean", `true`, `true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var n Quantity
			require.Error(t, json.Unmarshal([]byte(c.quantity), &n))
			var q Quoted
			require.Error(t, json.Unmarshal([]byte(c.quoted), &q))
			require.Zero(t, n)
			require.Zero(t, q)
		})
	}
}

func TestErrorsOfNumbersAreShort(t *testing.T) {
	t.Parallel()
	for _, parse := range []func(string) (uint64, error){parseDecimal, parseQuantity} {
		_, err := parse(strings.Repeat("x", 1<<20))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 200)
		_, err = parse("0x" + strings.Repeat("1", 1<<20))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 200)
		_, err = parse(strings.Repeat("1", 1<<20))
		require.Error(t, err)
		require.Less(t, len(err.Error()), 200)
	}
}

func TestUnixTime(t *testing.T) {
	t.Parallel()
	require.True(t, unixTime(0).IsZero(), "zero seconds are no time")
	require.True(t, unixTime(math.MaxUint64).IsZero())
	require.True(t, unixTime(1704067200000).IsZero(), "milliseconds are not seconds")
	require.Equal(t, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), unixTime(1704067200))
}

func TestHexHash(t *testing.T) {
	t.Parallel()
	want := strings.Repeat("0a", 32)
	for _, text := range []string{want, strings.ToUpper(want), "0x" + want, "0X" + strings.ToUpper(want)} {
		got, ok := hexHash(text, 32)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "0x", want[1:], want + "0", "0x0x" + want[4:], strings.Repeat("g", 64), " " + want[1:]} {
		got, ok := hexHash(text, 32)
		require.False(t, ok, text)
		require.Empty(t, got)
	}
}

func TestCountIsTheLengthOfAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.OneOf(
			rapid.Map(rapid.String(), func(text string) any { return text }),
			rapid.Map(rapid.StringMatching(`[\\\\"\[\]{},: ]*`), func(text string) any { return text }),
			rapid.Map(rapid.SliceOf(rapid.String()), func(all []string) any { return all }),
			rapid.Map(rapid.MapOf(rapid.String(), rapid.Int()), func(all map[string]int) any { return all }),
			rapid.Just[any](nil), rapid.Just[any](1.5), rapid.Just[any](false),
		)
		all := rapid.SliceOf(element).Draw(t, "all")
		raw, err := json.MarshalIndent(append([]any{}, all...), rapid.StringMatching(`[ \t]?`).Draw(t, "space"), "")
		if err != nil {
			t.Fatal(err)
		}
		var n Count
		if err := json.Unmarshal(raw, &n); err != nil || int(n) != len(all) {
			t.Fatalf("%s has %d elements: %v", raw, n, err)
		}
	})
}

func TestCountRefusesWhatIsNoList(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`null`, `{}`, `"[]"`, `3`, `true`} {
		n := Count(7)
		require.Error(t, json.Unmarshal([]byte(body), &n), body)
		require.Zero(t, n)
	}
	var block struct{ N *Count }
	require.NoError(t, json.Unmarshal([]byte(`{"N":null}`), &block))
	require.Nil(t, block.N, "null is no empty list")
}

func FuzzNumbers(f *testing.F) {
	for _, text := range []string{"", "0", "00", "1e3", "-1", "0x0", "0x00", "0X1", "9007199254740992", "9007199254740993", "0x20000000000000", "18446744073709551616", `["a\\\\","\"]",[1,2]]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkNumbers(t, text)
		var d Decimal
		if json.Unmarshal([]byte(text), &d) == nil && strconv.FormatUint(uint64(d), 10) != strings.Trim(text, " \t\r\n") {
			t.Fatalf("%q reads as %d", text, d)
		}
		var count Count
		var list []json.RawMessage
		counted, listed := json.Unmarshal([]byte(text), &count), json.Unmarshal([]byte(text), &list)
		if counted == nil && (listed != nil || int(count) != len(list)) {
			t.Fatalf("%q has %d elements, not %d", text, len(list), count)
		}
		for _, n := range []any{new(Quoted), new(Quantity)} {
			if json.Unmarshal([]byte(text), n) == nil && !strings.Contains(text, `"`) {
				t.Fatalf("%q has no quotes and reads as %v", text, n)
			}
		}
	})
}
