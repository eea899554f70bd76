package controller

import (
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Route says which providers may answer for a chain now; false if the chain is
// not configured.
func (c *Controller) Route(chain string) (gateway.Route, bool) {
	posted, ok := c.board.Sheet().Chains[chain]
	if !ok {
		return gateway.Route{}, false
	}
	d := posted.Decision
	r := gateway.Route{
		Chain: chain, Kind: d.Config.Kind, Generation: d.State.Generation,
		Active: d.State.Current.Provider, Total: len(d.Config.Providers),
	}
	byName := map[string]config.Provider{}
	for _, p := range d.Config.Providers {
		byName[p.Name] = p
		r.Order = append(r.Order, p.Name)
	}
	now := time.Now()
	for _, name := range order(d) {
		p := byName[name]
		transport := c.transports.of(chain, name)
		if transport == nil {
			continue
		}
		seen := c.observations.Provider(observation.Key{Chain: chain, Provider: name}, now)
		r.Endpoints = append(r.Endpoints, gateway.Endpoint{
			Provider: name, Type: p.Type, URL: p.RPCHost, Transport: transport,
			Healthy: healthy(d, name), Height: seen.Height, HeightKnown: seen.HeightKnown,
		})
	}
	return r, true
}

// order are the providers that may be asked, in the order to try: who serves,
// then the fallbacks. If none of them is healthy, then the others that are not
// known to be wrong, by preference, except during a split, when nobody knows who
// is right.
func order(d *board.Decision) []string {
	s := d.State
	var names []string
	if s.Current.Provider != "" {
		names = append(names, s.Current.Provider)
	}
	names = append(names, s.Fallbacks...)
	if s.Served == selection.OK || s.Split {
		return names
	}
	for _, p := range d.Config.Preferred() {
		m := s.Members[p.Name]
		if _, drained := s.Drains[p.Name]; m.Proven && !m.Integrity && !drained && p.Name != s.Current.Provider {
			names = append(names, p.Name)
		}
	}
	return names
}

// healthy says whether a provider is held for healthy.
func healthy(d *board.Decision, provider string) bool {
	return d.State.Members[provider].State == health.Healthy
}
