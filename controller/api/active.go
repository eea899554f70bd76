package api

import (
	"net/http"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// serveActives answers who serves each chain.
func (a *API) serveActives(w http.ResponseWriter, r *http.Request) error {
	q, wrong := ask(r)
	if wrong != nil {
		return wrong
	}
	whole := a.mayKnow(r)
	if q.capability == "" {
		return a.serve(w, r, q, "", func() *page { return a.pages.all(whole) })
	}
	return a.serve(w, r, q, "", func() *page {
		// The index is read first, so that nothing in the list is older.
		l := a.view.Actives()
		capable := wire.ActiveList{Index: l.Index}
		for _, every := range l.Chains {
			if active, ok := a.view.Active(every.Chain, q.capability); ok {
				capable.Chains = append(capable.Chains, active)
			}
		}
		return listPage(capable, whole, q.capability)
	})
}

// serveActive answers who serves a chain.
func (a *API) serveActive(w http.ResponseWriter, r *http.Request) error {
	q, wrong := ask(r)
	if wrong != nil {
		return wrong
	}
	chain, as, whole := param(r, "chain"), negotiate(r), a.mayKnow(r)
	if q.capability == "" {
		return a.serve(w, r, q, chain, func() *page { return a.pages.of(chain, as, whole) })
	}
	return a.serve(w, r, q, chain, func() *page {
		active, ok := a.view.Active(chain, q.capability)
		if !ok {
			return nil
		}
		return activePage(active, as, whole, q.capability)
	})
}

// serve sends the newest page, which is nil if the chain is not configured. If
// the caller knows it already, by its index or by its tag, and is ready to wait,
// the next one is sent as soon as there is one.
func (a *API) serve(w http.ResponseWriter, r *http.Request, q question, chain string, newest func() *page) error {
	p := newest()
	if p == nil {
		return unknownChain(chain)
	}
	after, news := p.index, !p.isKnown(r)
	if q.indexed {
		after, news = q.index, p.index > q.index
	}
	if !news && q.wait > 0 {
		noteWait(w)
		if crowded := a.await(r, chain, after, q.wait); crowded != nil {
			return crowded
		}
		if p = newest(); p == nil {
			return unknownChain(chain)
		}
	}
	p.send(w, r)
	return nil
}

// unknownChain refuses what is about a chain that is not configured.
func unknownChain(chain string) *problem {
	return refuse(http.StatusNotFound, "There is no chain %q. GET /active lists those that are configured.", shortened(chain))
}

// shortened keeps what a caller sent from filling an answer or a line of the log.
func shortened(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
