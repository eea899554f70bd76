package api

import (
	"net/http"
	"strings"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// serveHealth answers how the chains are served, or the one that is asked for.
func (a *API) serveHealth(w http.ResponseWriter, r *http.Request) error {
	actives := a.view.Actives().Chains
	if chain := r.URL.Query().Get("chain"); chain != "" {
		active, ok := a.view.Active(chain, "")
		if !ok {
			return unknownChain(chain)
		}
		actives = []wire.Active{active}
	}
	h := wire.Health{Status: "ok", Chains: map[string]string{}}
	status := http.StatusOK
	for _, active := range actives {
		h.Chains[active.Chain] = active.State
		switch {
		case active.State == wire.StateNone:
			h.Status, status = "unhealthy", http.StatusServiceUnavailable
		case active.State == wire.StateDegraded && status == http.StatusOK:
			h.Status = "degraded"
		}
	}
	if len(actives) == 1 {
		if f, ok := a.failover(actives[0].Chain); ok {
			h.Failover = &f
		}
	}
	sendJSON(w, status, "application/json", h)
	return nil
}

// serveHealthy answers that the process serves.
func (a *API) serveHealthy(w http.ResponseWriter, _ *http.Request) error {
	sendText(w, http.StatusOK, "Understudy is healthy.\n")
	return nil
}

// serveReady answers whether consumers should come here.
func (a *API) serveReady(w http.ResponseWriter, _ *http.Request) error {
	if a.stopping.Err() != nil {
		sendText(w, http.StatusServiceUnavailable, "Not ready: the controller is stopping.\n")
		return nil
	}
	missing := a.view.Ready()
	if len(missing) == 0 {
		sendText(w, http.StatusOK, "Understudy is ready.\n")
		return nil
	}
	var b strings.Builder
	for _, err := range missing {
		b.WriteString("Not ready: " + strings.TrimSuffix(err.Error(), ".") + ".\n")
	}
	sendText(w, http.StatusServiceUnavailable, b.String())
	return nil
}

// serveWebhook hands a message over that may come in. Only the webhook may be
// posted to from anywhere, as it has no use for a browser's session.
func (a *API) serveWebhook(w http.ResponseWriter, r *http.Request) error {
	if !a.options.WebhookOpen && !a.Trusts(r) {
		return refuse(http.StatusForbidden, "The webhook is taken on a loopback listener, under the name localhost, an IP address or the external URL's host, and from authenticated callers. Set --web.webhook-token-file to take it from elsewhere.")
	}
	a.options.Webhook.ServeHTTP(w, r)
	return nil
}
