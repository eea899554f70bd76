package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
)

// The routes whose patterns are needed more than once.
const (
	routeDrain    = "/thorchain/providers/{chain}/{provider}/drain"
	routePin      = "/thorchain/providers/{chain}/pin"
	routeFailback = "/thorchain/providers/{chain}/failback"
	routeWebhook  = "/webhooks/alertmanager"
)

// methods are those that a route may have.
var methods = []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut}

// routes are all that the API answers.
func (a *API) routes() *chi.Mux {
	r := chi.NewRouter()
	get := func(pattern string, h handler) {
		f := a.fenced(pattern, h)
		r.Get(pattern, f)
		r.Head(pattern, f)
	}
	get("/active", a.serveActives)
	get("/active/{chain}", a.serveActive)
	get("/events", a.serveEvents)
	get("/thorchain/providers", a.serveChains)
	get("/thorchain/providers/{chain}", a.serveChain)
	get("/health", a.serveHealth)
	get("/-/healthy", a.serveHealthy)
	get("/-/ready", a.serveReady)
	get("/openapi.yaml", a.serveDescription)

	r.Put(routeDrain, a.fenced(routeDrain, a.ordered(a.drain)))
	r.Delete(routeDrain, a.fenced(routeDrain, a.ordered(a.undrain)))
	r.Put(routePin, a.fenced(routePin, a.ordered(a.pin)))
	r.Delete(routePin, a.fenced(routePin, a.ordered(a.unpin)))
	r.Post(routeFailback, a.fenced(routeFailback, a.ordered(a.failback)))
	if a.options.Webhook != nil {
		r.Post(routeWebhook, a.fenced(routeWebhook, a.serveWebhook))
	}
	r.NotFound(a.fenced(unmatched, func(http.ResponseWriter, *http.Request) error {
		return refuse(http.StatusNotFound, "There is nothing here. /openapi.yaml describes what there is.")
	}))
	r.MethodNotAllowed(a.fenced(unmatched, a.refuseMethod))
	return r
}

// refuseMethod says which methods there are.
func (a *API) refuseMethod(_ http.ResponseWriter, r *http.Request) error {
	path := r.URL.Path
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePath != "" {
		path = c.RoutePath
	}
	allowed := slices.Clone(methods)
	allowed = slices.DeleteFunc(allowed, func(method string) bool {
		return !a.router.Match(chi.NewRouteContext(), method, path)
	})
	list := strings.Join(allowed, ", ")
	return refuse(http.StatusMethodNotAllowed, "This takes %s.", list).with("Allow", list)
}

// param is a name in the path.
func param(r *http.Request, name string) string {
	value := chi.URLParam(r, name)
	if r.URL.RawPath != "" {
		// The router has matched the path as it was sent.
		if plain, err := url.PathUnescape(value); err == nil {
			return plain
		}
	}
	return value
}
