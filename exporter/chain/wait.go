package chain

import (
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// waitPhrases are the words in which providers say when to come back. The
// number is the first group, its unit the second; seconds if there is none.
var waitPhrases = []*regexp.Regexp{
	// TronGrid: "the query server is suspended for 27 s".
	regexp.MustCompile(`(?i)suspended for (\d+(?:\.\d+)?)\s*(ms|s|m|h)?\b`),
	// "try again in 30 seconds", "Retry after 500 ms".
	regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?)\s*(ms|milliseconds?|seconds?|s|minutes?|min|m|hours?|h)?\b`),
}

// units are the words for a unit of time, by their first letters.
var units = []struct {
	prefix string
	unit   time.Duration
}{
	{"ms", time.Millisecond}, {"mill", time.Millisecond},
	{"m", time.Minute}, {"h", time.Hour}, {"", time.Second},
}

// waitBody is where bodies carry a waiting time, in seconds: Infura's
// error.data.rate.backoff_seconds, and the error.data.retryAfter of others.
type waitBody struct {
	Error struct {
		Data struct {
			RetryAfter json.Number `json:"retryAfter"`
			Rate       struct {
				BackoffSeconds json.Number `json:"backoff_seconds"`
			} `json:"rate"`
		} `json:"data"`
	} `json:"error"`
}

// waitFrom is how long the provider asks to be left alone: the body's word
// first, then Retry-After, in seconds or as a date. 0 if neither says; never
// more than MaxWait.
func waitFrom(body []byte, header http.Header, now time.Time) time.Duration {
	var b waitBody
	// Anything but this shape leaves the fields empty, which is all that counts.
	_ = json.Unmarshal(body, &b)
	for _, n := range []json.Number{b.Error.Data.Rate.BackoffSeconds, b.Error.Data.RetryAfter} {
		if seconds, err := n.Float64(); err == nil && seconds > 0 {
			return capWait(seconds, time.Second)
		}
	}
	for _, phrase := range waitPhrases {
		if m := phrase.FindSubmatch(body); m != nil {
			n, err := strconv.ParseFloat(string(m[1]), 64)
			if err == nil && n > 0 {
				return capWait(n, unitOf(string(m[2])))
			}
		}
	}
	return retryAfter(header.Get("Retry-After"), now)
}

// retryAfter reads the header's two forms (RFC 9110, 10.2.3).
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return capWait(seconds, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return min(at.Sub(now), MaxWait)
	}
	return 0
}

// unitOf is the unit that a word names.
func unitOf(word string) time.Duration {
	for _, u := range units {
		if strings.HasPrefix(strings.ToLower(word), u.prefix) {
			return u.unit
		}
	}
	return time.Second
}

// capWait is n units, at most MaxWait.
func capWait(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n*float64(unit) >= float64(MaxWait) {
		return MaxWait
	}
	return time.Duration(n * float64(unit))
}
