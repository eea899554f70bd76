// Package gateway is the data path: it forwards the requests of clients to the
// providers of a chain, the active one first and then, in the very same request,
// the others that may serve.
//
// It decides nothing about who may serve. A provider that is not in the route that
// the Router gives is never asked, whatever else is down; and what the gateway
// learns about those that are (see record) only changes their order, and only for
// a time. It probes nobody, stores no answer, and keeps no height.
//
// Invariants: a client gets exactly one answer, from one provider or from the
// gateway itself, with its own id; an answer that broke off is never made to look
// whole. What another provider can cure is tried there, what the chain refused is
// an answer. What might be carried out twice with harm goes to a second provider
// only if the first one certainly did not see it. Nothing of a caller's header
// goes out but what is about the content, and no credential of a provider's comes
// back. Of an answer a bounded beginning is held, of a request a bounded body.
package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Gateway forwards requests. Make it with New; it is an http.Handler for routes
// with the parameter chain and, below that, anything.
type Gateway struct {
	options Options
	heads   *heads
	metrics *metrics

	// mu guards what follows.
	mu      *sync.RWMutex
	lanes   map[string]*lane
	methods map[string]Methods
	// settings are those of single chains.
	settings map[string]Settings

	// sockets are the open WebSockets, running what has to end before Close
	// returns.
	sockets *sockets
	running *sync.WaitGroup
}

// New makes a gateway. It opens no connection.
func New(o Options) (*Gateway, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		options: o, heads: newHeads(o.HeadSize), mu: &sync.RWMutex{}, lanes: map[string]*lane{},
		methods: maps.Clone(o.Methods), settings: maps.Clone(o.Settings), sockets: newSockets(), running: &sync.WaitGroup{},
	}
	if g.metrics, err = newMetrics(g, o.Registerer); err != nil {
		return nil, fmt.Errorf("gateway: metrics: %w", err)
	}
	return g, nil
}

// Close ends all WebSockets, and waits for what is under way beside the requests
// themselves, which the server that brought them ends.
func (g *Gateway) Close() {
	g.sockets.close()
	g.running.Wait()
}

// SetMethods puts other lists in force, such as those of a new configuration.
func (g *Gateway) SetMethods(m map[string]Methods) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.methods = maps.Clone(m)
	for _, l := range g.lanes {
		l.policy.Store(nil)
	}
}

// Probed takes the result of a probe as evidence, as the keeper takes that of its
// health checks: a provider in quarantine is out of it with the next good one.
func (g *Gateway) Probed(chain, provider string, good bool) {
	if route, ok := g.options.Router.Route(chain); ok {
		g.lane(&route).probed(provider, good, g.options.Now())
	}
}

// ServeHTTP answers one request, whose chain and path are parameters of a router.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.serve(w, r, chi.URLParam(r, "chain"), chi.URLParam(r, "*"))
}

// Under is a handler for what stands below a prefix, such as /rpc/, and leaves
// every other path to another one. It is the same as a router before ServeHTTP, at
// a tenth of its price.
func (g *Gateway) Under(prefix string, otherwise http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below, ok := strings.CutPrefix(pathOf(r), prefix)
		chain, rest, _ := strings.Cut(below, "/")
		if !ok || chain == "" {
			otherwise.ServeHTTP(w, r)
			return
		}
		g.serve(w, r, chain, rest)
	})
}

// At is a handler whose every path belongs to one chain, for an address of the
// chain's own.
func (g *Gateway) At(chain string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.serve(w, r, chain, strings.TrimPrefix(pathOf(r), "/"))
	})
}

// pathOf is the path as it came.
func pathOf(r *http.Request) string {
	if r.URL.RawPath != "" {
		return r.URL.RawPath
	}
	return r.URL.Path
}

// serve answers one request for a chain. rest is the path below the chain's own, as
// it came.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, chain, rest string) {
	h := w.Header()
	h["Content-Security-Policy"], h["X-Content-Type-Options"] = inert, asTold
	route, ok := g.options.Router.Route(chain)
	if !ok {
		writeProblem(w, noChain)
		return
	}
	if r.Method != http.MethodPost && r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET, POST")
		writeProblem(w, problem{status: http.StatusMethodNotAllowed, title: "Method not allowed"})
		return
	}
	l := g.lane(&route)
	x := exchange{Gateway: g, lane: l, settings: *l.settings.Load(), route: route, rest: rest, writer: w, request: r, begin: g.options.Now()}
	if x.settings.Off {
		writeProblem(w, problem{status: http.StatusNotFound, title: "Not forwarded", detail: "The configuration has the gateway switched off for this chain."})
		return
	}
	x.lane.inFlight.Add(1)
	defer func() {
		x.lane.inFlight.Add(-1)
		x.lane.results[x.result].Add(1)
		if x.asked > 0 {
			x.lane.attempts.Observe(float64(x.asked))
			x.lane.seconds.Observe(g.options.Now().Sub(x.begin).Seconds())
		}
	}()
	x.serve()
}

// lane is the memory of a chain.
func (g *Gateway) lane(route *Route) *lane {
	g.mu.RLock()
	l := g.lanes[route.Chain]
	g.mu.RUnlock()
	if l != nil {
		return l
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.lanes[route.Chain]; l != nil {
		return l
	}
	l = &lane{
		chain: route.Chain, onQuarantine: g.options.OnQuarantine, records: map[string]*record{},
		seconds: g.metrics.seconds.WithLabelValues(route.Chain), attempts: g.metrics.attempts.WithLabelValues(route.Chain),
	}
	g.tuneLocked(l)
	g.lanes[route.Chain] = l
	return l
}

// policy is what is let through to a chain.
func (g *Gateway) policy(l *lane, kind config.Kind) *policy {
	if p := l.policy.Load(); p != nil {
		return p
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	m, ok := g.methods[l.chain]
	if !ok {
		m = g.methods[""]
	}
	p := newPolicy(kind, m)
	l.policy.Store(p)
	return p
}

// forget drops the memory of chains that are not configured any more.
func (g *Gateway) forget(configured []string) {
	known := map[string]bool{}
	for _, chain := range configured {
		known[chain] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for chain := range g.lanes {
		if !known[chain] {
			delete(g.lanes, chain)
			g.metrics.seconds.DeleteLabelValues(chain)
			g.metrics.attempts.DeleteLabelValues(chain)
		}
	}
}
