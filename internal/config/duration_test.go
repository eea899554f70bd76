package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
