// Command understudy watches chain data providers and publishes what it finds.
//
// Each subcommand has a file of its own; this one holds what they share: flags,
// their twins in the environment, and the exit status.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
)

// The exit statuses.
const (
	exitOK = iota
	// exitFailed: the command ran, and what it looked at is not well.
	exitFailed
	// exitUsage: the command could not run.
	exitUsage
)

func main() {
	os.Exit(execute(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// program is what the subcommands get to work with.
type program struct {
	environ        []string
	log            *promslog.Config
	stdout, stderr io.Writer
}

// command is a subcommand: its flags are added when it is made, and run does
// its work after they were parsed.
type command struct {
	clause *kingpin.CmdClause
	run    func() int
}

// execute parses the arguments and runs one subcommand.
func execute(args, environ []string, stdout, stderr io.Writer) int {
	p := &program{environ: environ, stdout: stdout, stderr: stderr, log: &promslog.Config{Writer: stderr}}
	app := kingpin.New("understudy", "Automatic failover between chain data providers.")
	app.Version(version.Print("understudy"))
	app.HelpFlag.Short('h')
	app.UsageWriter(stdout)
	app.ErrorWriter(stderr)
	ended := exitOK
	stopped := false
	// Help and version end the parsing, not the process.
	app.Terminate(func(status int) { ended, stopped = status, true })

	commands := p.commands(app)
	if err := twins(app, environ); err != nil {
		return p.fail(err)
	}
	selected, err := app.Parse(args)
	if stopped {
		return ended
	}
	if err != nil {
		return p.fail(fmt.Errorf("%w; see understudy --help", err))
	}
	for _, c := range commands {
		if c.clause.FullCommand() == selected {
			return c.run()
		}
	}
	return p.fail(errors.New("no such command"))
}

// commands adds every subcommand with its flags.
func (p *program) commands(app *kingpin.Application) []command {
	promslogflag.AddFlags(app, p.log)
	all := append(p.check(app), p.run(app), p.exporter(app), p.controller(app), p.replay(app), p.demo(app), p.probe(app), p.assets(app))
	all = append(all, p.status(app), p.explain(app), p.healthcheck(app), p.simulate(app))
	return append(all, p.orders(app)...)
}

// fail says why a command cannot run.
func (p *program) fail(err error) int {
	_, _ = fmt.Fprintln(p.stderr, "understudy:", err)
	return exitUsage
}

// lookup reads the environment that the program was started with.
func (p *program) lookup(name string) (string, bool) {
	value, ok := toMap(p.environ)[name]
	return value, ok
}
