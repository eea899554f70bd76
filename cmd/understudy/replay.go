package main

import (
	"fmt"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller"
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
			_, _ = fmt.Fprintln(p.stderr, "understudy:", err)
			continue
		}
		entries++
		if !r.First {
			again++
		}
		if !quiet {
			p.printReplayed(r)
		}
		if r.Difference != "" {
			wrong++
			_, _ = fmt.Fprintf(p.stderr, "understudy: %s index %d: %s\n", r.Entry.Chain, r.Entry.Index, r.Difference)
		}
	}
	_, _ = fmt.Fprintf(p.stdout, "%s, %d decided again, %s\n", counted(entries, "entry", "entries"), again, counted(wrong, "problem", "problems"))
	if wrong > 0 {
		return exitFailed
	}
	return exitOK
}

func (p *program) printReplayed(r controller.Replayed) {
	for _, c := range r.Changes {
		subject := c.Provider
		if subject != "" {
			subject = "/" + subject
		}
		_, _ = fmt.Fprintf(p.stdout, "%s  %6d  %s%s  %s: %s\n", r.Entry.Time.UTC().Format(time.RFC3339), r.Entry.Index, r.Entry.Chain, subject, c.Kind, c.Reason)
	}
}
