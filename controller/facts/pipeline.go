package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Mode says which of the two ways counts.
type Mode uint8

// The modes. The zero value is ModeFallback.
const (
	// ModeFallback lets Alertmanager rule while its watchdog is heard, and the
	// local evaluator otherwise.
	ModeFallback Mode = iota
	// ModeAlways lets both rule at the same time.
	ModeAlways
	// ModeLocal lets the local evaluator rule whatever Alertmanager does.
	ModeLocal
)

var modeNames = []string{ModeFallback: "fallback", ModeAlways: "always", ModeLocal: "local"}

// String is the mode as the command line writes it.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// ParseMode reads a mode from the command line.
func ParseMode(text string) (Mode, error) {
	if i := slices.Index(modeNames, text); i >= 0 {
		return Mode(i), nil
	}
	return 0, fmt.Errorf("evaluator %q: want one of %s", text, strings.Join(modeNames, ", "))
}

const (
	// DefaultWatchdogLimit is 2.5 times the 30 s after which the shipped
	// Alertmanager configuration repeats the watchdog.
	DefaultWatchdogLimit = 75 * time.Second
	// DefaultResendLimit is for how long Alertmanager may not have been told of an
	// alert that fires: Prometheus repeats it after a minute, unless its
	// --rules.alert.resend-delay says otherwise, and the next evaluation.
	DefaultResendLimit = 75 * time.Second
	// goodBeats is how many beats in a row bring Alertmanager back.
	goodBeats = 3
	// beatSpacing is the part of the limit that has to lie between two beats that
	// count: an Alertmanager that repeats itself, or a pair of them, is no three
	// beats. The limit is 2.5 gaps, so it is a quarter of a gap.
	beatSpacing = 10
	// maxWatchdogs bounds the episodes that are kept, one for each Prometheus.
	maxWatchdogs = 16
)

// Ruling says which facts count, and why one may believe so.
type Ruling struct {
	// Source is Alertmanager, Local or Both.
	Source Source
	// Since is since when it is so.
	Since time.Time
	// Heard is when the watchdog last came; zero before the first.
	Heard time.Time
	// Age is how long ago that was; zero before the first.
	Age time.Duration
	// Fresh says whether the watchdog is heard, whoever rules.
	Fresh bool
}

// Counts says whether the facts of a source count.
func (r Ruling) Counts(s Source) bool { return r.Source == s || r.Source == Both }

// Pipeline decides which of the two ways rules. It has no clock: a time that is
// passed in must not lie before the one of an earlier call. Make one with
// NewPipeline.
type Pipeline struct {
	mode     Mode
	expected bool
	limit    time.Duration
	resend   time.Duration

	ruling bool // Alertmanager rules, where the mode leaves a choice.
	since  time.Time
	heard  time.Time // Last beat, counted or not; zero: none.
	beats  int       // Good beats in a row since the way was last broken.
	beaten time.Time // Last beat that counted.
	alive  bool      // The last news of the watchdog was good.
	// episodes holds since when the watchdog of each Prometheus fires, by
	// fingerprint, so that late news of an earlier episode is told apart.
	episodes map[string]time.Time
}

// NewPipeline begins with the local evaluator in charge. expected says that an
// Alertmanager is configured: without one the local evaluator always rules. A
// limit of zero means DefaultWatchdogLimit.
func NewPipeline(mode Mode, expected bool, limit time.Duration, now time.Time) Pipeline {
	if limit == 0 {
		limit = DefaultWatchdogLimit
	}
	return Pipeline{mode: mode, expected: expected, limit: limit, resend: DefaultResendLimit, since: now}
}

// Beat takes in that a watchdog fires.
func (p *Pipeline) Beat(fingerprint string, episode, now time.Time) {
	p.advance(now)
	if p.late(fingerprint, episode) {
		return
	}
	p.keep(fingerprint, episode, now)
	fresh := p.alive && now.Sub(p.heard) <= p.limit
	p.heard, p.alive = now, true
	switch {
	case !fresh:
		p.beats, p.beaten = 1, now
	case now.Sub(p.beaten) >= p.limit/beatSpacing:
		p.beats, p.beaten = min(p.beats+1, goodBeats), now
	}
}

// Resolve takes in that a watchdog is over: the way is dying, and the local
// evaluator rules at once.
func (p *Pipeline) Resolve(fingerprint string, episode, now time.Time) {
	p.advance(now)
	if p.late(fingerprint, episode) {
		return
	}
	p.keep(fingerprint, episode, now)
	p.fall(now)
}

// Read takes in that Alertmanager's API was read. age is how long ago, by the
// same clock, Alertmanager was last told of its youngest watchdog: Alertmanager
// goes on repeating alerts for minutes after Prometheus is dead.
func (p *Pipeline) Read(age time.Duration, now time.Time) {
	p.advance(now)
	if age > max(p.limit, p.resend) {
		p.fall(now)
		return
	}
	if p.WantsReading(now) {
		p.ruling, p.since = true, now
	}
}

// WantsReading says that only a reading of Alertmanager's API is missing for it
// to rule.
func (p Pipeline) WantsReading(now time.Time) bool {
	p.advance(now)
	return p.expected && p.mode == ModeFallback && !p.ruling && p.alive && p.beats >= goodBeats
}

// Ruling says who rules.
func (p Pipeline) Ruling(now time.Time) Ruling {
	p.advance(now)
	r := Ruling{Source: Local, Since: p.since, Heard: p.heard, Fresh: p.alive}
	switch {
	case p.mode == ModeAlways:
		r.Source = Both
	case p.mode == ModeFallback && p.expected && p.ruling:
		r.Source = Alertmanager
	}
	if !p.heard.IsZero() {
		r.Age = now.Sub(p.heard)
	}
	return r
}

// Due is when the watchdog will have been silent for too long; zero if it is
// already.
func (p Pipeline) Due() time.Time {
	if !p.alive {
		return time.Time{}
	}
	return p.heard.Add(p.limit + 1)
}

// advance takes in that time has passed. The silence counts from its own
// moment, not from when somebody looked.
func (p *Pipeline) advance(now time.Time) {
	if p.alive && now.Sub(p.heard) > p.limit {
		p.fall(p.heard.Add(p.limit))
		// What comes after a silence is news, also from a clock that was set back.
		p.episodes = nil
	}
}

// fall gives the rule to the local evaluator.
func (p *Pipeline) fall(now time.Time) {
	if p.ruling {
		p.ruling, p.since = false, now
	}
	p.alive, p.beats, p.beaten = false, 0, time.Time{}
}

// late says whether news is of an earlier episode than known.
func (p *Pipeline) late(fingerprint string, episode time.Time) bool {
	return episode.Before(p.episodes[fingerprint])
}

// keep notes the episode of a watchdog. Where there are too many, which takes a
// sender that is up to no good, all are forgotten.
func (p *Pipeline) keep(fingerprint string, episode, now time.Time) {
	// A new map, as a copy of a Pipeline shares the one before.
	next := make(map[string]time.Time, len(p.episodes)+1)
	if len(p.episodes) < maxWatchdogs {
		maps.Copy(next, p.episodes)
	}
	next[fingerprint] = earlier(episode, now)
	p.episodes = next
}

// earlier is the earlier of two times. An episode from the future counts as one
// of now, or nothing could follow it until then.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
