package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/remote"
	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// watchWait is how long the controller may hold back its answer to a watch.
	watchWait = 30 * time.Second
	// redrawWait is the same before a terminal, where ages and heights are to move.
	redrawWait = 5 * time.Second
	// clearScreen makes a terminal empty and begins at its top.
	clearScreen = "\x1b[H\x1b[2J"
)

// status adds the subcommand that shows what a controller knows.
func (p *program) status(app *kingpin.Application) command {
	c := app.Command("status", "Show the providers of a running controller as a table. Exit status 1 if nobody serves a chain.")
	flags := addRemoteFlags(c)
	format := c.Flag("format", "Output: table or json; text is the same as table.").Default("table").Enum("table", "text", "json")
	watch := c.Flag("watch", "Show it again with each change, until interrupted.").Bool()
	chain := c.Arg("CHAIN", "The only chain to show.").String()
	return command{c, func() int {
		asJSON := *format == "json"
		v := statusView{program: p, chain: *chain, json: asJSON, screen: p.terminal() && !asJSON}
		if *watch {
			return p.ask(flags, v.watch)
		}
		return p.ask(flags, v.once)
	}}
}

// statusView is what of the controller is shown, and how.
type statusView struct {
	*program
	// chain is the only one shown; empty: all.
	chain string
	json  bool
	// screen says that a watch draws on a terminal.
	screen bool
}

// once shows the chains as they are.
func (v statusView) once(ctx context.Context, client *remote.Client) (int, error) {
	chains, err := v.look(ctx, client)
	if err != nil {
		return exitUsage, err
	}
	if v.json {
		err = v.printJSON(chains, "  ")
	} else {
		write(v.stdout, console.Status(chains, time.Now(), v.style()))
	}
	if err != nil {
		return exitUsage, err
	}
	if slices.ContainsFunc(chains, func(c wire.Chain) bool { return c.State == wire.StateNone }) {
		return exitFailed, nil
	}
	return exitOK, nil
}

// look asks for one chain or for all.
func (v statusView) look(ctx context.Context, client *remote.Client) ([]wire.Chain, error) {
	if v.chain == "" {
		list, err := client.Chains(ctx)
		return list.Chains, err
	}
	one, err := client.Chain(ctx, v.chain)
	return []wire.Chain{one}, err
}

// printJSON prints what the controller answers, addresses without secrets: one
// chain by itself, or the list of all.
func (v statusView) printJSON(chains []wire.Chain, indent string) error {
	redacted := make([]wire.Chain, len(chains))
	for i, c := range chains {
		redacted[i] = console.Redact(c)
	}
	var value any = wire.ChainList{Chains: redacted}
	if v.chain != "" {
		value = redacted[0]
	}
	encoder := json.NewEncoder(v.stdout)
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// watch shows the chains with each change: on a cleared screen before a terminal,
// and else one after the other, each with its time. As JSON it is a line each.
func (v statusView) watch(ctx context.Context, client *remote.Client) (int, error) {
	wait := watchWait
	if v.screen {
		wait = redrawWait
	}
	shown := ""
	err := client.Watch(ctx, v.chain, wait, v.screen, func(s remote.Sight) {
		switch {
		case s.Err != nil && v.screen:
			write(v.stdout, clearScreen+shown+"\n")
			v.trouble(v.stdout, s.Err)
		case s.Err != nil:
			v.trouble(v.stderr, s.Err)
		case v.json:
			_ = v.printJSON(s.Chains, "")
		case v.screen:
			now := time.Now()
			shown = timeLine(now) + console.Status(s.Chains, now, v.style())
			write(v.stdout, clearScreen+shown)
		default:
			now := time.Now()
			write(v.stdout, timeLine(now)+console.Status(s.Chains, now, v.style())+"\n")
		}
	})
	if err != nil {
		return exitUsage, err
	}
	return exitOK, nil
}

// timeLine is the time above a table.
func timeLine(now time.Time) string { return now.UTC().Format(time.RFC3339) + "\n" }

// trouble says why nothing new is shown.
func (v statusView) trouble(w io.Writer, err error) {
	text := strings.TrimSuffix(console.Line(err.Error()), ".")
	write(w, time.Now().UTC().Format(time.RFC3339)+" what is shown is old: "+text+"; trying again\n")
}
