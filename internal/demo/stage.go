package demo

import (
	"context"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// Stage is a script that is being played. Make it with Open and end it with
// Close.
type Stage struct {
	scenario  Scenario
	speed     float64
	server    simulator.Server
	chains    map[string]*simulator.Chain
	providers map[[2]string]*simulator.Provider
	config    []byte
}

// Open starts the chains and their providers on loopback. A speed of 5 plays the
// script five times as fast.
func Open(s Scenario, speed float64) (*Stage, error) {
	st := &Stage{scenario: s, speed: speed, chains: map[string]*simulator.Chain{}, providers: map[[2]string]*simulator.Provider{}}
	file := map[string]any{}
	for _, c := range s.Chains {
		entry, err := st.open(c)
		if err != nil {
			_ = st.Close()
			return nil, err
		}
		file[c.Name] = entry
	}
	var err error
	st.config, err = yaml.Marshal(map[string]any{"chains": file})
	return st, err
}

// open starts one chain, and gives its entry in the configuration.
func (st *Stage) open(c Chain) (map[string]any, error) {
	chain := simulator.NewChain(simulator.ChainOptions{
		Name: c.Name, Kind: kindOf(c), BaseHeight: 10_000, BlockTime: c.BlockTime,
	})
	st.chains[c.Name] = chain
	var providers []map[string]any
	for i, p := range c.Providers {
		one := simulator.NewProvider(chain, simulator.ProviderOptions{Name: p.Name, Type: p.Type, Remember: -1})
		address, err := st.server.Listen(one)
		if err != nil {
			return nil, fmt.Errorf("provider %s/%s: %w", c.Name, p.Name, err)
		}
		st.providers[[2]string{c.Name, p.Name}] = one
		providers = append(providers, map[string]any{
			"name": p.Name, "type": string(p.Type), "rpc_host": address, "priority": i + 1, "operator": p.Name,
		})
	}
	return map[string]any{
		"kind": string(kindOf(c)), "network": chain.Identity().Network, "block_time": c.BlockTime.String(),
		"providers": providers, "failover": policy(c),
	}, nil
}

// kindOf is the family of a chain: that of its first provider whose type has one.
func kindOf(c Chain) config.Kind {
	for _, p := range c.Providers {
		if kind := p.Type.Kind(); kind != "" {
			return kind
		}
	}
	return config.Bitcoin
}

// policy is a hasty one: what takes minutes in earnest is seen in seconds.
func policy(c Chain) map[string]any {
	return map[string]any{
		"health_check_interval": "1s", "suspect_check_interval": "300ms", "request_timeout": "600ms",
		"error_window": "10s", "max_block_lag": 3, "max_latency": "250ms", "latency_window": 3,
		"stall_timeout":           max(5*c.BlockTime, 10*time.Second).String(),
		"recovery_check_interval": "1500ms", "min_recovery_checks": 2, "flap_penalty": false,
		"integrity": map[string]any{"enabled": true, "depth": 1, "interval": "2s", "transactions": true},
	}
}

// Config is the configuration that watches the stage.
func (st *Stage) Config() []byte { return st.config }

// Play breaks providers when the script says so, and tells of each step, until
// the script or the context ends.
func (st *Stage) Play(ctx context.Context, tell func(at time.Duration, step Step)) {
	begin := time.Now()
	for _, step := range st.scenario.Steps {
		if !await(ctx, begin.Add(st.in(step.At))) {
			return
		}
		st.providers[[2]string{step.Chain, step.Provider}].SetBehaviour(behaviour(step, st.chains[step.Chain]))
		tell(time.Since(begin), step)
	}
	await(ctx, begin.Add(st.in(st.scenario.End)))
}

// in is a time of the script as it is played.
func (st *Stage) in(d time.Duration) time.Duration { return time.Duration(float64(d) / st.speed) }

// await waits for a moment; false if the context ended before.
func await(ctx context.Context, moment time.Time) bool {
	timer := time.NewTimer(time.Until(moment))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// behaviour is that of a provider with a fault.
func behaviour(step Step, chain *simulator.Chain) simulator.Behaviour {
	switch step.Fault {
	case Refuse:
		return simulator.Behaviour{Mode: simulator.ModeRefuse}
	case Hang:
		return simulator.Behaviour{Mode: simulator.ModeHang}
	case Reset:
		return simulator.Behaviour{Mode: simulator.ModeReset}
	case Lag:
		return simulator.Behaviour{Lag: step.Blocks}
	case Ahead:
		return simulator.Behaviour{Lag: -step.Blocks}
	case Freeze:
		return simulator.Behaviour{Freeze: true}
	case Fork:
		return simulator.Behaviour{Fork: simulator.Fork{Name: "demo", From: chain.Height() - 3}}
	case Incomplete:
		return simulator.Behaviour{DropTransactions: 1}
	case Slow:
		return simulator.Behaviour{Latency: step.Latency}
	case RateLimit:
		return simulator.Behaviour{Respond: &simulator.Answer{Status: 429, Body: "Too Many Requests"}}
	case Unauthorized:
		return simulator.Behaviour{Respond: &simulator.Answer{Status: 401, Body: "Unauthorized"}}
	case Page:
		return simulator.Behaviour{Respond: &simulator.Answer{Header: map[string]string{"Content-Type": "text/html"}, Body: "<html><body>Maintenance</body></html>"}}
	}
	return simulator.Behaviour{}
}

// Close ends the providers.
func (st *Stage) Close() error { return st.server.Close() }
