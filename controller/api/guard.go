package api

import "net/http"

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
