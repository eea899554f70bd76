package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/common/version"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/web"
	"github.com/understudy-rpc/understudy/internal/config"
)

// exporterPage is where run has the table of the exporter, as the status page
// takes the root.
const exporterPage = "/exporter"

// open puts together what a command that decides serves: the API, the gateway,
// the alerts, the status page, and for every other path the pages given. Their
// own root, if they have one, moves to exporterPage.
func (s *service) open(c *controller.Controller, g *gateway.Gateway, o controller.Options, f decisionFlags, pages http.Handler, hasRoot bool) error {
	admin, err := tokenIn(*f.adminToken)
	if err != nil {
		return fmt.Errorf("--web.admin-token-file: %w", err)
	}
	a, err := api.New(api.Options{
		View: c.Overview(), Operator: c, Trusted: s.trusts, Authenticated: s.exposed.authenticated,
		AdminToken: admin, ExternalURL: *s.flags.externalURL, Webhook: c.Webhook(), WebhookOpen: o.WebhookToken != "",
		Failover: failover(g), MaxWatchers: *f.maxWatchers, Registerer: o.Registerer, Logger: s.logger,
	})
	if err != nil {
		return err
	}
	s.stopping = append(s.stopping, a.Stop, g.Close)
	prefix := strings.TrimSuffix(s.prefix, "/")
	own := http.StripPrefix(prefix, a)
	r := chi.NewRouter()
	for _, path := range []string{
		"/active", "/active/*", "/events", "/thorchain/*", "/webhooks/*", "/health", "/openapi.yaml",
		"/-/healthy", "/-/ready",
	} {
		r.Handle(prefix+path, own)
	}
	r.Get(prefix+"/alerts", c.ServeAlerts)
	r.Get(prefix+*s.flags.telemetryPath, a.Metrics(pages).ServeHTTP)
	for _, pattern := range []string{"/-/reload", "/chains/{chain}/observed-height"} {
		r.Handle(prefix+pattern, a.Guarded(pattern, pages))
	}
	if err := s.openStatusPage(r, a, c, hasRoot); err != nil {
		return err
	}
	if hasRoot {
		r.Get(prefix+exporterPage, func(w http.ResponseWriter, r *http.Request) { pages.ServeHTTP(w, at(r, prefix+"/")) })
	}
	r.Mount("/", pages)
	s.handler = g.Under(prefix+"/rpc/", r)
	entrances, err := entrancesOf(*f.entrances, o.Config.Chains)
	if err != nil {
		return err
	}
	return s.openEntrances(entrances, g)
}

// openStatusPage puts the status page at the root.
func (s *service) openStatusPage(r chi.Router, a *api.API, c *controller.Controller, hasExporter bool) error {
	links := []web.Link{
		{Name: "Metrics", Path: strings.TrimPrefix(*s.flags.telemetryPath, "/")}, {Name: "Alerts", Path: "alerts"},
		{Name: "Configuration", Path: "config"}, {Name: "HTTP interface", Path: "openapi.yaml"},
	}
	if hasExporter {
		links = append(links, web.Link{Name: "Exporter", Path: strings.TrimPrefix(exporterPage, "/")})
	}
	page, err := web.New(web.Options{
		View: c.Overview(), Operator: c, Guard: a, ExternalURL: *s.flags.externalURL, Links: links,
		Version: version.Version, Logger: s.logger,
	})
	if err != nil {
		return err
	}
	prefix := strings.TrimSuffix(s.prefix, "/")
	for _, path := range web.Patterns {
		r.Handle(prefix+path, http.StripPrefix(prefix, page))
	}
	if prefix != "" {
		// Links on the page are relative to a root with a slash at its end.
		r.Get(prefix, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, prefix+"/", http.StatusMovedPermanently)
		})
	}
	return nil
}

// at is a request for another path.
func at(r *http.Request, path string) *http.Request {
	r = r.Clone(r.Context())
	r.URL.Path, r.URL.RawPath = path, ""
	return r
}

// trusts says whether a caller may see whole addresses and give orders: if
// everybody who can call had to show who they are, or the caller came over a
// listener that only this machine can reach.
func (s *service) trusts(r *http.Request) bool {
	if s.exposed.authenticated {
		return true
	}
	if s.exposed.beyondLoopback && s.anyWildcard() {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	if local.Network() == "unix" {
		return true
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// anyWildcard says that a listener takes both what comes from this machine and
// what does not, so that an address tells nothing: behind a reverse proxy,
// everybody comes from this machine.
func (s *service) anyWildcard() bool {
	if *s.flags.web.WebSystemdSocket {
		return true
	}
	for _, address := range *s.flags.web.WebListenAddresses {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			continue
		}
		if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.Unmap().IsUnspecified()) {
			return true
		}
	}
	return false
}

// introduce says what is watched, so that whoever starts the program without a
// configuration knows what it does.
func (p *program) introduce(s *service, cfg config.Config) {
	if cfg.Source == config.ExampleName {
		s.logger.Warn("No configuration was given, so the built-in example of free public endpoints is watched", "advice", "write your own to "+defaultFile+" or name it with --config.file")
	}
	for _, c := range cfg.Chains {
		names := make([]string, 0, len(c.Providers))
		for _, provider := range c.Preferred() {
			names = append(names, provider.Name)
		}
		s.logger.Info("Watching", "chain", c.Name, "providers", strings.Join(names, ", "))
	}
	where := "http://" + (*s.flags.web.WebListenAddresses)[0] + strings.TrimSuffix(s.prefix, "/")
	s.logger.Info("Who serves is told at", "active", where+"/active", "providers", where+"/thorchain/providers", "metrics", where+*s.flags.telemetryPath)
}
