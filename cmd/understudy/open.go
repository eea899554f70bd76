package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/internal/config"
)

// open puts together what a command that decides serves: the API, the alerts,
// the gateway, and for every other path the pages given.
func (s *service) open(c *controller.Controller, g *gateway.Gateway, o controller.Options, f decisionFlags, pages http.Handler) error {
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
	r.Mount("/", pages)
	s.handler = g.Under(prefix+"/rpc/", r)
	return nil
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
		if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
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
