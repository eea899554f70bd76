package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// statuses are the values of ?status=.
var statuses = []string{wire.StatusHealthy, wire.StatusRecovering, wire.StatusUnhealthy, wire.StatusUnknown}

// serveChains answers what is known of all chains.
func (a *API) serveChains(w http.ResponseWriter, r *http.Request) error {
	wanted, wrong := statusesOf(r)
	if wrong != nil {
		return wrong
	}
	whole := a.mayKnow(r)
	shown := wire.ChainList{Chains: []wire.Chain{}}
	for _, c := range a.view.Chains() {
		shown.Chains = append(shown.Chains, filtered(shownChain(c, whole), wanted))
	}
	sendDetails(w, shown)
	return nil
}

// serveChain answers what is known of a chain.
func (a *API) serveChain(w http.ResponseWriter, r *http.Request) error {
	wanted, wrong := statusesOf(r)
	if wrong != nil {
		return wrong
	}
	return a.sendChain(w, r, param(r, "chain"), wanted)
}

// sendChain answers with a chain.
func (a *API) sendChain(w http.ResponseWriter, r *http.Request, chain string, wanted []string) error {
	c, ok := a.view.Chain(chain)
	if !ok {
		return unknownChain(chain)
	}
	sendDetails(w, filtered(shownChain(c, a.mayKnow(r)), wanted))
	return nil
}

// sendDetails answers with JSON that differs from caller to caller.
func sendDetails(w http.ResponseWriter, body any) {
	w.Header().Set("Vary", "Authorization, "+tokenHeader)
	sendJSON(w, http.StatusOK, "application/json", body)
}

// statusesOf reads ?status=healthy,recovering; nil: all.
func statusesOf(r *http.Request) ([]string, *problem) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "The query cannot be read.")
	}
	var wanted []string
	for _, value := range values["status"] {
		for status := range strings.SplitSeq(value, ",") {
			if !slices.Contains(statuses, status) {
				return nil, refuse(http.StatusBadRequest, "status is one of %s, or several with commas between.", strings.Join(statuses, ", "))
			}
			wanted = append(wanted, status)
		}
	}
	return wanted, nil
}

// filtered leaves the providers of certain statuses. The numbers of the chain
// stay those of all its providers.
func filtered(c wire.Chain, wanted []string) wire.Chain {
	if wanted != nil {
		c.Providers = slices.DeleteFunc(c.Providers, func(p wire.Provider) bool { return !slices.Contains(wanted, p.Status) })
	}
	return c
}
