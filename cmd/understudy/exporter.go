package main

import (
	"fmt"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/internal/config"
)

// exporterAddress is where the exporter listens unless told otherwise.
const exporterAddress = "127.0.0.1:9478"

// exporter adds the subcommand that runs only the exporter.
func (p *program) exporter(app *kingpin.Application) command {
	c := app.Command("exporter", "Probe the configured providers and publish what is found as metrics.")
	file, flags := configFlag(c), addServerFlags(c, exporterAddress)
	return command{c, func() int { return p.runExporter(*file, flags) }}
}

// runExporter runs until a signal or a failure ends it.
func (p *program) runExporter(file string, flags serverFlags) int {
	s, err := p.newService("exporter", flags)
	if err != nil {
		return p.fail(err)
	}
	e, err := exporter.New(exporter.Options{
		Load:   func() (config.Config, error) { return p.load(file) },
		Logger: s.logger,
	})
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, err)
		return exitFailed
	}
	s.reload = e.Reload
	s.handler = e.Handler(s.exporterOptions(e.Reload))
	s.parts = append(s.parts, e.Run)
	return s.serve()
}
