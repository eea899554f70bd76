package chain

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestWaitFromTheBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       time.Duration
	}{
		{"nothing", ``, 0},
		{"no word of it", `{"error":{"message":"slow down"}}`, 0},
		{"Infura", `{"error":{"data":{"rate":{"allowed_rps":1,"backoff_seconds":30,"current_rps":1.4}}}}`, 30 * time.Second},
		{"a part of a second", `{"error":{"data":{"rate":{"backoff_seconds":0.25}}}}`, 250 * time.Millisecond},
		{"zero seconds", `{"error":{"data":{"rate":{"backoff_seconds":0}}}}`, 0},
		{"negative seconds", `{"error":{"data":{"rate":{"backoff_seconds":-30}}}}`, 0},
		{"more than an hour", `{"error":{"data":{"rate":{"backoff_seconds":86400}}}}`, time.Hour},
		{"more than a number can be", `{"error":{"data":{"rate":{"backoff_seconds":1e999}}}}`, time.Hour},
		{"seconds in quotes", `{"error":{"data":{"retryAfter":"12"}}}`, 12 * time.Second},
		{"words where the seconds should be", `{"error":{"data":{"retryAfter":"soon"}}}`, 0},
		{"data that is text", `{"error":{"data":"try again in 5 seconds"}}`, 5 * time.Second},
		{"an error that is text", `{"error":"Rate limited, retry after 500 ms."}`, 500 * time.Millisecond},
		{"TronGrid", `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 27 s"}`, 27 * time.Second},
		{"TronGrid with a sentence behind", `{"Error":"request rate exceeded the allowed_rps(3), and the query server is suspended for 19 s. To increase"}`, 19 * time.Second},
		{"whole words", `Please wait 2 minutes and 5 seconds`, 125 * time.Second},
		{"Go's way to write it", `rate limit exceeded, try again in 1m30s`, 90 * time.Second},
		{"a part of a second in Go's way", `try again in 1.5s`, 1500 * time.Millisecond},
		{"a reset", `quota resets in 3 hours`, time.Hour},
		{"days", `try again in 2 days`, time.Hour},
		{"no unit", `Retry after: 8`, 8 * time.Second},
		{"a number of times", `failed, gave up after retry 3 times`, 0},
		{"a number without an end", `try again in 99999999999999999999999 s`, time.Hour},
		{"zero", `try again in 0 seconds`, 0},
		{"a date", `Rate limited, retry after 2026-11-30T12:00:30Z`, 0},
		{"a date with slashes", `quota resets after 30/11/2026`, 0},
		{"a time of day", `try again after 13:05 UTC`, 0},
		{"a sentence behind", `try again in 5 s: 3 requests left`, 5 * time.Second},
		{"the fields before the words", `{"error":{"message":"try again in 9 s","data":{"retryAfter":4}}}`, 4 * time.Second},
		{"too far behind", string(make([]byte, phraseLimit)) + `try again in 9 s`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, waitFrom([]byte(c.body), nil, noon))
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"nothing", "", 0},
		{"seconds", "120", 2 * time.Minute},
		{"white space", " 7 ", 7 * time.Second},
		{"a part of a second", "0.5", 500 * time.Millisecond},
		{"zero", "0", 0},
		{"negative", "-5", 0},
		{"a year", "31536000", time.Hour},
		{"digits without an end", "99999999999999999999999999999", time.Hour},
		{"no number", "soon", 0},
		{"infinity", "Inf", 0},
		{"not a number", "NaN", 0},
		{"hexadecimal", "0x10", 0},
		{"an exponent", "1e2", 0},
		{"a date", "Mon, 30 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"a date in an old format", "Monday, 30-Nov-26 12:01:00 GMT", time.Minute},
		{"a date in C's format", "Mon Nov 30 12:00:05 2026", 5 * time.Second},
		{"a date that has passed", "Mon, 30 Nov 2026 11:59:59 GMT", 0},
		{"a date far away", "Sat, 30 Nov 2126 12:00:00 GMT", time.Hour},
		{"half a date", "Mon, 30 Nov", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, waitFrom(nil, http.Header{"Retry-After": {c.value}}, noon))
		})
	}
}

func TestTheBodyCountsBeforeTheHeader(t *testing.T) {
	t.Parallel()
	header := http.Header{"Retry-After": {"7"}}
	require.Equal(t, 27*time.Second, waitFrom([]byte(`{"Error":"suspended for 27 s"}`), header, noon))
	require.Equal(t, 7*time.Second, waitFrom([]byte(`{"error":{"data":{"retryAfter":0}}}`), header, noon), "zero says nothing")
	require.Equal(t, 7*time.Second, waitFrom([]byte(`retry after 2026-11-30 12:00:07`), header, noon), "nor does a date, whose year is no number of seconds")
}

func FuzzWait(f *testing.F) {
	f.Add([]byte(`{"error":{"data":{"rate":{"backoff_seconds":30},"retryAfter":12}}}`), "120")
	f.Add([]byte(`suspended for 27 s`), "Mon, 30 Nov 2026 12:00:30 GMT")
	f.Add([]byte(`try again in 1m30s`), "-1")
	f.Add([]byte(`{"error":{"data":{"retryAfter":1e309}}}`), "1e309")
	f.Fuzz(func(t *testing.T, body []byte, value string) {
		wait := waitFrom(body, http.Header{"Retry-After": {value}}, noon)
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, MaxWait)
		require.Equal(t, wait, waitFrom(body, http.Header{"Retry-After": {value}}, noon))
	})
}
