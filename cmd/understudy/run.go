package main

import (
	"errors"
	"fmt"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/controller/gateway"
	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// runAddress is where run and controller listen unless told otherwise.
	runAddress = "127.0.0.1:9477"
	// exporterJob is the job that exporters count as.
	exporterJob = "understudy-exporter"
)

// run adds the subcommand that runs everything in one process.
func (p *program) run(app *kingpin.Application) command {
	c := app.Command("run", "Probe the configured providers, decide which of them serves each chain, and tell it, in one process.")
	file, flags, decide := configFlag(c), addServerFlags(c, runAddress), addDecisionFlags(c)
	return command{c, func() int { return p.runAll(*file, flags, decide) }}
}

// runAll runs until a signal or a failure ends it.
func (p *program) runAll(file string, flags serverFlags, decide decisionFlags) int {
	s, err := p.newService("run", flags)
	if err != nil {
		return p.fail(err)
	}
	c, status := p.assemble(s, func() (config.Config, error) { return p.load(file) }, decide)
	if c == nil {
		return status
	}
	return s.serve()
}

// assemble puts exporter and controller into one process. Without a controller,
// it has said why, and gives the exit status.
func (p *program) assemble(s *service, load func() (config.Config, error), decide decisionFlags) (*controller.Controller, int) {
	var (
		c   *controller.Controller
		g   *gateway.Gateway
		e   *exporter.Exporter
		err error
	)
	// Nothing is probed before the controller and the gateway are there.
	hear := func(k prober.Key) {
		if good, known := e.Last(k); known {
			g.Probed(k.Chain, k.Provider, good)
		}
		if tip, known := e.Tip(k); known {
			g.Saw(k.Chain, k.Provider, gateway.Block{Height: tip.Height, Hash: tip.Hash, Parent: tip.Parent})
		}
		c.Trigger()
	}
	e, err = exporter.New(exporter.Options{Load: load, Logger: s.logger, OnProbe: hear})
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return nil, exitFailed
	}
	o, err := decide.options(e.Config(), s, e.Registerer())
	if err != nil {
		return nil, p.fail(err)
	}
	sampler := e.NewSampler()
	o.Exporters = []evaluator.Source{evaluator.FromFunc(exporterJob, (*s.flags.web.WebListenAddresses)[0], sampler.Samples)}
	o.Details, o.Ready = heads{e}, e.Ready
	if c, err = controller.New(o); err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return nil, exitFailed
	}
	hasten := func(chain, provider string) {
		sampler.Expire()
		e.Hasten(chain, provider)
	}
	if g, err = newGateway(c, e.Config(), o.Registerer, s.logger, hasten); err != nil {
		return nil, p.fail(err)
	}
	s.reload = inTurn(func() error { return reloadAll(load, e, c, g) })
	if err := s.open(c, g, o, decide, e.Handler(s.exporterOptions(s.reload)), true); err != nil {
		return nil, p.fail(err)
	}
	p.introduce(s, e.Config())
	s.parts = append(s.parts, e.Run, c.Run)
	return c, exitOK
}

// reloadAll takes configuration and rules anew. What can be wrong is looked at
// first, so that a mistake in either leaves both as they were.
func reloadAll(load func() (config.Config, error), e *exporter.Exporter, c *controller.Controller, g *gateway.Gateway) error {
	_, wrongConfig := load()
	groups, wrongRules := c.Load()
	if err := errors.Join(wrongConfig, wrongRules); err != nil {
		return err
	}
	if err := e.Reload(); err != nil {
		return err
	}
	if err := c.Reload(groups); err != nil {
		return err
	}
	c.Apply(e.Config())
	applyGateway(g, e.Config())
	return nil
}

// heads tell of providers what the exporter in the same process knows.
type heads struct{ exporter *exporter.Exporter }

// Detail implements overview.Details.
func (h heads) Detail(chain, provider string) (overview.Detail, bool) {
	head, ok := h.exporter.Head(chain, provider)
	d := overview.Detail{Hash: head.Hash}
	if head.LastError != nil {
		d.LastError = &overview.ProbeError{Reason: head.LastError.Reason, Message: head.LastError.Message, Time: head.LastError.Time}
	}
	return d, ok
}
