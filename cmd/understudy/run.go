package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/alecthomas/kingpin/v2"
	"github.com/go-chi/chi/v5"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// runAddress is where run listens unless told otherwise.
	runAddress = "127.0.0.1:9477"
	// exporterJob is the job that the exporter in the same process counts as.
	exporterJob = "understudy-exporter"
)

// ruleFlags say which rules are evaluated.
type ruleFlags struct {
	files   *[]string
	bundled *bool
}

// run adds the subcommand that runs exporter and local evaluator in one process.
func (p *program) run(app *kingpin.Application) command {
	c := app.Command("run", "Probe the configured providers and evaluate the rules over what is found, in one process.")
	file, flags := configFlag(c), addServerFlags(c, runAddress)
	r := ruleFlags{
		files:   c.Flag("rules.file", "Further rule files, a glob; repeatable.").PlaceHolder("GLOB").Strings(),
		bundled: c.Flag("rules.bundled", "Evaluate the bundled rules.").Default("true").Bool(),
	}
	return command{c, func() int { return p.runAll(*file, r, flags) }}
}

// runAll runs until a signal or a failure ends it.
func (p *program) runAll(file string, r ruleFlags, flags serverFlags) int {
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
	c, err = controller.New(controller.Options{
		Sources: []evaluator.Source{evaluator.FromGatherer(exporterJob, (*flags.web.WebListenAddresses)[0], e)},
		Bundled: *r.bundled, RuleFiles: *r.files, ExternalURL: *flags.externalURL,
		Registerer: e.Registerer(), Logger: s.logger,
	})
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	s.reload = func() error { return reloadAll(load, e, c) }
	s.handler = besides(e.Handler(s.exporterOptions(s.reload)), s.prefix, c)
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
	if err := c.Reload(groups); err != nil {
		return err
	}
	return e.Reload()
}

// besides adds the controller's pages to the exporter's.
func besides(exporter http.Handler, prefix string, c *controller.Controller) http.Handler {
	r := chi.NewRouter()
	r.Get(strings.TrimSuffix(prefix, "/")+"/alerts", c.ServeAlerts)
	r.Mount("/", exporter)
	return r
}
