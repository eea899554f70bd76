package config

import (
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

// parseDuration reads Prometheus's notation (10s, 5m, 1d) and Go's (1.5s,
// 1h30m). The words of the error do not repeat the input.
func parseDuration(s string) (d time.Duration, wrong, right string) {
	const examples = "such as 10s, 1.5s, 5m or 1h30m"
	if p, err := model.ParseDuration(s); err == nil {
		d = time.Duration(p)
	} else if d, err = time.ParseDuration(s); err != nil {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return 0, "it has no unit", examples
		}
		return 0, "it is not a duration", examples
	}
	switch {
	case d < 0:
		return 0, "it is negative", examples
	case d > maxDuration:
		return 0, "it is longer than 30 days", ""
	case d > 0 && d < minDuration:
		return 0, "it is shorter than 10ms", ""
	}
	return d, "", ""
}

// formatDuration is the shortest notation that parseDuration reads back: 1m30s,
// 2m, 750ms, 1.5ms.
func formatDuration(d time.Duration) string {
	if d%time.Millisecond == 0 {
		return model.Duration(d).String()
	}
	return strings.TrimSuffix(d.String(), "0s")
}
