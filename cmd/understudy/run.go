package main

import (
	"errors"
	"fmt"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/evaluator"
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
	load := func() (config.Config, error) { return p.load(file) }
	var c *controller.Controller
	e, err := exporter.New(exporter.Options{
		Load: load, Logger: s.logger,
		// Nothing is probed before the controller is there.
		OnProbe: func(prober.Key) { c.Trigger() },
	})
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	o, err := decide.options(e.Config(), s, e.Registerer())
	if err != nil {
		return p.fail(err)
	}
	o.Exporters = []evaluator.Source{evaluator.FromGatherer(exporterJob, (*flags.web.WebListenAddresses)[0], e)}
	o.Details, o.Ready = heads{e}, e.Ready
	if c, err = controller.New(o); err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	s.reload = func() error { return reloadAll(load, e, c) }
	pages := e.Handler(s.exporterOptions(s.reload))
	if err := s.open(c, o, decide, pages, true); err != nil {
		return p.fail(err)
	}
	p.introduce(s, e.Config())
	s.parts = append(s.parts, e.Run, c.Run)
	return s.serve()
}

// reloadAll takes configuration and rules anew. What can be wrong is looked at
// first, so that a mistake in either leaves both as they were.
func reloadAll(load func() (config.Config, error), e *exporter.Exporter, c *controller.Controller) error {
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
