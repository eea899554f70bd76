package exporter

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/understudy-rpc/understudy/exporter/scanner"
)

// HandlerOptions say what of the HTTP interface is open.
type HandlerOptions struct {
	// TelemetryPath is where the metrics are; "" is /metrics.
	TelemetryPath string
	// RoutePrefix stands before every path; "" or "/" is none.
	RoutePrefix string
	// Actions opens what changes something or costs requests: reload, pushed
	// heights and probes on demand. It must be false when anybody can connect.
	Actions bool
	// Reload is what /-/reload does; nil is the exporter's own Reload.
	Reload func() error
	// Pprof opens the runtime's profiles under /debug/pprof/.
	Pprof bool
}

// Handler is the exporter's HTTP interface.
func (e *Exporter) Handler(o HandlerOptions) http.Handler {
	if o.TelemetryPath == "" {
		o.TelemetryPath = "/metrics"
	}
	if o.Reload == nil {
		o.Reload = e.Reload
	}
	r := chi.NewRouter()
	r.Use(middleware.GetHead)
	r.Handle("GET "+o.TelemetryPath, newMetricsHandler(e))
	r.Get("/-/healthy", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "Understudy is healthy.") })
	r.Get("/-/ready", e.serveReady)
	r.Get("/config", e.serveConfig)
	r.Get("/heads", e.serveHeads)
	r.Get("/", e.landing(o))
	r.Group(func(r chi.Router) {
		// A page in the operator's browser can reach loopback as well.
		r.Use(actions(o.Actions), http.NewCrossOriginProtection().Handler)
		r.Get("/probe", e.serveProbe)
		r.Post("/-/reload", serveReload(o.Reload))
		r.Put("/-/reload", serveReload(o.Reload))
		r.Put("/chains/{chain}/observed-height", e.serveObservedHeight)
	})
	if o.Pprof {
		r.HandleFunc("/debug/pprof/*", pprof.Index)
		r.HandleFunc("/debug/pprof/profile", pprof.Profile)
		r.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		r.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	prefix := strings.TrimSuffix(o.RoutePrefix, "/")
	if prefix == "" {
		return r
	}
	root := chi.NewRouter()
	root.Mount(prefix, r)
	return root
}

// maxPush bounds the body of a pushed height.
const maxPush = 4 << 10

// actions refuses what changes something, unless it is open.
func actions(open bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !open {
				writeText(w, http.StatusForbidden, "This is refused because the exporter listens beyond loopback without authentication. Set --web.config.file, or listen on loopback.")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func (e *Exporter) serveReady(w http.ResponseWriter, _ *http.Request) {
	if err := e.Ready(); err != nil {
		writeText(w, http.StatusServiceUnavailable, "Not ready: "+err.Error()+".")
		return
	}
	writeText(w, http.StatusOK, "Understudy is ready.")
}

// serveReload takes what changed, or says what is wrong with it.
func serveReload(reload func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := reload(); err != nil {
			writeText(w, http.StatusInternalServerError, "The change was not taken; what was before stays in force.\n"+err.Error())
			return
		}
		writeText(w, http.StatusOK, "Reloaded.")
	}
}

func (e *Exporter) serveConfig(w http.ResponseWriter, _ *http.Request) {
	text, err := e.Config().Redacted()
	if err != nil {
		writeText(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	_, _ = w.Write(text)
}

// serveObservedHeight takes a height that the chain's scanner pushes.
func (e *Exporter) serveObservedHeight(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Height *uint64 `json:"height"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPush)).Decode(&body)
	if err != nil || body.Height == nil {
		writeText(w, http.StatusBadRequest, `The body must be {"height": N}, with a whole number N.`)
		return
	}
	err = e.scanner.Push(chi.URLParam(r, "chain"), *body.Height)
	switch {
	case errors.Is(err, scanner.ErrUnknownChain):
		writeText(w, http.StatusNotFound, err.Error())
	case err != nil:
		writeText(w, http.StatusBadRequest, err.Error())
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// writeText is a one-line answer.
func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text)
}
