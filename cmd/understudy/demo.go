package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kingpin/v2"
	"github.com/prometheus/common/promslog"

	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/controller/remote"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/demo"
)

// fastSpeed plays the script of five minutes in one.
const fastSpeed = 5

// demoFlags say what is played.
type demoFlags struct {
	fast, once *bool
	scenario   *string
}

// demo adds the subcommand that plays faults over simulated providers.
func (p *program) demo(app *kingpin.Application) command {
	c := app.Command("demo", "Watch simulated chains whose providers fail on a script: failovers without a network and without keys.")
	flags := addServerFlags(c, runAddress)
	f := demoFlags{
		fast:     c.Flag("fast", "Play the script in a minute instead of five.").Bool(),
		once:     c.Flag("once", "End with the script. Otherwise everything stays up until it is interrupted.").Bool(),
		scenario: c.Flag("scenario", "Script of your own, a YAML file.").PlaceHolder("FILE").String(),
	}
	return command{c, func() int { return p.runDemo(flags, f) }}
}

// runDemo plays until the script or a signal ends it.
func (p *program) runDemo(flags serverFlags, f demoFlags) int {
	scenario, err := f.load()
	if err != nil {
		return p.fail(err)
	}
	speed := 1.0
	if *f.fast {
		speed = fastSpeed
	}
	stage, err := demo.Open(scenario, speed)
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = stage.Close() }()
	dir, err := os.MkdirTemp("", "understudy-demo-")
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	p.log = &promslog.Config{Writer: p.stderr, Level: promslog.NewLevel()}
	_ = p.log.Level.Set("error")
	s, err := p.newService("demo", flags)
	if err != nil {
		return p.fail(err)
	}
	// What the narrator tells is what there is to read; the log would tell it twice.
	s.logger = slog.New(slog.DiscardHandler)
	load := func() (config.Config, error) { return config.Parse("demo", stage.Config(), p.lookup) }
	c, status := p.assemble(s, load, defaultDecisions(filepath.Join(dir, "data")))
	if c == nil {
		return status
	}
	n := &narrator{program: p, view: c.Overview(), begin: time.Now(), told: map[string]uint64{}}
	n.welcome(scenario, "http://"+(*flags.web.WebListenAddresses)[0]+strings.TrimSuffix(s.prefix, "/"))
	s.parts = append(s.parts, n.follow, func(ctx context.Context) error {
		stage.Play(ctx, n.step)
		if ctx.Err() != nil {
			// It was broken off, and nothing stays up.
			return nil
		}
		n.farewell(*f.once)
		if !*f.once {
			<-ctx.Done()
		}
		return nil
	})
	return s.serve()
}

// load reads the script.
func (f demoFlags) load() (demo.Scenario, error) {
	if *f.scenario == "" {
		return demo.Default()
	}
	text, err := os.ReadFile(*f.scenario)
	if err != nil {
		return demo.Scenario{}, fmt.Errorf("--scenario: %w", err)
	}
	s, err := demo.Parse(text)
	if err != nil {
		return s, fmt.Errorf("--scenario %s: %w", *f.scenario, err)
	}
	return s, nil
}

// narrator tells in the terminal what happens.
type narrator struct {
	program *program
	view    *overview.Overview
	begin   time.Time
	// told is the index of the last event that was told, by chain. Only follow
	// uses it.
	told map[string]uint64
}

func (n *narrator) say(format string, words ...any) {
	at := time.Since(n.begin).Round(100 * time.Millisecond).Seconds()
	_, _ = fmt.Fprintf(n.program.stdout, "%6.1fs  %s\n", at, fmt.Sprintf(format, words...))
}

// welcome says what is to be seen, and where.
func (n *narrator) welcome(s demo.Scenario, at string) {
	var names []string
	for _, c := range s.Chains {
		names = append(names, fmt.Sprintf("%s (%s)", c.Name, counted(len(c.Providers), "provider", "providers")))
	}
	out := n.program.stdout
	_, _ = fmt.Fprintf(out, "Simulated chains: %s. Everything runs in this process, on loopback.\n", strings.Join(names, ", "))
	_, _ = fmt.Fprintf(out, "Look at   %s\n", at)
	_, _ = fmt.Fprintf(out, "or ask    curl %s/active/%s\n          understudy status --watch", at, s.Chains[0].Name)
	if at != remote.DefaultURL {
		_, _ = fmt.Fprintf(out, " --controller.url=%s", at)
	}
	_, _ = fmt.Fprint(out, "\n\n")
}

// step tells of a step of the script.
func (n *narrator) step(_ time.Duration, s demo.Step) {
	if s.Say != "" {
		n.say("* %s", s.Say)
	}
}

// farewell tells that the script is over.
func (n *narrator) farewell(ends bool) {
	if ends {
		n.say("The script is over.")
		return
	}
	n.say("The script is over. Everything stays up; end it with Ctrl-C.")
}

// follow tells of every switch and of every change of a provider's state.
func (n *narrator) follow(ctx context.Context) error {
	changes, stop := n.view.Watch()
	defer stop()
	for {
		for _, a := range n.view.Actives().Chains {
			n.news(a.Chain)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
		}
	}
}

// news tells what happened to a chain since it was last looked at.
func (n *narrator) news(chain string) {
	events := n.view.Events(chain, time.Time{}, 50)
	last := n.told[chain]
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		if e.Index <= last {
			continue
		}
		n.told[chain] = e.Index
		switch {
		case e.Kind == wire.EventState:
			n.say("    %s/%s is %s: %s", chain, e.Provider, e.To, e.Reason)
		case e.Provider == "" && e.Kind != wire.EventConfiguration && e.To == "":
			n.say("  %s: nobody serves. %s", chain, e.Reason)
		case e.Provider == "" && e.Kind != wire.EventConfiguration:
			n.say("  %s: %s serves now. %s", chain, e.To, e.Reason)
		}
	}
}
