package web

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/history"
)

// samples are one each step; below zero is a failure without a latency.
func samples(latencies ...float64) []history.Sample {
	var all []history.Sample
	for i, l := range latencies {
		s := history.Sample{Time: morning.Add(time.Duration(i) * history.Step), Good: l >= 0}
		if l >= 0 {
			s.LatencyMS = &latencies[i]
		}
		all = append(all, s)
	}
	return all
}

func TestAChartIsDrawnFromZeroOn(t *testing.T) {
	t.Parallel()
	c := chartOf(samples(10, 20, 10))
	require.Equal(t, []string{"2.0,15.6 60.0,5.1 118.0,15.6"}, c.Lines)
	require.Empty(t, c.Failures)
	require.Equal(t, "Latency between 10ms and 20ms in the last 10s", c.Summary)
}

func TestWhereNothingIsKnownThereIsNoLine(t *testing.T) {
	t.Parallel()
	c := chartOf(samples(10, 10, -1, 10, 10))
	require.Len(t, c.Lines, 2)
	require.Equal(t, []string{"60.0"}, c.Failures)
	require.Equal(t, "Latency between 10ms and 10ms in the last 20s; failing 20.0 % of the time", c.Summary)

	pause := samples(10, 10, 10, 10)
	for i := range pause[2:] {
		pause[2+i].Time = pause[2+i].Time.Add(time.Minute)
	}
	require.Len(t, chartOf(pause).Lines, 2, "nobody looked for a minute")
}

func TestWithTooLittleThereIsNoChart(t *testing.T) {
	t.Parallel()
	require.Zero(t, chartOf(nil))
	require.Zero(t, chartOf(samples(10)))
}

func TestAChartOfFailuresAloneIsStillAChart(t *testing.T) {
	t.Parallel()
	c := chartOf(samples(-1, -1))
	require.Empty(t, c.Lines)
	require.Len(t, c.Failures, 2)
	require.Equal(t, "Latency unknown in the last 5s; failing 100 % of the time", c.Summary)
}

func TestALatencyOfZeroIsDrawn(t *testing.T) {
	t.Parallel()
	c := chartOf(samples(0, 0))
	require.Len(t, c.Lines, 1)
	require.False(t, strings.Contains(c.Lines[0], "NaN"))
}

func TestHeightsCanBeCopied(t *testing.T) {
	t.Parallel()
	for height, want := range map[uint64]string{0: "0", 999: "999", 1000: "<b>1</b>000", 884213: "<b>884</b>213", 301000000: "<b>301</b><b>000</b>000"} {
		require.Equal(t, want, string(digits(&height)))
	}
	require.Equal(t, "–", string(digits(nil)))
}
