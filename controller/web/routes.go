package web

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// Patterns are the paths that the status page answers, for whoever mounts it.
var Patterns = []string{"/", "/chains/*", "/assets/*", "/login", "/logout"}

// policy is the Content-Security-Policy of every page: nothing but our own files.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (web *Web) routes() *chi.Mux {
	r := chi.NewRouter()
	r.Use(middleware.GetHead, harden)
	r.Get("/", web.serveIndex)
	r.Get("/chains/{chain}", web.serveChain)
	r.Post("/chains/{chain}/{provider}/"+orderDrain, web.ordered(orderDrain, web.drain))
	r.Post("/chains/{chain}/{provider}/"+orderUndrain, web.ordered(orderUndrain, web.undrain))
	r.Post("/chains/{chain}/{provider}/"+orderPin, web.ordered(orderPin, web.pin))
	r.Post("/chains/{chain}/{provider}/"+orderUnpin, web.ordered(orderUnpin, web.unpin))
	r.Post("/chains/{chain}/{provider}/"+orderFailback, web.ordered(orderFailback, web.failback))
	r.Get("/login", web.serveLogin)
	r.Post("/login", web.login)
	r.Post("/logout", web.logout)
	r.Get("/assets/{name}", web.assets.serve)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		web.sendProblem(w, r, http.StatusNotFound, "There is no such page.")
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		web.sendProblem(w, r, http.StatusMethodNotAllowed, "This page does not take "+r.Method+".")
	})
	return r
}

// harden sets what every answer has in its header.
func harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Without any referrer, browsers send no origin with forms either, by which
		// they are told from those of another site.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
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

// send renders a template and sends it whole or not at all.
func (web *Web) send(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		web.logger.Error("A page could not be made", "page", name, "err", err)
		http.Error(w, "The page could not be made. The log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// What is left to go wrong is the connection.
	_, _ = w.Write(b.Bytes())
}

// sendProblem answers with a page that says what is wrong.
func (web *Web) sendProblem(w http.ResponseWriter, r *http.Request, status int, text string) {
	p := web.page(r, http.StatusText(status))
	p.Problem = text
	web.send(w, status, "problem", p)
}

// seeOther sends the browser on to a page after a form. The address is relative,
// so that it is right behind a proxy that takes a prefix away.
func seeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// rootOf is the relative way from the page of a request to the status page.
func rootOf(r *http.Request) string {
	depth := strings.Count(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	if depth == 0 {
		return "."
	}
	return strings.TrimSuffix(strings.Repeat("../", depth), "/")
}
