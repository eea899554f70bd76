package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/history"
)

// The size of a small chart, in its own units.
const (
	chartWidth  = 120.0
	chartHeight = 28.0
	// chartMargin keeps the line's width inside.
	chartMargin = 2.0
)

// chart is the latency of a provider in the last minutes.
type chart struct {
	// Lines are the parts of the line, as points of a polyline: where nothing is
	// known, there is no line.
	Lines []string
	// Failures are the places at which the last probe was not good.
	Failures []string
	// Summary says the same in words; "": there is nothing to draw.
	Summary string
}

// chartOf draws samples, oldest first.
func chartOf(samples []history.Sample) chart {
	if len(samples) < 2 {
		return chart{}
	}
	length := samples[len(samples)-1].Time.Sub(samples[0].Time)
	known, failures := figures(samples)
	var top float64
	if len(known) > 0 {
		// From zero on: a line that fills the chart makes a drama of every millisecond.
		top = max(slices.Max(known)*1.15, 1)
	}
	var c chart
	var line []string
	end := func() {
		if len(line) > 1 {
			c.Lines = append(c.Lines, strings.Join(line, " "))
		}
		line = nil
	}
	var before time.Time
	for _, s := range samples {
		x := chartMargin
		if length > 0 {
			x += float64(s.Time.Sub(samples[0].Time)) / float64(length) * (chartWidth - 2*chartMargin)
		}
		if !s.Good {
			c.Failures = append(c.Failures, oneDecimal(x))
		}
		if s.LatencyMS == nil || (!before.IsZero() && s.Time.Sub(before) > 4*history.Step) {
			end()
		}
		before = s.Time
		if s.LatencyMS != nil {
			y := chartHeight - chartMargin - *s.LatencyMS/top*(chartHeight-2*chartMargin)
			line = append(line, oneDecimal(x)+","+oneDecimal(y))
		}
	}
	end()
	c.Summary = summary(known, failures, len(samples), length)
	return c
}

// figures are the latencies that are known, and how many samples were not good.
func figures(samples []history.Sample) (known []float64, failures int) {
	for _, s := range samples {
		if s.LatencyMS != nil {
			known = append(known, *s.LatencyMS)
		}
		if !s.Good {
			failures++
		}
	}
	return known, failures
}

// summary says in words what a chart shows.
func summary(known []float64, failures, all int, length time.Duration) string {
	text := "Latency unknown"
	if len(known) > 0 {
		lowest, highest := slices.Min(known), slices.Max(known)
		text = fmt.Sprintf("Latency between %s and %s", latencyWord(&lowest), latencyWord(&highest))
	}
	text += " in the last " + console.Age(length)
	if failures > 0 {
		text += fmt.Sprintf("; failing %s of the time", percent(float64(failures)/float64(all)))
	}
	return text
}

func oneDecimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
