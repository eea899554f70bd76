package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/oklog/run"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	webflag "github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/internal/config"
)

// exporterAddress is where the exporter listens unless told otherwise.
const exporterAddress = "127.0.0.1:9478"

// collectAt is when garbage is collected, in per cent of the live heap, unless
// GOGC says otherwise. Most of the heap lives as long as its provider, so that
// collecting it often is cheap and saves memory.
const collectAt = 50

// stopTimeout bounds a graceful stop.
const stopTimeout = 5 * time.Second

// exporterFlags are the flags of the exporter.
type exporterFlags struct {
	configFile    *string
	telemetryPath *string
	routePrefix   *string
	externalURL   *string
	pprof         *bool
	web           *web.FlagConfig
	log           *promslog.Config
}

// exporter adds the subcommand that runs only the exporter.
func (p *program) exporter(app *kingpin.Application) command {
	c := app.Command("exporter", "Probe the configured providers and publish what is found as metrics.")
	f := exporterFlags{
		configFile:    configFlag(c),
		telemetryPath: c.Flag("web.telemetry-path", "Path of the metrics.").Default("/metrics").String(),
		routePrefix:   c.Flag("web.route-prefix", "Prefix of every path. Default: the path of --web.external-url.").String(),
		externalURL:   c.Flag("web.external-url", "URL under which this is reached from outside, behind a reverse proxy for example.").PlaceHolder("URL").String(),
		pprof:         c.Flag("web.enable-pprof", "Open the runtime's profiles under /debug/pprof/.").Bool(),
		log:           &promslog.Config{Writer: p.stderr},
	}
	f.web = webflag.AddFlags(c, exporterAddress)
	promslogflag.AddFlags(app, f.log)
	return command{c, func() int { return p.runExporter(f) }}
}

// runExporter runs until a signal or a failure ends it.
func (p *program) runExporter(f exporterFlags) int {
	logger := promslog.New(f.log)
	logger.Info("Starting understudy exporter", "version", version.Info())
	logger.Info("Build context", "build_context", version.BuildContext())
	if os.Getuid() == 0 {
		logger.Warn("Running as root, which is not needed")
	}
	if _, set := p.lookup("GOGC"); !set {
		debug.SetGCPercent(collectAt)
	}
	prefix, err := prefixOf(*f.routePrefix, *f.externalURL)
	if err != nil {
		return p.fail(err)
	}
	exposed, err := exposureOf(*f.web.WebListenAddresses, *f.web.WebSystemdSocket, *f.web.WebConfigFile)
	if err != nil {
		return p.fail(err)
	}
	if !exposed.trusted() {
		logger.Warn("Listening beyond loopback without authentication: reload, pushed heights and probes on demand are refused", "advice", "set --web.config.file with basic_auth_users")
	}
	e, err := exporter.New(exporter.Options{
		Load:   func() (config.Config, error) { return p.load(*f.configFile) },
		Logger: logger,
	})
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	server := &http.Server{
		Handler: e.Handler(exporter.HandlerOptions{
			TelemetryPath: *f.telemetryPath, RoutePrefix: prefix, Actions: exposed.trusted(), Pprof: *f.pprof,
		}),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	if err := serveExporter(e, server, f.web, logger); err != nil {
		logger.Error("The exporter ended", "err", err)
		return exitFailed
	}
	logger.Info("Stopped")
	return exitOK
}

// serveExporter runs probing, serving and signals as one group: the first that
// ends stops all.
func serveExporter(e *exporter.Exporter, server *http.Server, flags *web.FlagConfig, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var g run.Group
	g.Add(func() error { return e.Run(ctx) }, func(error) { cancel() })
	g.Add(func() error {
		err := web.ListenAndServe(server, flags, logger)
		if err == http.ErrServerClosed {
			return nil
		}
		return err
	}, func(error) { shutDown(server, logger) })
	g.Add(func() error { return awaitSignals(ctx, e, logger) }, func(error) { cancel() })
	return g.Run()
}

// shutDown lets the requests under way finish, within bounds.
func shutDown(server *http.Server, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		logger.Warn("Requests under way were broken off", "err", err)
		_ = server.Close()
	}
}

// awaitSignals reloads on SIGHUP and returns on SIGTERM and SIGINT. A second one
// of these ends the process at once.
func awaitSignals(ctx context.Context, e *exporter.Exporter, logger *slog.Logger) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-signals:
			if s != syscall.SIGHUP {
				signal.Reset(syscall.SIGTERM, syscall.SIGINT)
				logger.Info("Stopping", "signal", s.String())
				return nil
			}
			if err := e.Reload(); err != nil {
				logger.Error("The configuration was not taken; the one before stays in force", "err", err)
			}
		}
	}
}

// prefixOf is the prefix of every path.
func prefixOf(routePrefix, externalURL string) (string, error) {
	if routePrefix == "" && externalURL != "" {
		u, err := url.Parse(externalURL)
		if err != nil {
			return "", fmt.Errorf("--web.external-url is not a URL: %w", err)
		}
		routePrefix = u.Path
	}
	return "/" + strings.Trim(routePrefix, "/"), nil
}
