package main

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// newGateway makes the gateway of a controller. A provider that it puts into
// quarantine is looked at anew by whoever decides, and probed by hasten, if it is
// not nil.
func newGateway(c *controller.Controller, cfg config.Config, registerer prometheus.Registerer, logger *slog.Logger, hasten func(chain, provider string)) (*gateway.Gateway, error) {
	settings, methods := gatewaySettings(cfg)
	return gateway.New(gateway.Options{
		Router: c, Chains: c.Chains, Registerer: registerer, Logger: logger.With("component", "gateway"),
		Settings: settings, Methods: methods,
		OnQuarantine: func(chain, provider string) {
			if hasten != nil {
				hasten(chain, provider)
			}
			c.Trigger()
		},
	})
}

// applyGateway puts the settings of a configuration in force.
func applyGateway(g *gateway.Gateway, cfg config.Config) {
	settings, methods := gatewaySettings(cfg)
	g.SetSettings(settings)
	g.SetMethods(methods)
}

// gatewaySettings are the gateway's settings by chain.
func gatewaySettings(cfg config.Config) (map[string]gateway.Settings, map[string]gateway.Methods) {
	settings, methods := map[string]gateway.Settings{}, map[string]gateway.Methods{}
	for _, c := range cfg.Chains {
		g := c.Gateway
		settings[c.Name] = gateway.Settings{
			Off: !g.Enabled, AttemptTimeout: g.AttemptTimeout, RequestTimeout: g.RequestTimeout, HedgeAfter: g.HedgeAfter,
			FailureThreshold: g.FailureThreshold, Cooldown: g.Cooldown,
		}
		methods[c.Name] = gateway.Methods{Allow: g.Methods.Allow, Deny: g.Methods.Deny}
	}
	return settings, methods
}

// failover is what the gateway knows of a chain, in the form that it is told in.
func failover(g *gateway.Gateway) func(chain string) (wire.Failover, bool) {
	return func(chain string) (wire.Failover, bool) {
		s, ok := g.State(chain)
		if !ok {
			return wire.Failover{}, false
		}
		f := wire.Failover{
			ActiveIndex: s.ActiveIndex, ActiveRegion: s.ActiveRegion, ActiveURL: s.ActiveURL,
			HealthyEndpoints: s.HealthyEndpoints, TotalEndpoints: s.TotalEndpoints,
			Events: s.Events(), Switches: s.Switches(), Endpoints: make([]wire.FailoverEndpoint, 0, len(s.Endpoints)),
		}
		for _, e := range s.Endpoints {
			f.Endpoints = append(f.Endpoints, wire.FailoverEndpoint{
				Index: e.Index, Region: e.Region, Provider: e.Provider, URL: e.URL, Score: e.Score, Unavailable: e.Unavailable,
				ConsecutiveFailures: e.ConsecutiveFailures, TotalFailures: e.TotalFailures, TotalSuccesses: e.TotalSuccesses,
				LastFailureAt: e.LastFailureAt, LastSuccessAt: e.LastSuccessAt, CooldownUntil: e.CooldownUntil,
				AvgLatencyMs: e.AvgLatencyMs, ErrorRate: e.ErrorRate, Samples: e.Samples,
				LatestLedger: e.LatestLedger, LedgerLag: e.LedgerLag,
			})
		}
		return f, true
	}
}
