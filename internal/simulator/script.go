package simulator

import (
	"slices"
	"time"
)

// Phase is a behaviour from a time on, until the next phase.
type Phase struct {
	// From is the time since the script's start.
	From time.Duration `json:"from"`
	Behaviour
}

// Script is a sequence of phases. Before the first one a provider is good.
type Script struct {
	Phases []Phase `json:"phases"`
	// Every begins the script again after so long; 0 plays it once.
	Every time.Duration `json:"every,omitempty"`
}

// play is a script with its start: what a provider follows.
type play struct {
	phases []Phase
	every  time.Duration
	start  time.Time
}

// newPlay orders the phases by their time.
func newPlay(s Script, start time.Time) *play {
	phases := slices.Clone(s.Phases)
	slices.SortStableFunc(phases, func(a, b Phase) int { return int(a.From - b.From) })
	return &play{phases: phases, every: s.Every, start: start}
}

// current is the behaviour of a time and when it began.
func (p *play) current(now time.Time) (*Behaviour, time.Time) {
	round, elapsed := p.round(now)
	for i := len(p.phases) - 1; i >= 0; i-- {
		if p.phases[i].From <= elapsed {
			return &p.phases[i].Behaviour, round.Add(p.phases[i].From)
		}
	}
	return &Behaviour{}, round
}

// next is when the behaviour changes after now; ok is false if it never does.
func (p *play) next(now time.Time) (at time.Time, ok bool) {
	round, elapsed := p.round(now)
	for _, phase := range p.phases {
		if phase.From > elapsed && (p.every <= 0 || phase.From < p.every) {
			return round.Add(phase.From), true
		}
	}
	return round.Add(p.every), p.every > 0
}

// round is when the current round of a repeated script began and how long ago
// that is.
func (p *play) round(now time.Time) (began time.Time, elapsed time.Duration) {
	elapsed = now.Sub(p.start)
	if p.every > 0 && elapsed >= 0 {
		elapsed %= p.every
	}
	return now.Add(-elapsed), elapsed
}
