package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-rpc/understudy/internal/simulator"
)

var (
	// genesis is when the chains of lone providers began. It is the same for all,
	// so that providers in different processes have the same heights.
	genesis = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	// pause is between the end of a script and its next beginning.
	pause = 30 * time.Second
)

// Lone is one provider of a script, served by itself. Those of one script agree
// on their chains and on when a fault begins, wherever they run: both depend on
// the time of day alone. Make it with Scenario.Lone.
type Lone struct {
	chain    *simulator.Chain
	provider *simulator.Provider
	steps    []Step
	round    time.Duration
}

// Lone makes one provider of the script. It fails if the script has none of that
// name.
func (s Scenario) Lone(chain, provider string) (*Lone, error) {
	for _, c := range s.Chains {
		for _, p := range c.Providers {
			if c.Name == chain && p.Name == provider {
				return s.lone(c, p), nil
			}
		}
	}
	return nil, fmt.Errorf("the script has no provider %s/%s", chain, provider)
}

func (s Scenario) lone(c Chain, p Provider) *Lone {
	// The chain begins with the first look at its clock.
	now := func() time.Time { return genesis }
	chain := simulator.NewChain(simulator.ChainOptions{
		Name: c.Name, Kind: kindOf(c), BaseHeight: 10_000, BlockTime: c.BlockTime,
		Now: func() time.Time { return now() },
	})
	now = time.Now
	l := &Lone{chain: chain, round: s.End + pause}
	l.provider = simulator.NewProvider(chain, simulator.ProviderOptions{Name: p.Name, Type: p.Type, Remember: -1})
	for _, step := range s.Steps {
		if step.Chain == c.Name && step.Provider == p.Name {
			l.steps = append(l.steps, step)
		}
	}
	return l
}

// ServeHTTP answers as the provider does.
func (l *Lone) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.provider.ServeHTTP(w, r) }

// Play breaks the provider when the script says so, over and over, and tells of
// each step, until the context ends.
func (l *Lone) Play(ctx context.Context, tell func(Step)) {
	for {
		begin := time.Now().Truncate(l.round)
		for i, step := range l.steps {
			// Of what is over, only the last step still holds.
			if i+1 < len(l.steps) && time.Now().After(begin.Add(l.steps[i+1].At)) {
				continue
			}
			if !await(ctx, begin.Add(step.At)) {
				return
			}
			l.provider.SetBehaviour(behaviour(step, l.chain))
			tell(step)
		}
		if !await(ctx, begin.Add(l.round)) {
			return
		}
		l.provider.SetBehaviour(simulator.Behaviour{})
	}
}
