package api

import (
	"net/http"
	"strings"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Metrics answers with what text does, the metrics in Prometheus's formats; but
// who asks for JSON by name gets the JSON that a Soroban keeper's dashboards read.
// With the parameter chain it is about that chain alone.
func (a *API) Metrics(text http.Handler) http.Handler {
	asJSON := a.fenced("/metrics", a.serveMetrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if asksForJSON(r) {
			asJSON(w, r)
			return
		}
		text.ServeHTTP(w, r)
	})
}

// serveMetrics answers what the gateway knows of the endpoints.
func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request) error {
	m := wire.Metrics{Failovers: map[string]wire.Failover{}}
	var names []string
	if chain := r.URL.Query().Get("chain"); chain != "" {
		if _, ok := a.view.Active(chain, ""); !ok {
			return unknownChain(chain)
		}
		names = []string{chain}
	} else {
		for _, active := range a.view.Actives().Chains {
			names = append(names, active.Chain)
		}
	}
	for _, name := range names {
		f, ok := a.failover(name)
		if !ok {
			continue
		}
		m.Failovers[name] = f
		m.FailoverEventsTotal += f.Events
		m.FailoverSwitchesTotal += f.Switches
		if len(names) == 1 {
			m.Failover = &f
		}
	}
	sendJSON(w, http.StatusOK, "application/json", m)
	return nil
}

// failover is what the gateway knows of a chain's endpoints.
func (a *API) failover(chain string) (wire.Failover, bool) {
	if a.options.Failover == nil {
		return wire.Failover{}, false
	}
	return a.options.Failover(chain)
}

// asksForJSON says whether JSON is asked for by name and nothing else more. What
// takes anything, as Prometheus and curl do, gets text.
func asksForJSON(r *http.Request) bool {
	var asJSON, asText, asOpenMetrics preference
	for _, line := range r.Header["Accept"] {
		for element := range strings.SplitSeq(line, ",") {
			kind, weight := mediaRange(element)
			asJSON.consider(kind, weight, "application/*", "application/json")
			asText.consider(kind, weight, "text/*", "text/plain")
			asOpenMetrics.consider(kind, weight, "application/*", "application/openmetrics-text")
		}
	}
	return asJSON.precision == exactly && asJSON.weight > 0 && asJSON.weight >= max(asText.weight, asOpenMetrics.weight)
}
