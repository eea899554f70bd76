package overview

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/observation"
)

// History is how a provider did in the last minutes, oldest first.
func (o *Overview) History(chain, provider string) []history.Sample {
	return o.history.Of(chain, provider)
}

// remember keeps how every configured provider does now, for the charts.
func (o *Overview) remember(now time.Time) {
	if !o.history.Due(now) {
		return
	}
	var readings []history.Reading
	for chain, posted := range o.Board.Sheet().Chains {
		for _, p := range posted.Decision.Config.Providers {
			seen := o.Observations.Provider(observation.Key{Chain: chain, Provider: p.Name}, now)
			r := history.Reading{Chain: chain, Provider: p.Name}
			// Before the first verdict there is nothing to hold against it.
			r.Good = !seen.Probed || (seen.Good && seen.ConsecutiveErrors == 0)
			if seen.LatencyKnown {
				r.LatencyMS = &seen.LatencyMS
			}
			if lag, ok := o.Lag(chain, p.Name); ok {
				r.Lag = &lag
			}
			readings = append(readings, r)
		}
	}
	o.history.Take(now, readings)
}
