package web

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// before is a time that long before the morning.
func before(d time.Duration) time.Time { return morning.Add(-d) }

func TestAProvidersStatesAreTracedBack(t *testing.T) {
	t.Parallel()
	at := func(minutes int, from, to string) wire.Event {
		return wire.Event{Time: before(time.Duration(minutes) * time.Minute), Kind: wire.EventState, Provider: "a", From: from, To: to}
	}
	for _, c := range []struct {
		name     string
		provider wire.Provider
		events   []wire.Event
		want     []string
	}{
		{"without an event it was as it is since then", wire.Provider{Status: wire.StatusHealthy, Since: before(30 * time.Minute)}, nil, []string{"healthy 50+50"}},
		{"since before the window began", wire.Provider{Status: wire.StatusHealthy, Since: before(30 * time.Hour)}, nil, []string{"healthy 0+100"}},
		{"nothing is known", wire.Provider{Status: wire.StatusUnknown}, nil, nil},
		{"before its first event it was what that ended", wire.Provider{}, []wire.Event{at(30, wire.StatusHealthy, wire.StatusUnhealthy)}, []string{"healthy 0+50", "unhealthy 50+50"}},
		{"before its first verdict nothing is known", wire.Provider{}, []wire.Event{at(30, wire.StatusUnknown, wire.StatusHealthy)}, []string{"healthy 50+50"}},
		{"what ended before the window is not drawn", wire.Provider{}, []wire.Event{at(120, wire.StatusHealthy, wire.StatusUnhealthy), at(90, wire.StatusUnhealthy, wire.StatusHealthy)}, []string{"healthy 0+100"}},
		{"one after the other", wire.Provider{}, []wire.Event{at(45, wire.StatusHealthy, wire.StatusUnhealthy), at(30, wire.StatusUnhealthy, wire.StatusRecovering), at(15, wire.StatusRecovering, wire.StatusHealthy)}, []string{"healthy 0+25", "unhealthy 25+25", "recovering 50+25", "healthy 75+25"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.provider.Name = "a"
			var newestFirst []wire.Event
			for _, e := range c.events {
				newestFirst = append([]wire.Event{e}, newestFirst...)
			}
			lanes := timelineOf(wire.Chain{Providers: []wire.Provider{c.provider}}, newestFirst, time.Hour, morning).Lanes
			require.Len(t, lanes, 1)
			var got []string
			for _, b := range lanes[0].Bars {
				got = append(got, b.Class+" "+whole(b.X)+"+"+whole(b.Width))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// whole is a share without its decimals.
func whole(p string) string { return strings.TrimSuffix(p, ".00%") }

func TestSwitchesAreMarkedAndNamed(t *testing.T) {
	t.Parallel()
	c := answer(t, "failover")
	line := timelineOf(c, c.Events, 24*time.Hour, morning)
	require.Len(t, line.Marks, 2)
	require.Equal(t, "Served by quicknode, then local-daemon", line.Served.Summary)
	require.Equal(t, "failover at 02:00:00 UTC: quicknode → local-daemon", line.Marks[1].Title)
	require.Contains(t, line.Served.Bars[0].Title, "quicknode, 2026-11-29 20:00:05 to 02:00:00 UTC (5h59m)")
}

func TestAfterAClockWasSetBackNothingLiesInTheFuture(t *testing.T) {
	t.Parallel()
	moved := func(minutes int, to string) wire.Event {
		return wire.Event{Time: before(time.Duration(minutes) * time.Minute), Kind: wire.EventState, Provider: "a", From: wire.StatusUnknown, To: to}
	}
	// Newest first: the clock was set back by an hour between the two latest.
	events := []wire.Event{
		moved(15, wire.StatusHealthy), moved(-30, wire.StatusRecovering), moved(30, wire.StatusUnhealthy),
		{Time: before(-20 * time.Minute), Kind: "failover", From: "b", To: "a"}, {Time: before(45 * time.Minute), Kind: "failover", From: "a", To: "b"},
	}
	line := timelineOf(wire.Chain{Providers: []wire.Provider{{Name: "a"}}}, events, time.Hour, morning)
	var got []string
	for _, b := range line.Lanes[0].Bars {
		got = append(got, b.Class+" "+whole(b.X)+"+"+whole(b.Width))
	}
	require.Equal(t, []string{"unhealthy 50+25", "healthy 75+25"}, got, "what was noted later holds")
	require.Equal(t, "a: healthy 50.0 % of the time known, unhealthy 1 time", line.Lanes[0].Summary)
	require.Len(t, line.Marks, 1)
	require.Equal(t, "25.00%", line.Marks[0].X)
}

func TestALaneIsToldInWords(t *testing.T) {
	t.Parallel()
	c := answer(t, "failover")
	line := timelineOf(c, c.Events, time.Hour, morning)
	require.Equal(t, "local-daemon: healthy 100 % of the time known", line.Lanes[1].Summary)
	require.Equal(t, "blockchair: healthy 0.0 % of the time known, unhealthy 1 time", line.Lanes[2].Summary)
}

func TestTheAxisHasRoundTimes(t *testing.T) {
	t.Parallel()
	for _, w := range windows {
		ticks := timelineOf(wire.Chain{}, nil, w.length, morning).Ticks
		require.NotEmpty(t, ticks)
		require.LessOrEqual(t, len(ticks), 7)
		for _, tick := range ticks {
			require.Regexp(t, `^\d\d:\d0$`, tick.Label)
		}
	}
}

// Whatever happened, bars lie in the window, one after the other, also after a
// clock was set back.
func TestBarsLieSideBySide(t *testing.T) {
	t.Parallel()
	states := []string{wire.StatusUnknown, wire.StatusHealthy, wire.StatusRecovering, wire.StatusUnhealthy}
	rapid.Check(t, func(t *rapid.T) {
		var events []wire.Event
		when := morning
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			when = when.Add(-time.Duration(rapid.IntRange(-5400, 7200).Draw(t, "seconds")) * time.Second)
			events = append(events, wire.Event{
				Time: when, Kind: wire.EventState, Provider: "a",
				From: rapid.SampledFrom(states).Draw(t, "from"), To: rapid.SampledFrom(states).Draw(t, "to"),
			})
		}
		p := wire.Provider{Name: "a", Status: rapid.SampledFrom(states).Draw(t, "status"), Since: when}
		window := rapid.SampledFrom([]time.Duration{time.Hour, 6 * time.Hour, 24 * time.Hour}).Draw(t, "window")
		end := 0.0
		for _, b := range timelineOf(wire.Chain{Providers: []wire.Provider{p}}, events, window, morning).Lanes[0].Bars {
			x, width := share(t, b.X), share(t, b.Width)
			if x < 0 || width <= 0 || x+width > 100.02 || x < end-minWidth-0.02 {
				t.Fatalf("a bar from %v, %v wide, after one that ends at %v", x, width, end)
			}
			end = max(end, x+width-minWidth)
		}
	})
}

func share(t *rapid.T, p string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSuffix(p, "%"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
