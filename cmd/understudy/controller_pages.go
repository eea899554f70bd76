package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	versioncollector "github.com/prometheus/client_golang/prometheus/collectors/version"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// controllerProcess is what a controller without an exporter has of its own: a registry,
// and the configuration in force.
type controllerProcess struct {
	registry *prometheus.Registry
	load     func() (config.Config, error)
	config   atomic.Pointer[config.Config]

	reloadSuccess, reloadTimestamp, configHash prometheus.Gauge
}

// newControllerProcess reads the configuration.
func newControllerProcess(load func() (config.Config, error)) (*controllerProcess, error) {
	cfg, err := load()
	if err != nil {
		return nil, err
	}
	gauge := func(m rules.Metric) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: m.Name, Help: m.Help})
	}
	p := &controllerProcess{
		registry: prometheus.NewRegistry(), load: load, reloadSuccess: gauge(rules.ReloadSuccessful),
		reloadTimestamp: gauge(rules.ReloadTimestamp), configHash: gauge(rules.ConfigHash),
	}
	p.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		versioncollector.NewCollector("understudy"), p.reloadSuccess, p.reloadTimestamp, p.configHash,
	)
	p.take(cfg)
	return p, nil
}

// publishReady tells whether the controller is ready.
func (p *controllerProcess) publishReady(c *controller.Controller) {
	p.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: rules.Ready.Name, Help: rules.Ready.Help}, func() float64 {
		if c.Ready() == nil {
			return 1
		}
		return 0
	}))
}

// take notes the configuration in force.
func (p *controllerProcess) take(cfg config.Config) {
	p.config.Store(&cfg)
	p.reloadSuccess.Set(1)
	p.reloadTimestamp.Set(float64(time.Now().Unix()))
	h := fnv.New32a()
	// The form that is encoded hides secrets; a hash of a secret is a hint at it.
	if json.NewEncoder(h).Encode(cfg) == nil {
		p.configHash.Set(float64(h.Sum32()))
	}
}

// reload takes configuration and rules anew. A mistake in either leaves both as
// they were.
func (p *controllerProcess) reload(c *controller.Controller, g *gateway.Gateway) error {
	cfg, err := p.load()
	if err == nil {
		err = c.ReloadRules()
	}
	if err != nil {
		p.reloadSuccess.Set(0)
		return err
	}
	c.Apply(cfg)
	applyGateway(g, cfg)
	p.take(cfg)
	return nil
}

// pages are what a controller without an exporter serves beside the API.
func (p *controllerProcess) pages(s *service, reload func() error) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.GetHead)
	handler := promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{Registry: p.registry, EnableOpenMetrics: true})
	prefix := strings.TrimSuffix(s.prefix, "/")
	r.Handle("GET "+prefix+*s.flags.telemetryPath, handler)
	r.Get(prefix+"/config", func(w http.ResponseWriter, _ *http.Request) {
		text, err := p.config.Load().Redacted()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
		_, _ = w.Write(text)
	})
	r.Group(func(r chi.Router) {
		r.Use(s.trustedOnly, http.NewCrossOriginProtection().Handler)
		for _, method := range []string{http.MethodPost, http.MethodPut} {
			r.Method(method, prefix+"/-/reload", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if err := reload(); err != nil {
					http.Error(w, "The change was not taken; what was before stays in force.\n"+err.Error(), http.StatusInternalServerError)
					return
				}
				_, _ = fmt.Fprintln(w, "Reloaded.")
			}))
		}
	})
	if *s.flags.pprof {
		r.HandleFunc(prefix+"/debug/pprof/*", pprof.Index)
		r.HandleFunc(prefix+"/debug/pprof/profile", pprof.Profile)
		r.HandleFunc(prefix+"/debug/pprof/symbol", pprof.Symbol)
		r.HandleFunc(prefix+"/debug/pprof/trace", pprof.Trace)
	}
	return r
}

// trustedOnly refuses what changes something to callers who are not trusted.
func (s *service) trustedOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.trusts(r) {
			http.Error(w, "This is refused because the controller listens beyond loopback without authentication. Set --web.config.file, or listen on loopback.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
