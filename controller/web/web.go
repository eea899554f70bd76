// Package web is the status page: for people who want to see who serves each
// chain, why, and what the other providers are up to, and who want to drain or
// pin one.
//
// Pages are made on the server and complete without JavaScript; with it they
// follow the API's events and renew themselves in place. Styles, scripts and
// icons are embedded, and nothing is loaded from elsewhere. The package decides
// nothing, and keeps no state but what it has rendered from.
//
// Invariants: an address is shown by scheme and host, whoever looks. Orders are
// taken from whom the API would take them, and never from another site's page.
// Nothing on a page is a script, a style or an address but what is ours.
package web

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/understudy-rpc/understudy/controller/api"
)

// Options are what the status page needs from its surroundings.
type Options struct {
	View     View
	Operator api.Operator
	Guard    Guard
	// ExternalURL is where the listener is reached from outside; "": nowhere. With
	// https, the session's cookie is sent over TLS only.
	ExternalURL string
	// Links are further pages of the listener, for the foot of each page.
	Links []Link
	// Version is that of the program.
	Version string
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Link is a page beside the status page.
type Link struct {
	Name string
	// Path is without the route prefix and without a leading slash.
	Path string
}

// Web is the handler. Make it with New. Its paths are without a route prefix.
type Web struct {
	Options
	router   *chi.Mux
	logger   *slog.Logger
	sessions sessions
	events   eventCache
	assets   assets
}

// New makes the status page. It starts nothing.
func New(o Options) (*Web, error) {
	if o.View == nil || o.Operator == nil || o.Guard == nil {
		return nil, errors.New("the status page needs a View, an Operator and a Guard")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	outside, err := url.Parse(o.ExternalURL)
	if err != nil {
		return nil, errors.New("the external URL is not a URL")
	}
	w := &Web{Options: o, logger: o.Logger.With("component", "web"), assets: newAssets()}
	w.sessions = newSessions(outside.Scheme == "https", o.Now)
	w.events.view = o.View
	w.router = w.routes()
	return w, nil
}

// ServeHTTP answers one request.
func (web *Web) ServeHTTP(w http.ResponseWriter, r *http.Request) { web.router.ServeHTTP(w, r) }
