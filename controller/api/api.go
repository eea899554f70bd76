// Package api is the controller's HTTP interface for programs and operators:
// who serves a chain, how to be told of a change, what is known of the
// providers, and the orders drain, pin and failback.
//
// It decides nothing and remembers nothing that is not in its View; it renders,
// guards and counts. The gateway, the metrics, reload and the status page are
// not its matter.
//
// Invariants: whole addresses of providers go to callers only who are trusted or
// show the admin token; nothing is changed by a caller who is neither. Whoever
// waits holds one of a bounded number of places, is answered when the API stops,
// and is dropped if it does not read. An answer is never older than the View was
// when the request came.
package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// DefaultMaxWatchers is how many requests may wait at the same time.
const DefaultMaxWatchers = 10_000

// Options are what the API needs from its surroundings.
type Options struct {
	View     View
	Operator Operator
	// Trusted says whether a request came over a loopback listener or is
	// authenticated; nil: none is.
	Trusted func(*http.Request) bool
	// Authenticated says that every caller had to show a password or a
	// certificate. Without it, trust rests on a loopback listener alone, and
	// requests under a foreign host name are not trusted: a web page can make a
	// browser on this machine send those.
	Authenticated bool
	// AdminToken is what callers of admin routes have to present; "": being trusted
	// is enough.
	AdminToken string
	// ExternalURL is where this is reached from outside; "": nowhere.
	ExternalURL string
	// Failover is what the gateway knows of a chain's endpoints, with redacted URLs;
	// false if it forwards nothing to the chain. nil: there is no gateway.
	Failover func(chain string) (wire.Failover, bool)
	// Webhook takes what Alertmanager posts; nil: there is no such route.
	Webhook http.Handler
	// WebhookOpen says that Webhook asks for a token itself, so that callers need
	// not be trusted.
	WebhookOpen bool
	// MaxWatchers bounds long polls and streams together; 0 is DefaultMaxWatchers.
	MaxWatchers int
	// Registerer takes the API's metrics; nil: they are not published.
	Registerer prometheus.Registerer
	// Logger receives what operators should know; nil discards it.
	Logger *slog.Logger
}

// API is the handler. Make it with New; Stop ends it.
type API struct {
	view     View
	operator Operator
	options  Options
	logger   *slog.Logger
	router   *chi.Mux
	metrics  *metrics
	pages    pages
	feeds    feeds
	watchers watchers
	origins  *http.CrossOriginProtection
	// token is the digest of the admin token.
	token [sha256.Size]byte
	// externalHost is the host name of ExternalURL; "" if there is none.
	externalHost string
	// stopping ends with Stop. It bounds the API's life, not a request's.
	stopping context.Context
	stop     context.CancelFunc
	stopOnce sync.Once
}

// New makes the API. It starts nothing; a goroutine runs only while somebody
// streams events.
func New(o Options) (*API, error) {
	if o.View == nil || o.Operator == nil {
		return nil, errors.New("the API needs a View and an Operator")
	}
	if o.MaxWatchers == 0 {
		o.MaxWatchers = DefaultMaxWatchers
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Trusted == nil {
		o.Trusted = func(*http.Request) bool { return false }
	}
	a := &API{
		view: o.View, operator: o.Operator, options: o, logger: o.Logger.With("component", "api"),
		token: sha256.Sum256([]byte(o.AdminToken)), origins: http.NewCrossOriginProtection(),
	}
	if err := a.setExternalURL(o.ExternalURL); err != nil {
		return nil, err
	}
	a.stopping, a.stop = context.WithCancel(context.Background())
	a.pages.view = o.View
	a.feeds.view = o.View
	a.watchers.max = int64(o.MaxWatchers)
	var err error
	if a.metrics, err = newMetrics(o.Registerer, &a.watchers); err != nil {
		return nil, fmt.Errorf("metrics of the API: %w", err)
	}
	a.router = a.routes()
	return a, nil
}

// setExternalURL makes the host of --web.external-url one of ours.
func (a *API) setExternalURL(raw string) error {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return errors.New("the external URL is not a URL with a host")
	}
	a.externalHost = strings.ToLower(u.Hostname())
	if err := a.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return fmt.Errorf("the external URL: %w", err)
	}
	return nil
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// Stop answers everybody who waits with what there is, ends the streams, and
// keeps further requests from waiting. Requests that do not wait are served as
// before. It returns when nothing of the API's own runs any more, and may be
// called again.
func (a *API) Stop() {
	a.stopOnce.Do(a.stop)
	a.feeds.close()
}
