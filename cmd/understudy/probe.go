package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/internal/config"
)

// probe adds the subcommand that probes a chain or a provider once.
func (p *program) probe(app *kingpin.Application) command {
	c := app.Command("probe", "Probe the providers of a chain once and show every request. Exit status 1 if any fails.")
	file := configFlag(c)
	format := c.Flag("format", "Output: text or json.").Default("text").Enum("text", "json")
	timeout := c.Flag("timeout", "Bound on the whole round.").Default("1m").Duration()
	target := c.Arg("CHAIN[/PROVIDER]", "What to probe.").Required().String()
	return command{c, func() int {
		cfg, err := p.load(*file)
		if err != nil {
			_, _ = fmt.Fprintln(p.stderr, err)
			return exitUsage
		}
		reports, err := probeTarget(cfg, *target, *timeout)
		if err != nil {
			return p.fail(err)
		}
		if err := p.printReports(reports, *format); err != nil {
			return p.fail(err)
		}
		if slices.ContainsFunc(reports, func(r exporter.Report) bool { return !r.OK }) {
			return exitFailed
		}
		return exitOK
	}}
}

// probeTarget probes CHAIN or CHAIN/PROVIDER.
func probeTarget(cfg config.Config, target string, timeout time.Duration) ([]exporter.Report, error) {
	name, provider, _ := strings.Cut(target, "/")
	i := slices.IndexFunc(cfg.Chains, func(c config.Chain) bool { return c.Name == name })
	if i < 0 {
		names := make([]string, len(cfg.Chains))
		for i, c := range cfg.Chains {
			names[i] = c.Name
		}
		return nil, fmt.Errorf("%s has no chain %q; it has %s", cfg.Source, name, strings.Join(names, ", "))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return exporter.ProbeChain(ctx, cfg.Chains[i], provider)
}

// printReports writes one block per provider, or one JSON array.
func (p *program) printReports(reports []exporter.Report, format string) error {
	if format == "json" {
		encoder := json.NewEncoder(p.stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(reports)
	}
	for i, r := range reports {
		if i > 0 {
			_, _ = fmt.Fprintln(p.stdout)
		}
		if err := r.WriteText(p.stdout); err != nil {
			return err
		}
	}
	return nil
}
