package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/remote"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// orders adds the subcommands with which an operator intervenes.
func (p *program) orders(app *kingpin.Application) []command {
	return []command{
		p.order(app, "drain", "Take a provider out of service.", "Drained %s", (*remote.Client).Drain),
		p.providerOrder(app, "undrain", "Let a drained provider serve again.", "%s is not drained any more", (*remote.Client).Undrain),
		p.order(app, "pin", "Let a provider serve as long as it is healthy, whatever its priority.", "Pinned %s", (*remote.Client).Pin),
		p.chainOrder(app, "unpin", "Choose the provider of a chain by priority again.", "%s is not pinned any more", (*remote.Client).Unpin),
		p.chainOrder(app, "failback", "Agree to the return to the preferred provider, where the policy is failback: manual.", "Agreed to the failback of %s", (*remote.Client).Failback),
	}
}

// order adds a subcommand about a provider that takes a reason and a duration.
func (p *program) order(app *kingpin.Application, name, help, done string, send func(*remote.Client, context.Context, string, string, remote.Order) (wire.Chain, error)) command {
	c := app.Command(name, help)
	flags := addRemoteFlags(c)
	reason := c.Flag("reason", "Why, for those who look at it later.").PlaceHolder("TEXT").String()
	lasting := c.Flag("for", "How long the order holds, such as 30m, 2h30m or 1d. Default: until it is taken back.").PlaceHolder("DURATION").String()
	arg := c.Arg("CHAIN/PROVIDER", "The provider.").Required().String()
	return command{c, func() int {
		chain, provider, err := targetOf(name, *arg)
		if err != nil {
			return p.fail(err)
		}
		d, err := remote.ParseFor(*lasting)
		if err != nil {
			return p.fail(fmt.Errorf("--for: %w", err))
		}
		o := remote.Order{Reason: *reason, For: d}
		done = fmt.Sprintf(done, *arg)
		if d > 0 {
			done += " for " + *lasting
		}
		return p.give(flags, done, func(ctx context.Context, client *remote.Client) (wire.Chain, error) {
			return send(client, ctx, chain, provider, o)
		})
	}}
}

// providerOrder adds a subcommand about a provider.
func (p *program) providerOrder(app *kingpin.Application, name, help, done string, send func(*remote.Client, context.Context, string, string) (wire.Chain, error)) command {
	c := app.Command(name, help)
	flags := addRemoteFlags(c)
	arg := c.Arg("CHAIN/PROVIDER", "The provider.").Required().String()
	return command{c, func() int {
		chain, provider, err := targetOf(name, *arg)
		if err != nil {
			return p.fail(err)
		}
		return p.give(flags, fmt.Sprintf(done, *arg), func(ctx context.Context, client *remote.Client) (wire.Chain, error) {
			return send(client, ctx, chain, provider)
		})
	}}
}

// chainOrder adds a subcommand about a chain.
func (p *program) chainOrder(app *kingpin.Application, name, help, done string, send func(*remote.Client, context.Context, string) (wire.Chain, error)) command {
	c := app.Command(name, help)
	flags := addRemoteFlags(c)
	chain := c.Arg("CHAIN", "The chain.").Required().String()
	return command{c, func() int {
		if before, _, cut := strings.Cut(*chain, "/"); cut {
			return p.fail(fmt.Errorf("%s takes a chain without a provider: understudy %s %s", name, name, before))
		}
		return p.give(flags, fmt.Sprintf(done, *chain), func(ctx context.Context, client *remote.Client) (wire.Chain, error) {
			return send(client, ctx, *chain)
		})
	}}
}

// targetOf reads CHAIN/PROVIDER.
func targetOf(command, arg string) (chain, provider string, err error) {
	chain, provider, _ = strings.Cut(arg, "/")
	if chain == "" || provider == "" {
		return "", "", fmt.Errorf("%s takes CHAIN/PROVIDER, such as btc/quicknode, and %q is not that", command, arg)
	}
	return chain, provider, nil
}

// give sends an order, says that it is done, and shows the chain as it is then. An order that the
// controller refuses is exit status 1.
func (p *program) give(flags remoteFlags, done string, send func(context.Context, *remote.Client) (wire.Chain, error)) int {
	return p.ask(flags, func(ctx context.Context, client *remote.Client) (int, error) {
		chain, err := send(ctx, client)
		if err != nil {
			if r, ok := errors.AsType[*remote.Refusal](err); ok && r.Own && !r.Unauthorized() {
				return exitFailed, err
			}
			return exitUsage, inDoubt(err)
		}
		write(p.stdout, console.Line(done)+".\n\n"+console.Status([]wire.Chain{chain}, time.Now(), p.style()))
		return exitOK, nil
	})
}

// inDoubt says so if the order may be in force without an answer.
func inDoubt(err error) error {
	_, unreachable := errors.AsType[*remote.Unreachable](err)
	if !unreachable || errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return fmt.Errorf("%w; the order may be in force all the same, see understudy status", err)
}
