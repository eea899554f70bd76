package main

import (
	"context"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/remote"
)

// healthcheck adds the subcommand for containers, which have no curl. All but a
// mistake in its flags is exit status 1: Docker knows no other.
func (p *program) healthcheck(app *kingpin.Application) command {
	c := app.Command("healthcheck", "Ask a running process whether it is well, as a container's health check. Exit status 1 if it is not.")
	flags := addRemoteFlags(c)
	ready := c.Flag("ready", "Ask whether it is ready to work: /-/ready instead of /-/healthy.").Bool()
	return command{c, func() int {
		return p.ask(flags, func(ctx context.Context, client *remote.Client) (int, error) {
			health, err := client.Health(ctx, *ready)
			if err != nil {
				return exitFailed, err
			}
			for _, reason := range health.Reasons {
				write(p.stdout, console.Line(reason)+"\n")
			}
			switch {
			case health.OK:
				return exitOK, nil
			case len(health.Reasons) == 0:
				write(p.stdout, client.Controller()+" says no and gives no reason.\n")
			}
			return exitFailed, nil
		})
	}}
}
