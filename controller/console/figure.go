package console

import (
	"fmt"
	"strconv"
	"time"
)

// age is a duration for people, of two units at most: 12s, 3m12s, 2h05m, 3d04h.
// What is below zero, as after a clock was set, counts as zero.
func age(d time.Duration) string {
	d = max(d, 0)
	whole := func(unit time.Duration) int64 { return int64(d / unit) }
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", whole(time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", whole(time.Minute), whole(time.Second)%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", whole(time.Hour), whole(time.Minute)%60)
	}
	return fmt.Sprintf("%dd%02dh", whole(24*time.Hour), whole(time.Hour)%24)
}

// seconds is an age in seconds for people.
func seconds(s float64) string {
	const limit = 100 * 365 * 24 * 3600
	return age(time.Duration(min(max(s, 0), limit) * float64(time.Second)))
}

// since is how long ago something was; zero is unknown.
func since(t, now time.Time) string {
	if t.IsZero() {
		return unknown
	}
	return age(now.Sub(t))
}

// clock is a point in time, with its date unless that is today's.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}

// ago is a point in time with its age.
func ago(t, now time.Time) string {
	return clock(t, now) + " UTC (" + age(now.Sub(t)) + " ago)"
}

// left is how long until then, in whole seconds that have begun: an order for two
// hours lasts 2h00m, not 1h59m.
func left(until, now time.Time) string { return age(until.Sub(now) + time.Second - 1) }

// more is how long something still lasts; nil is without end.
func more(until *time.Time, now time.Time) string {
	if until == nil {
		return ""
	}
	return " for " + left(*until, now) + " more"
}

// in is when something is due.
func in(t, now time.Time) string {
	if !t.After(now) {
		return "now"
	}
	return "in " + left(t, now)
}

// height is a block height.
func height(h *uint64) string {
	if h == nil {
		return unknown
	}
	return strconv.FormatUint(*h, 10)
}

// lag is a number of blocks behind the tip.
func lag(l *int64) string {
	if l == nil {
		return unknown
	}
	return strconv.FormatInt(*l, 10)
}

// latency is a number of milliseconds: 3.1ms, 120ms, 2.5s.
func latency(ms *float64) string {
	switch {
	case ms == nil:
		return unknown
	case *ms < 9.95:
		return fmt.Sprintf("%.1fms", *ms)
	case *ms < 999.5:
		return fmt.Sprintf("%.0fms", *ms)
	}
	return fmt.Sprintf("%.1fs", *ms/1000)
}

// count is a number with its noun.
func count(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}
