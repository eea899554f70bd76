package controller

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/health"
	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/controller/selection"
	"github.com/understudy-rpc/understudy/internal/config"
)

// routes are the last routes by chain, since a gateway asks for one with every
// request.
type routes struct {
	// round grows with each evaluation, and with each change of the transports.
	round atomic.Uint64
	by    sync.Map
}

// laidRoute is a route and what it was made from.
type laidRoute struct {
	decision *board.Decision
	round    uint64
	at       time.Time
	route    gateway.Route
}

// routeAge is how long a route is used at most: what is known ages without an
// evaluation, too.
const routeAge = time.Second

// Route says which providers may answer for a chain now: none before the first
// decision. It is false if the chain is not configured.
func (c *Controller) Route(chain string) (gateway.Route, bool) {
	posted, ok := c.board.Sheet().Chains[chain]
	if !ok {
		return c.undecided(chain)
	}
	// The round is read before anything else, so that what changes meanwhile is seen
	// the next time.
	now, round := time.Now(), c.routes.round.Load()
	if last, ok := c.routes.by.Load(chain); ok {
		l, ok := last.(*laidRoute)
		if age := now.Sub(l.at); ok && l.decision == posted.Decision && l.round == round && age >= 0 && age < routeAge {
			return l.route, true
		}
	}
	r := c.route(posted.Decision, now)
	c.routes.by.Store(chain, &laidRoute{posted.Decision, round, now, r})
	return r, true
}

// undecided is the route of a chain that is configured and not decided yet. Its
// providers are named, so that their counters stand at zero before any request.
func (c *Controller) undecided(chain string) (gateway.Route, bool) {
	c.mu.Lock()
	o, ok := c.owners[chain]
	c.mu.Unlock()
	if !ok {
		return gateway.Route{}, false
	}
	return nobody(o.conf.Load().chain), true
}

// nobody is a route of a chain by which nobody may be asked.
func nobody(chain config.Chain) gateway.Route {
	r := gateway.Route{Chain: chain.Name, Kind: chain.Kind, Total: len(chain.Providers)}
	for _, p := range chain.Providers {
		r.Order, r.URLs = append(r.Order, p.Name), append(r.URLs, p.RPCHost)
	}
	return r
}

// route makes the route of a decision.
func (c *Controller) route(d *board.Decision, now time.Time) gateway.Route {
	chain, r := d.Config.Name, nobody(d.Config)
	r.Generation, r.Active, r.Known = d.State.Generation, d.State.Current.Provider, c.known(d.Config, now)
	byName := map[string]config.Provider{}
	for _, p := range d.Config.Providers {
		byName[p.Name] = p
	}
	for _, name := range order(d) {
		p := byName[name]
		transport := c.transports.of(chain, p)
		if transport == nil {
			continue
		}
		seen := c.observations.Provider(observation.Key{Chain: chain, Provider: name}, now)
		r.Endpoints = append(r.Endpoints, gateway.Endpoint{
			Provider: name, Operator: p.Operator, Type: p.Type, URL: p.RPCHost, Transport: transport,
			Healthy: healthy(d, name), Height: seen.Height, HeightKnown: seen.HeightKnown,
			Lead: c.lead(d.Config, name, now),
		})
	}
	return r
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

// known is what the gateway holds answers against.
func (c *Controller) known(chain config.Chain, now time.Time) gateway.Known {
	k := gateway.Known{MaxLag: chain.Failover.MaxBlockLag, MaxLead: maxLead(chain)}
	if !chain.Network.Any {
		k.Network = chain.Network.Value
	}
	if c.observations.Fresh(now) {
		k.Tip, k.TipKnown = c.overview.Tip(chain.Name)
	}
	return k
}

// fastest is how many blocks a chain is taken to make between two looks at it, if
// nobody knows how fast it is.
const fastest = 10_000

// maxLead is how far above the last known tip a block may be: as far as the policy
// allows, and as far as the chain may have grown since every provider was probed.
func maxLead(chain config.Chain) uint64 {
	if chain.BlockTime <= 0 {
		return chain.Failover.MaxBlockLead + fastest
	}
	longest := chain.Failover.HealthCheckInterval
	for _, p := range chain.Providers {
		longest = max(longest, p.HealthCheckInterval)
	}
	return chain.Failover.MaxBlockLead + 2*uint64(longest/chain.BlockTime)
}

// lead is how far above the tip a provider is that the rules have nothing against:
// they believe a leader that is proven to extend the others' chain, and any while
// the others stand still.
func (c *Controller) lead(chain config.Chain, provider string, now time.Time) uint64 {
	lag, ok := c.overview.Lag(chain.Name, provider)
	if !ok || lag >= 0 || uint64(-lag) <= chain.Failover.MaxBlockLead {
		return 0
	}
	for _, f := range c.facts.All(chain.Name, now) {
		if f.Provider == provider && f.Evidence {
			return 0
		}
	}
	return uint64(-lag)
}
