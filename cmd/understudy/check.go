package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

// check adds the subcommands that only look at files.
func (p *program) check(app *kingpin.Application) []command {
	c := app.Command("check", "Check files without running anything.")
	return []command{p.checkConfig(c), p.checkRules(c)}
}

// checkConfig adds the subcommand that validates a configuration.
func (p *program) checkConfig(check *kingpin.CmdClause) command {
	c := check.Command("config", "Validate a configuration: one line per mistake, or a summary with the requests that each provider will get.")
	flag := configFlag(c)
	file := c.Arg("FILE", "Configuration file; the same as --config.file.").String()
	return command{c, func() int {
		if *file == "" {
			file = flag
		}
		cfg, err := p.load(*file)
		if err != nil {
			_, _ = fmt.Fprintln(p.stderr, err)
			if mistakes, ok := errors.AsType[config.Mistakes](err); ok {
				_, _ = fmt.Fprintln(p.stderr, counted(len(mistakes), "mistake", "mistakes"))
			}
			return exitFailed
		}
		if err := summarise(p.stdout, cfg); err != nil {
			return p.fail(err)
		}
		for _, w := range cfg.Warnings {
			_, _ = fmt.Fprintln(p.stderr, "warning:", w.Error())
		}
		return exitOK
	}}
}

// summarise prints a table per chain.
func summarise(w io.Writer, cfg config.Config) error {
	providers := 0
	for _, c := range cfg.Chains {
		providers += len(c.Providers)
		if err := summariseChain(w, c); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s is valid: %s, %s.\n", cfg.Source, counted(len(cfg.Chains), "chain", "chains"), counted(providers, "provider", "providers"))
	return err
}

// summariseChain prints a chain with its providers in the order of preference.
func summariseChain(w io.Writer, c config.Chain) error {
	network := fmt.Sprintf("%q", c.Network.Value)
	switch {
	case c.Network.Any:
		network = "any (not checked)"
	case c.Network.Value == "":
		network = "what most operators say"
	}
	_, _ = fmt.Fprintf(w, "chain %s: %s, kind %s, network %s, max_block_lag %d\n", c.Name, counted(len(c.Providers), "provider", "providers"), c.Kind, network, c.Failover.MaxBlockLag)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "  PRIORITY\tPROVIDER\tTYPE\tOPERATOR\tHOST\tINTERVAL\tREQUESTS A MONTH")
	for _, p := range c.Preferred() {
		cost, err := chain.CostOf(c, p)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "  %d\t%s\t%s\t%s\t%s\t%s\t%d\n", p.Priority, p.Name, p.Type, p.Operator, p.RPCHost, p.HealthCheckInterval, p.RequestsPerMonth(cost, c))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
