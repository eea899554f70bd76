package main

import (
	"fmt"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller"
	"github.com/understudy-rpc/understudy/controller/console"
)

// replay adds the subcommand that decides a journal again.
func (p *program) replay(app *kingpin.Application) command {
	c := app.Command("replay", "Decide again what a journal tells of, and say where another decision comes out.")
	path := c.Arg("JOURNAL", "Folder of a journal (--storage.path), or one of its files.").Required().String()
	quiet := c.Flag("quiet", "Print differences and the summary only.").Bool()
	return command{c, func() int { return p.runReplay(*path, *quiet) }}
}

// runReplay prints a line for each change, and fails if a decision differs or
// cannot be read.
func (p *program) runReplay(path string, quiet bool) int {
	var entries, again, wrong int
	for r, err := range controller.Replay(path) {
		if err != nil {
			wrong++
			_, _ = fmt.Fprintln(p.stderr, "understudy:", console.Line(err.Error()))
			continue
		}
		entries++
		if !r.First {
			again++
		}
		p.printReplayed(r, quiet)
		if r.Difference != "" {
			wrong++
		}
	}
	_, _ = fmt.Fprintf(p.stdout, "%s, %d decided again, %s\n", counted(entries, "entry", "entries"), again, counted(wrong, "problem", "problems"))
	if wrong > 0 {
		return exitFailed
	}
	return exitOK
}

// printReplayed prints the changes of an entry, unless quiet, and what comes out
// differently. In the journal are words from outside, such as names of alerts.
func (p *program) printReplayed(r controller.Replayed, quiet bool) {
	chain := console.Line(r.Entry.Chain)
	for _, c := range r.Changes {
		if quiet {
			break
		}
		subject := chain
		if c.Provider != "" {
			subject += "/" + console.Line(c.Provider)
		}
		_, _ = fmt.Fprintf(p.stdout, "%s  %6d  %s  %s: %s\n", r.Entry.Time.UTC().Format(time.RFC3339), r.Entry.Index, subject, console.Line(c.Kind), console.Line(c.Reason))
	}
	if r.Difference != "" {
		_, _ = fmt.Fprintf(p.stderr, "understudy: %s index %d: %s\n", chain, r.Entry.Index, console.Line(r.Difference))
	}
}
