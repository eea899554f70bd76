package prober

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

func TestWindowErrorsSlide(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	start := d.now
	for range 3 {
		d.fail(chain.Timeout)
		d.after(20 * time.Second)
	}
	d.good(1)
	for _, c := range []struct {
		name  string
		after time.Duration
		want  int
	}{
		{"all within the window", 59 * time.Second, 3},
		{"an error exactly a window ago is out", time.Minute, 2},
		{"two out", 80 * time.Second, 1},
		{"all out", 100 * time.Second, 0},
		{"long after", 24 * time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, d.status.WindowErrors(start.Add(c.after)))
		})
	}
}

func TestWindowErrorsAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ threshold, want int }{{5, 64}, {100, 200}} {
		target := targetOf(local, nil)
		target.Policy.ErrorThreshold = c.threshold
		d := newDiary(target)
		for range 1000 {
			d.after(time.Millisecond).fail(chain.Timeout)
		}
		require.Equal(t, c.want, d.status.WindowErrors(d.now))
		require.Len(t, d.status.errorTimes, c.want)
	}
}

func TestHeightJitter(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	start := d.now
	for _, height := range []uint64{100, 101, 90, 101, 99, 102, 103} {
		d.good(height)
		d.after(5 * time.Second)
	}
	// Eleven back at 10 s, two back at 20 s.
	for _, c := range []struct {
		name  string
		after time.Duration
		want  uint64
	}{
		{"the larger of two", 31 * time.Second, 11},
		{"still within its minute", 70*time.Second - 1, 11},
		{"the smaller one when the larger is a minute old", 70 * time.Second, 2},
		{"none", 80 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, d.status.HeightJitter(start.Add(c.after)))
		})
	}
}

func TestHeightJitterOverAFailure(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.good(100)
	d.after(2 * time.Second).fail(chain.Timeout)
	d.after(2 * time.Second).good(97)
	require.Equal(t, uint64(3), d.status.HeightJitter(d.now), "between consecutive answers")
}

func TestHeightIsDroppedWhenItIsOld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		interval time.Duration
		want     time.Duration
	}{
		{"after the error window", 10 * time.Second, time.Minute},
		{"after three intervals where they are longer", 5 * time.Minute, 15 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target := targetOf(local, nil)
			target.Interval = c.interval
			d := newDiary(target)
			require.False(t, d.status.HeightKnown(d.now), "before any")
			d.good(1)
			good := d.now
			d.after(time.Second).fail(chain.Timeout)
			require.True(t, d.status.HeightKnown(good.Add(c.want)))
			require.False(t, d.status.HeightKnown(good.Add(c.want+1)))
		})
	}
}

func TestHistoryKeepsFailuresApart(t *testing.T) {
	t.Parallel()
	d := newDiary(targetOf(local, nil))
	d.fail(chain.TLS)
	for height := range uint64(50) {
		d.after(10 * time.Second).good(height)
	}
	h := d.history.clone()
	require.Len(t, h.Results, HistorySize)
	require.Equal(t, chain.Some(uint64(40)), h.Results[0].Height)
	require.Equal(t, chain.Some(uint64(49)), h.Results[9].Height)
	require.Len(t, h.Failures, 1)
	require.Equal(t, chain.TLS, h.Failures[0].Failure.Reason)
	require.LessOrEqual(t, cap(d.history.Results), HistorySize)

	for range 50 {
		d.after(10 * time.Second).fail(chain.DNS)
	}
	require.Len(t, d.history.Failures, HistorySize)
	require.Equal(t, chain.Some(uint64(40)), h.Results[0].Height, "a copy")
}

func TestRecordInWords(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	for want, record := range map[string]Record{
		"2026-11-30T02:00:00Z took 12ms height 5 in 11ms good": {
			Start: at, Duration: 12 * time.Millisecond, Latency: 11 * time.Millisecond, Height: chain.Some(uint64(5)), Network: NetworkRight,
		},
		"2026-11-30T02:00:00Z took 12ms height 5 in 11ms network unknown": {
			Start: at, Duration: 12 * time.Millisecond, Latency: 11 * time.Millisecond, Height: chain.Some(uint64(5)),
		},
		"2026-11-30T02:00:00Z took 5s failed: timeout: no answer in time": {
			Start: at, Duration: 5 * time.Second, Failure: &chain.Failure{Reason: chain.Timeout, Text: "no answer in time"},
		},
	} {
		require.Equal(t, want, record.String())
	}
}
