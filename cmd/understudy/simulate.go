package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/internal/demo"
)

// simulateFlags say which provider is served, and how.
type simulateFlags struct {
	who, address, scenario *string
	play                   *bool
}

// simulate adds the subcommand that serves one simulated provider by itself. It
// is for demonstrations and tests that need providers in containers of their own.
func (p *program) simulate(app *kingpin.Application) command {
	c := app.Command("simulate", "Serve one simulated provider of a demonstration by itself, with the faults of its script, over and over.").Hidden()
	f := simulateFlags{
		who:      c.Arg("CHAIN/PROVIDER", "Which of the script's providers it is.").Required().String(),
		address:  c.Flag("web.listen-address", "Where it listens.").Default("127.0.0.1:8545").String(),
		scenario: c.Flag("scenario", "Script of your own, a YAML file.").PlaceHolder("FILE").String(),
		play:     c.Flag("play", "Play the faults of the script.").Default("true").Bool(),
	}
	return command{c, func() int { return p.runSimulate(f) }}
}

// runSimulate serves until it is interrupted.
func (p *program) runSimulate(f simulateFlags) int {
	scenario, err := demoFlags{scenario: f.scenario}.load()
	if err != nil {
		return p.fail(err)
	}
	chain, name, _ := strings.Cut(*f.who, "/")
	l, err := scenario.Lone(chain, name)
	if err != nil {
		return p.fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", *f.address)
	if err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintf(p.stdout, "%s is simulated at http://%s\n", *f.who, listener.Addr())
	if *f.play {
		go l.Play(ctx, func(s demo.Step) { _, _ = fmt.Fprintf(p.stdout, "%s: %s\n", *f.who, s.Fault) })
	}
	server := &http.Server{Handler: withHealth(l), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return p.fail(err)
	}
	return exitOK
}

// withHealth is a provider beside the health check of its process, which is well
// while the provider plays ill.
func withHealth(provider http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "Simulated provider is healthy.")
	})
	mux.Handle("/", provider)
	return mux
}
