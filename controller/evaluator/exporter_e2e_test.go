//go:build e2e

package evaluator

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
	"github.com/understudy-rpc/understudy/rules"
)

// hurriedPolicy is a policy with which things happen soon. What it says of latency
// leaves room for a machine that has much else to do.
const hurriedPolicy = `
chains:
  eth:
    block_time: 200ms
    failover:
      health_check_interval: 400ms
      suspect_check_interval: 100ms
      request_timeout: 400ms
      error_threshold: 3
      error_window: 4s
      max_block_lag: 10
      max_latency: 200ms
      stall_timeout: 2s
      integrity: {interval: 400ms}
    providers:
`

// simulated are three providers of a chain, with a real exporter that probes
// them.
type simulated struct {
	chain     *simulator.Chain
	providers []*simulator.Provider
	exporter  *exporter.Exporter
	address   string
	// probed is called after each probe.
	probed atomic.Pointer[func()]
}

func simulate(t *testing.T) *simulated {
	t.Helper()
	s := &simulated{chain: simulator.NewChain(simulator.ChainOptions{
		Name: "eth", Kind: config.EVM, BaseHeight: 1000, BlockTime: 200 * time.Millisecond,
	})}
	var server simulator.Server
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	text := hurriedPolicy
	for _, name := range []string{"a", "b", "c"} {
		p := simulator.NewProvider(s.chain, simulator.ProviderOptions{Name: name, Type: config.EVMRPC})
		address, err := server.Listen(p)
		require.NoError(t, err)
		s.providers = append(s.providers, p)
		text += fmt.Sprintf("      - {name: %s, type: evm-rpc, operator: %s, rpc_host: %q}\n", name, name, address)
	}
	var err error
	s.exporter, err = exporter.New(exporter.Options{
		Load: func() (config.Config, error) {
			return config.Parse("test.yml", []byte(text), func(string) (string, bool) { return "", false })
		},
		OnProbe: func(prober.Key) {
			if probed := s.probed.Load(); probed != nil {
				(*probed)()
			}
		},
	})
	require.NoError(t, err)
	s.run(t)
	return s
}

// run lets the exporter probe and answer until the test ends.
func (s *simulated) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.exporter.Run(ctx) }()
	web := httptest.NewServer(s.exporter.Handler(exporter.HandlerOptions{}))
	s.address = strings.TrimPrefix(web.URL, "http://")
	t.Cleanup(func() {
		web.Close()
		cancel()
		require.NoError(t, <-done)
	})
}

// TestPrometheusSeesTheSameProviders has a real exporter probe simulated
// providers. Prometheus scrapes it; ours gathers in the same process, and is
// triggered by each probe.
func TestPrometheusSeesTheSameProviders(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	w := startTwins(t, []string{s.address}, []Source{FromGatherer("understudy", s.address, s.exporter)}, "")
	trigger := w.ours.Trigger
	s.probed.Store(&trigger)
	w.agree("calm", []string{rules.AlertWatchdog}, rules.FailoverAlerts())

	height := s.chain.Height()
	huge := height + 1_000_000
	for _, step := range []struct {
		name      string
		behaviour simulator.Behaviour
		firing    string
	}{
		{"refuses", simulator.Behaviour{Mode: simulator.ModeRefuse}, rules.AlertProviderDown},
		{"hangs", simulator.Behaviour{Mode: simulator.ModeHang}, rules.AlertProviderDown},
		{"lags", simulator.Behaviour{Lag: 50}, rules.AlertProviderBehindTip},
		{"stands still", simulator.Behaviour{Freeze: true}, rules.AlertProviderStalled},
		{"claims too much", simulator.Behaviour{Height: &huge}, rules.AlertProviderAheadOfTip},
		{"is on a fork", simulator.Behaviour{Fork: simulator.Fork{Name: "other", From: height - 100}}, rules.AlertProviderInconsistent},
		{"refuses the key", simulator.Behaviour{Auth: &simulator.Auth{Header: "api-key", Value: "none"}}, rules.AlertProviderUnauthorized},
		{"wants less", simulator.Behaviour{RateLimit: &simulator.RateLimit{Requests: 1, Per: 20 * time.Second, Retry: simulator.RetrySeconds}}, rules.AlertProviderRateLimited},
		{"is slow", simulator.Behaviour{Latency: 300 * time.Millisecond}, rules.AlertProviderSlow},
		{"fails with errors", simulator.Behaviour{Respond: &simulator.Answer{Status: 400, Body: "no"}}, rules.AlertProviderErrors},
	} {
		s.providers[1].SetBehaviour(step.behaviour)
		w.agree(step.name, []string{step.firing}, nil)
		s.providers[1].SetBehaviour(simulator.Behaviour{})
		w.agree(step.name+" no more", nil, []string{step.firing})
	}

	for _, p := range s.providers {
		p.SetBehaviour(simulator.Behaviour{Mode: simulator.ModeReset})
	}
	w.agree("all are down", []string{rules.AlertProviderDown, rules.AlertChainAllProvidersUnhealthy}, nil)
	for _, p := range s.providers {
		p.SetBehaviour(simulator.Behaviour{})
	}
	w.agree("all are up", nil, rules.FailoverAlerts())
	s.chain.Halt()
	w.agree("the chain has halted", []string{rules.AlertChainTipStalled}, rules.FailoverAlerts())
	s.chain.Resume()
	w.agree("the chain goes on", nil, append(rules.FailoverAlerts(), rules.AlertChainTipStalled))
}
