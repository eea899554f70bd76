package chain

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// waitPhrase finds the words in which providers say when to come back. What it
// captures is one amount of time or two ("1m30s", "2 minutes and 5 seconds").
//
//	TronGrid: "the query server is suspended for 27 s"
//	elsewhere: "try again in 30 seconds", "Retry after 500 ms"
var waitPhrase = regexp.MustCompile(`(?i)\b(?:suspended for|(?:try again|retry|resets?) (?:in|after)|wait(?: for)?):? ` +
	`(` + amount + `(?:,? ?(?:and )?` + amount + `)?)\b`)

// amount is a number with its unit; seconds if there is none.
const amount = `\d+(?:\.\d+)? ?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)?`

// amounts takes the parts of one amount.
var amounts = regexp.MustCompile(`(\d+(?:\.\d+)?) ?([a-zA-Z]*)`)

// goesOn is how a number goes on that is the beginning of a date or of a time of
// day, as in "retry after 2026-11-30T12:00:30Z", and so no amount.
var goesOn = regexp.MustCompile(`^[-/:]\d`)

// plainSeconds is what Retry-After may be. RFC 9110 has no fractions, but some
// vendors do.
var plainSeconds = regexp.MustCompile(`^\d+(?:\.\d+)?$`)

// phraseLimit is how much of a body is searched for a phrase.
const phraseLimit = 4096

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
		if wait := times(string(n), time.Second); wait > 0 {
			return wait
		}
	}
	text := body[:min(len(body), phraseLimit)]
	if m := waitPhrase.FindSubmatchIndex(text); m != nil && !goesOn.Match(text[m[3]:]) {
		if wait := parseAmounts(string(text[m[2]:m[3]])); wait > 0 {
			return wait
		}
	}
	return retryAfter(header.Get("Retry-After"), now)
}

// parseAmounts adds up the amounts of a phrase.
func parseAmounts(phrase string) time.Duration {
	var sum time.Duration
	for _, m := range amounts.FindAllStringSubmatch(phrase, -1) {
		sum += times(m[1], unitOf(m[2]))
	}
	return min(sum, MaxWait)
}

// retryAfter reads the header's two forms (RFC 9110, 10.2.3).
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if plainSeconds.MatchString(value) {
		return times(value, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return min(at.Sub(now), MaxWait)
	}
	return 0
}

// unitOf is the unit that a word names; seconds if it names none.
func unitOf(word string) time.Duration {
	switch word = strings.ToLower(word); {
	case word == "ms", strings.HasPrefix(word, "milli"):
		return time.Millisecond
	case strings.HasPrefix(word, "m"):
		return time.Minute
	case strings.HasPrefix(word, "h"):
		return time.Hour
	case strings.HasPrefix(word, "d"):
		return 24 * time.Hour
	}
	return time.Second
}

// times is n units, at most MaxWait; 0 for what is no number above zero.
func times(n string, unit time.Duration) time.Duration {
	x, err := strconv.ParseFloat(n, 64)
	if errors.Is(err, strconv.ErrRange) && x > 0 {
		return MaxWait
	}
	if err != nil || !(x > 0) {
		return 0
	}
	if x >= float64(MaxWait/unit) {
		return MaxWait
	}
	return time.Duration(x * float64(unit))
}
