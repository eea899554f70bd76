package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
)

// What follows is for pages on the same listener that take orders as well, so
// that who may give one is judged in one place.

// NeedsToken says that there is an admin token, which orders need.
func (a *API) NeedsToken() bool { return a.options.AdminToken != "" }

// IsToken says whether a text is the admin token. Digests are compared, as the
// time of a comparison tells the length of what is compared.
func (a *API) IsToken(presented string) bool {
	if a.options.AdminToken == "" {
		return false
	}
	digest := sha256.Sum256([]byte(presented))
	return subtle.ConstantTimeCompare(digest[:], a.token[:]) == 1
}

// CheckOrigin refuses a request that a page of another site has made.
func (a *API) CheckOrigin(r *http.Request) error { return a.origins.Check(r) }

// NewOrder checks what an operator gives with an order: a reason and for how long
// it holds, such as 30m, 2h or 1d; empty: until it is taken back. Its error says
// to the operator what is wrong.
func NewOrder(reason, holds string) (Order, error) {
	o, wrong := orderOf(reason, holds)
	if wrong != nil {
		return Order{}, wrong
	}
	return o, nil
}

// Guarded is another handler behind the guards of orders: pages of other sites,
// and callers who may not give orders, are refused. Its requests are counted
// under the pattern. It is for what changes something outside the API, such as a
// reload.
func (a *API) Guarded(pattern string, h http.Handler) http.Handler {
	return a.fenced(pattern, func(w http.ResponseWriter, r *http.Request) error {
		if wrong := a.guard(r); wrong != nil {
			return wrong
		}
		h.ServeHTTP(w, r)
		return nil
	})
}

// guard is nil if a request may change something.
func (a *API) guard(r *http.Request) *problem {
	if err := a.origins.Check(r); err != nil {
		return refuse(http.StatusForbidden, "The request comes from a page of another site.")
	}
	return a.mayOrder(r)
}
