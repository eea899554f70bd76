package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
)

// What follows is for pages on the same listener that take orders as well, so
// that who may give one is judged in one place.

// Trusts says whether a request comes from this machine or from somebody who is
// authenticated.
func (a *API) Trusts(r *http.Request) bool { return a.trusts(r) }

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
