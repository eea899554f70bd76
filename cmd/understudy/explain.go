package main

import (
	"context"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/remote"
)

// explain adds the subcommand that tells why a chain is served as it is.
func (p *program) explain(app *kingpin.Application) command {
	c := app.Command("explain", "Tell why the active provider of a chain is what it is: facts, states, the choice, and what would happen next.")
	flags := addRemoteFlags(c)
	chain := c.Arg("CHAIN", "The chain to explain.").Required().String()
	return command{c, func() int {
		return p.ask(flags, func(ctx context.Context, client *remote.Client) (int, error) {
			known, err := client.Chain(ctx, *chain)
			if err != nil {
				return exitUsage, err
			}
			write(p.stdout, console.Explain(known, time.Now(), p.style()))
			return exitOK, nil
		})
	}}
}
