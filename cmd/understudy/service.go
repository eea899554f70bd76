package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/oklog/run"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	webflag "github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/understudy-rpc/understudy/exporter"
)

// collectAt is when garbage is collected, in per cent of the live heap, unless
// GOGC says otherwise. Most of the heap lives as long as its provider, so that
// collecting it often is cheap and saves memory.
const collectAt = 50

// ballastSize is that of memory which nobody touches, so that the system never
// gives any for it. It counts as live, so that a gateway may allocate half of it
// before garbage is collected, however small the rest of the heap is.
const ballastSize = 6 << 20

// stopTimeout bounds a graceful stop.
const stopTimeout = 5 * time.Second

// serverFlags are the flags of every command that serves.
type serverFlags struct {
	telemetryPath *string
	routePrefix   *string
	externalURL   *string
	pprof         *bool
	web           *web.FlagConfig
}

// addServerFlags adds them to a command that listens on address by default.
func addServerFlags(c *kingpin.CmdClause, address string) serverFlags {
	return serverFlags{
		telemetryPath: c.Flag("web.telemetry-path", "Path of the metrics.").Default("/metrics").String(),
		routePrefix:   c.Flag("web.route-prefix", "Prefix of every path. Default: the path of --web.external-url.").String(),
		externalURL:   c.Flag("web.external-url", "URL under which this is reached from outside, behind a reverse proxy for example.").PlaceHolder("URL").String(),
		pprof:         c.Flag("web.enable-pprof", "Open the runtime's profiles under /debug/pprof/.").Bool(),
		web:           webflag.AddFlags(c, address),
	}
}

// service is a command that serves until it is told to stop.
type service struct {
	logger *slog.Logger
	// ballast is kept for as long as the service is; see ballastSize.
	ballast []byte
	// failures is where is told why the service ended.
	failures *slog.Logger
	flags    serverFlags
	prefix   string
	exposed  exposure
	handler  http.Handler
	// reload is what SIGHUP does.
	reload func() error
	// stopping ends what keeps requests waiting, before a graceful stop.
	stopping []func()
	// parts run beside the server. The first to end stops all.
	parts []func(context.Context) error
}

// newService begins the log and looks at what the flags say.
func (p *program) newService(name string, flags serverFlags) (*service, error) {
	logger := promslog.New(p.log)
	s := &service{logger: logger, failures: logger, flags: flags}
	s.logger.Info("Starting understudy "+name, "version", version.Info())
	s.logger.Info("Build context", "build_context", version.BuildContext())
	if os.Getuid() == 0 {
		s.logger.Warn("Running as root, which is not needed")
	}
	if _, set := p.lookup("GOGC"); !set {
		debug.SetGCPercent(collectAt)
		if name != "exporter" {
			s.ballast = make([]byte, ballastSize)
		}
	}
	var err error
	if s.prefix, err = prefixOf(*flags.routePrefix, *flags.externalURL); err != nil {
		return nil, err
	}
	if err := errors.Join(checkPath("--web.route-prefix", s.prefix), checkPath("--web.telemetry-path", *flags.telemetryPath)); err != nil {
		return nil, err
	}
	s.exposed, err = exposureOf(*flags.web.WebListenAddresses, *flags.web.WebSystemdSocket, *flags.web.WebConfigFile)
	if err != nil {
		return nil, err
	}
	if !s.exposed.trusted() {
		s.logger.Warn("Listening beyond loopback without authentication: reload, orders, webhooks without a token, pushed heights and probes on demand are refused, while whoever reaches the gateway can use the providers", "advice", "set --web.config.file with basic_auth_users")
	}
	return s, nil
}

// exporterOptions are what of the exporter's HTTP interface is open.
func (s *service) exporterOptions(reload func() error) exporter.HandlerOptions {
	return exporter.HandlerOptions{
		TelemetryPath: *s.flags.telemetryPath, RoutePrefix: s.prefix, Actions: s.exposed.trusted(),
		Pprof: *s.flags.pprof, Reload: reload,
	}
}

// serve runs parts, server and signals as one group and returns the exit status.
func (s *service) serve() int {
	server := s.server(s.handler)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var g run.Group
	for _, part := range s.parts {
		g.Add(func() error { return part(ctx) }, func(error) { cancel() })
	}
	g.Add(func() error {
		err := web.ListenAndServe(server, s.flags.web, s.logger)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	}, func(error) {
		for _, stop := range s.stopping {
			stop()
		}
		shutDown(server, s.logger)
	})
	g.Add(func() error { return s.awaitSignals(ctx) }, func(error) { cancel() })
	err := g.Run()
	runtime.KeepAlive(s.ballast)
	if err != nil {
		s.failures.Error("Ended", "err", err)
		return exitFailed
	}
	s.logger.Info("Stopped")
	return exitOK
}

// server is one for a handler, with the bounds that hold for everybody.
func (s *service) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.logger.Handler(), slog.LevelDebug),
	}
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
func (s *service) awaitSignals(ctx context.Context) error {
	hangups, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	// A reload that hangs, as where a file lies on a network that is gone, keeps no
	// stop waiting. Nobody waits for it either.
	go s.reloadOn(ctx, hangups)
	select {
	case <-ctx.Done():
	case received := <-ends:
		signal.Reset(syscall.SIGTERM, syscall.SIGINT)
		s.logger.Info("Stopping", "signal", received.String())
	}
	return nil
}

// reloadOn reloads at each of the signals, until the context ends.
func (s *service) reloadOn(ctx context.Context, hangups <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			if err := s.reload(); err != nil {
				s.logger.Error("What changed was not taken; what was before stays in force", "err", err)
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

// checkPath refuses what the router would take for a pattern, or not at all.
func checkPath(flag, path string) error {
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "{}*") {
		return fmt.Errorf("%s: %q is not a path: it begins with a slash and has none of {}*", flag, path)
	}
	return nil
}
