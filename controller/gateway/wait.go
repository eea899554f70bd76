package gateway

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxWait caps how long a provider may ask to be left alone, so that a wrong
// header cannot silence it for ever.
const maxWait = time.Hour

// waitPhrase finds the words in which providers say when to come back, such as
// TronGrid's "the query server is suspended for 27 s".
var waitPhrase = regexp.MustCompile(`(?i)\b(?:suspended for|(?:try again|retry) (?:in|after)) (\d{1,6}) ?(ms|m(?:in)?|h)?\w*`)

// waitFrom is how long a provider asks to be left alone: the body's word first,
// then Retry-After, in seconds or as a date; 0 if neither says.
func waitFrom(body []byte, header http.Header, now time.Time) time.Duration {
	var b struct {
		Error struct {
			Data struct {
				RetryAfter json.Number `json:"retryAfter"`
				Rate       struct {
					BackoffSeconds json.Number `json:"backoff_seconds"`
				} `json:"rate"`
			} `json:"data"`
		} `json:"error"`
	}
	if len(body) > 0 && body[0] == '{' {
		// Anything but this shape leaves the fields empty, which is all that counts.
		_ = json.Unmarshal(body, &b)
	}
	for _, n := range []json.Number{b.Error.Data.Rate.BackoffSeconds, b.Error.Data.RetryAfter} {
		if wait := seconds(string(n)); wait > 0 {
			return wait
		}
	}
	if m := waitPhrase.FindSubmatch(body[:min(len(body), wordsLimit)]); m != nil {
		return phrase(string(m[1]), string(m[2]))
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if wait := seconds(value); wait > 0 {
		return wait
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return min(at.Sub(now), maxWait)
	}
	return 0
}

func phrase(number, unit string) time.Duration {
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	switch {
	case unit == "ms":
		return min(time.Duration(n)*time.Millisecond, maxWait)
	case strings.HasPrefix(unit, "m"):
		return min(time.Duration(n)*time.Minute, maxWait)
	case unit == "h":
		return min(time.Duration(n)*time.Hour, maxWait)
	}
	return min(time.Duration(n)*time.Second, maxWait)
}

// seconds reads a number of seconds; 0 for what is none above zero.
func seconds(text string) time.Duration {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(x > 0):
		return 0
	case x >= maxWait.Seconds():
		return maxWait
	}
	return time.Duration(x * float64(time.Second))
}
