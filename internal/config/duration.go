package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// maxDuration bounds every duration of the file, so that sums and products of
// them stay exact.
const maxDuration = 30 * 24 * time.Hour

// minDuration is the shortest interval or timeout: below it a probe would be a
// busy loop.
const minDuration = 10 * time.Millisecond

// durationPattern is the notation in the JSON Schema: numbers, each with a unit.
const durationPattern = `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h|d|w|y))+$`

var durationShape = regexp.MustCompile(durationPattern)

// parseDuration reads Prometheus's notation (10s, 5m, 1d) and Go's (1.5s,
// 1h30m). Its errors do not repeat the input.
func parseDuration(s string) (time.Duration, error) {
	_, notNumber := strconv.ParseFloat(s, 64)
	switch {
	case s == "0":
		return 0, nil
	case notNumber == nil:
		return 0, errors.New("it has no unit")
	case strings.HasPrefix(s, "-"):
		return 0, errors.New("it is negative")
	case !durationShape.MatchString(s):
		return 0, errors.New("it is not a duration")
	}
	var d time.Duration
	if p, err := model.ParseDuration(s); err == nil {
		d = time.Duration(p)
	} else if d, err = time.ParseDuration(s); err != nil {
		return 0, errors.New("it is not a duration")
	}
	switch {
	case d > maxDuration:
		return 0, errors.New("it is longer than 30 days")
	case d > 0 && d < minDuration:
		return 0, errors.New("it is shorter than 10ms")
	}
	return d, nil
}

// formatDuration is a short notation that parseDuration reads back: 1m30s, 2m,
// 750ms, 1.5s.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 || d < time.Second && d%time.Millisecond == 0 {
		return model.Duration(d).String()
	}
	return d.String()
}
