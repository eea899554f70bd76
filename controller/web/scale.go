package web

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// scale puts moments into places of a window.
type scale struct{ from, to time.Time }

// minWidth is how wide a stretch is drawn at least, in per cent, so that a short
// one is seen; minLabel from which width on there is room for a name.
const (
	minWidth = 0.35
	minLabel = 9
)

// share is where in the window a moment is, in per cent.
func (s scale) share(t time.Time) float64 {
	return float64(t.Sub(s.from)) / float64(s.to.Sub(s.from)) * 100
}

// place is the same as text.
func (s scale) place(t time.Time) string { return inPercent(s.share(t)) }

func inPercent(p float64) string { return strconv.FormatFloat(p, 'f', 2, 64) + "%" }

// clip are the parts of stretches that lie in the window. Where a clock that was
// set back lets them overlap, what was noted later holds.
func (s scale) clip(all []stretch) []stretch {
	var inside []stretch
	end := s.to
	for _, one := range slices.Backward(all) {
		if one.from.Before(s.from) {
			one.from = s.from
		}
		if one.to.After(end) {
			one.to = end
		}
		if one.to.After(one.from) {
			inside = append(inside, one)
			end = one.from
		}
	}
	slices.Reverse(inside)
	return inside
}

// bars are stretches as they are drawn.
func (s scale) bars(all []stretch, now time.Time) []bar {
	bars := make([]bar, 0, len(all))
	for i, one := range all {
		x := s.share(one.from)
		width := max(s.share(one.to)-x, minWidth)
		b := bar{X: inPercent(min(x, 100-width)), Width: inPercent(width), Class: one.what, Odd: i%2 == 1, Title: titleOf(one, now)}
		if width >= minLabel {
			b.Label = orNobody(one.what)
		}
		bars = append(bars, b)
	}
	return bars
}

// titleOf tells all about a stretch.
func titleOf(s stretch, now time.Time) string {
	text := fmt.Sprintf("%s, %s to %s UTC (%s)", orNobody(s.what), console.Clock(s.from, now), console.Clock(s.to, now), console.Age(s.to.Sub(s.from)))
	if s.why != "" {
		text += ": " + s.why
	}
	return text
}

// ticks are the marks of the axis, at round times in UTC.
func (s scale) ticks(window time.Duration) []tick {
	every := window / 6
	for _, w := range windows {
		if w.length == window {
			every = w.tick
		}
	}
	var all []tick
	for t := s.from.UTC().Truncate(every).Add(every); t.Before(s.to); t = t.Add(every) {
		// A label at the edge would be cut off.
		if share := s.share(t); share > 3 && share < 97 {
			all = append(all, tick{s.place(t), t.Format("15:04")})
		}
	}
	return all
}

// legend are the states in the order of their explanation.
var legend = []string{wire.StatusHealthy, wire.StatusRecovering, wire.StatusUnhealthy, wire.StatusUnknown}

// heightOf is how high a state is drawn, so that states differ in more than
// their colour.
func heightOf(class string) int {
	switch class {
	case wire.StatusUnhealthy:
		return 16
	case wire.StatusRecovering:
		return 12
	case wire.StatusHealthy:
		return 8
	}
	return 2
}
