package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/understudy-rpc/understudy/controller/console"
	"github.com/understudy-rpc/understudy/controller/remote"
)

// remoteFlags are the flags of every command that asks a running controller.
type remoteFlags struct {
	url, tokenFile, httpConfigFile *string
	timeout                        *time.Duration
}

// addRemoteFlags adds them to a command.
func addRemoteFlags(c *kingpin.CmdClause) remoteFlags {
	return remoteFlags{
		// Without a placeholder, the help would show the twin, which may hold a password.
		url:            c.Flag("controller.url", "Address of the controller; a path prefix is allowed. Default: "+remote.DefaultURL+".").Default(remote.DefaultURL).PlaceHolder("URL").String(),
		tokenFile:      c.Flag("controller.token-file", "File with the bearer token for the controller.").PlaceHolder("FILE").String(),
		httpConfigFile: c.Flag("controller.http-config-file", "File with Prometheus's HTTP client configuration for the controller: basic_auth, authorization, oauth2, tls_config, proxy_url.").PlaceHolder("FILE").String(),
		timeout:        c.Flag("timeout", "Bound on each request.").Default(remote.DefaultTimeout.String()).Duration(),
	}
}

// ask runs a command against the controller until it is done or interrupted. An
// error of work is told with what to do about it.
func (p *program) ask(f remoteFlags, work func(context.Context, *remote.Client) (int, error)) int {
	if *f.timeout <= 0 {
		return p.fail(errors.New("--timeout must be above zero"))
	}
	client, err := remote.New(remote.Options{URL: *f.url, TokenFile: *f.tokenFile, HTTPConfigFile: *f.httpConfigFile, Timeout: *f.timeout})
	if err != nil {
		return p.fail(fmt.Errorf("%w; see --controller.url, --controller.token-file and --controller.http-config-file", err))
	}
	defer client.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := work(ctx, client)
	if err != nil {
		_ = p.fail(advised(err))
	}
	return status
}

// advised is an error of the controller with what to do about it.
func advised(err error) error {
	advice := ""
	if _, ok := errors.AsType[*remote.Unreachable](err); ok {
		advice = "is the controller running (understudy run, or understudy controller), and is --controller.url its address?"
	}
	if _, ok := errors.AsType[*remote.Unintelligible](err); ok {
		advice = "is --controller.url the address of a controller, with its path prefix?"
	}
	if r, ok := errors.AsType[*remote.Refusal](err); ok {
		switch {
		case r.Unauthorized():
			advice = "give a token with --controller.token-file, or a user with --controller.http-config-file"
		case !r.Own:
			advice = "is --controller.url the address of a controller, with its path prefix?"
		}
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	text := console.Line(err.Error())
	if advice == "" {
		return errors.New(text)
	}
	return errors.New(strings.TrimSuffix(text, ".") + "; " + advice)
}

// terminal says whether text goes to a person at a terminal that understands
// escape sequences.
func (p *program) terminal() bool {
	if term, _ := p.lookup("TERM"); term == "dumb" {
		return false
	}
	f, ok := p.stdout.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// style is how text may look on the output.
func (p *program) style() console.Style {
	plain, _ := p.lookup("NO_COLOR")
	return console.Style{Colour: plain == "" && p.terminal()}
}

// write prints text; a closed pipe is no error of ours.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }
