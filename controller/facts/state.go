package facts

import (
	"slices"
	"time"
)

// State is what of a table survives a restart.
type State struct {
	// Facts are those that stood, of both sources, each alert by itself.
	Facts    []Fact        `json:"facts"`
	Pipeline PipelineState `json:"pipeline"`
}

// PipelineState is what of a pipeline survives a restart.
type PipelineState struct {
	// Ruling says that Alertmanager ruled.
	Ruling bool `json:"ruling"`
	// Heard is when the watchdog last came.
	Heard time.Time `json:"heard"`
}

// Export is what is to survive a restart.
func (t *Table) Export(now time.Time) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := State{Facts: []Fact{}, Pipeline: t.pipeline.export(now)}
	for _, c := range t.chains {
		for f := range c.all {
			if f.stands(now) {
				s.Facts = append(s.Facts, f)
			}
		}
	}
	slices.SortFunc(s.Facts, order)
	return s
}

// Import takes in what Export gave before a restart, into a new table that knows
// its chains. Facts keep their times; those that have expired, or whose chain or
// provider is gone, are left out.
func (t *Table) Import(s State, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range s.Facts {
		c := t.chains[f.Chain]
		if c == nil || !c.providers[f.Provider] || !f.stands(now) {
			continue
		}
		// A clock that was set back must not make a fact last.
		if latest := now.Add(t.ttl); f.Expires.After(latest) {
			f.Refreshed, f.Expires = now, latest
		}
		switch f.Source {
		case Alertmanager:
			c.alertmanager[f.identity()] = &record{
				fact: f, firing: true, episode: earlier(f.Episode, now), changed: f.Refreshed, confirmed: f.Refreshed,
			}
		case Local:
			c.local[f.identity()] = f
		}
	}
	t.pipeline.restore(s.Pipeline, now)
	t.noticed = t.pipeline.Ruling(now).Source
}

func (p Pipeline) export(now time.Time) PipelineState {
	p.advance(now)
	return PipelineState{Ruling: p.ruling, Heard: p.heard}
}

// restore lets an Alertmanager that ruled before the restart do so again as soon
// as its API was read, if its watchdog was silent for no longer than it may be.
func (p *Pipeline) restore(s PipelineState, now time.Time) {
	if s.Heard.IsZero() || s.Heard.After(now) {
		return
	}
	p.heard = s.Heard
	if s.Ruling {
		p.alive, p.beats, p.beaten = true, goodBeats, s.Heard
	}
}
