package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/internal/config"
)

// controllerJob is the job that the controller's own metrics count as.
const controllerJob = "understudy-controller"

// exporterFlags say where the exporters are.
type exporterFlags struct {
	urls     *[]string
	httpFile *string
}

// controller adds the subcommand that decides by what exporters elsewhere find.
func (p *program) controller(app *kingpin.Application) command {
	c := app.Command("controller", "Decide which provider serves each chain by what exporters elsewhere find and by Alertmanager's webhooks, and tell it.")
	file, flags, decide := configFlag(c), addServerFlags(c, runAddress), addDecisionFlags(c)
	e := exporterFlags{
		urls:     c.Flag("exporter.url", "Address of an exporter; repeatable: several are several vantage points. Without a path it is /metrics.").Default("http://" + exporterAddress).Strings(),
		httpFile: c.Flag("exporter.http-config-file", "File with Prometheus's HTTP client configuration for the exporters.").PlaceHolder("FILE").String(),
	}
	return command{c, func() int { return p.runController(*file, flags, decide, e) }}
}

// runController runs until a signal or a failure ends it.
func (p *program) runController(file string, flags serverFlags, decide decisionFlags, e exporterFlags) int {
	s, err := p.newService("controller", flags)
	if err != nil {
		return p.fail(err)
	}
	metrics, client, err := e.open()
	if err != nil {
		return p.fail(err)
	}
	own, err := newControllerProcess(func() (config.Config, error) { return p.load(file) })
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	o, err := decide.options(*own.config.Load(), s, own.registry)
	if err != nil {
		return p.fail(err)
	}
	for _, u := range metrics {
		o.Exporters = append(o.Exporters, evaluator.FromURL(exporterJob, u, client, evaluator.ScrapeLimits{}))
	}
	o.Others = []evaluator.Source{evaluator.FromGatherer(controllerJob, (*flags.web.WebListenAddresses)[0], own.registry)}
	// Nothing is heard before the gateway is there.
	var g *gateway.Gateway
	known := overview.NewHeads(metrics, client, s.logger, func(h overview.Head) bool {
		return g.Saw(h.Chain, h.Provider, gateway.Block{Height: h.Height, Hash: h.Hash, Parent: h.Parent})
	})
	o.Details = known
	o.OnProbed = func(chain, provider string, good bool) { g.Probed(chain, provider, good) }
	c, err := controller.New(o)
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	own.publishReady(c)
	if g, err = newGateway(c, o.Config, o.Registerer, s.logger, nil); err != nil {
		return p.fail(err)
	}
	s.reload = inTurn(func() error { return own.reload(c, g) })
	if err := s.open(c, g, o, decide, own.pages(s, s.reload), false); err != nil {
		return p.fail(err)
	}
	p.introduce(s, o.Config)
	s.parts = append(s.parts, known.Run, c.Run)
	return s.serve()
}

// open makes the addresses of the exporters' metrics, and a client for them.
func (f exporterFlags) open() ([]config.URL, *http.Client, error) {
	var metrics []config.URL
	for _, raw := range *f.urls {
		u, err := config.ParseURL(raw)
		if err != nil {
			return nil, nil, fmt.Errorf("--exporter.url: %w", err)
		}
		whole := u.Reveal()
		if strings.Trim(whole.Path, "/") == "" {
			whole.Path = "/metrics"
		}
		if u, err = config.ParseURL(whole.String()); err != nil {
			return nil, nil, fmt.Errorf("--exporter.url: %w", err)
		}
		metrics = append(metrics, u)
	}
	client, err := clientOf(*f.httpFile, "exporter")
	if err != nil {
		return nil, nil, fmt.Errorf("--exporter.http-config-file: %w", err)
	}
	return metrics, client, nil
}
