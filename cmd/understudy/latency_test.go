package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

const latencyChains, latencyProviders = 20, 5

// BenchmarkDecisionLatency measures, with 100 providers at the default interval
// and one process for everything, how long it takes from the end of the probe
// that condemns the active provider to the answer of who waits for the change, with
// so many chains in trouble at a time.
func BenchmarkDecisionLatency(b *testing.B) {
	for _, atOnce := range []int{1, 4} {
		b.Run(fmt.Sprintf("at-once=%d", atOnce), func(b *testing.B) { benchmarkLatency(b, atOnce) })
	}
}

func benchmarkLatency(b *testing.B, atOnce int) {
	var text strings.Builder
	text.WriteString("chains:\n")
	chains := make([]*watchedChain, latencyChains)
	for i := range chains {
		chains[i] = newWatchedChain(b, fmt.Sprint("chain", i), &text)
	}
	p := startCommand(b, "run", nil, "--config.file="+file(b, "understudy.yml", text.String()), "--log.level=error")
	p.await(time.Minute, "every provider is probed", func() bool { status, _ := p.get("/-/ready"); return status == http.StatusOK })
	ctx, cancel := context.WithCancel(context.Background())
	took, places := make(chan time.Duration), make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, c := range chains {
		all.Go(func() {
			for ctx.Err() == nil {
				places <- struct{}{}
				d, err := c.failover(ctx, p.address)
				<-places
				if err == nil {
					select {
					case took <- d:
					case <-ctx.Done():
					}
				}
			}
		})
	}
	var samples []time.Duration
	for b.Loop() {
		samples = append(samples, <-took)
	}
	cancel()
	all.Wait()
	slices.Sort(samples)
	ms := func(share float64) float64 {
		return float64(samples[int(share*float64(len(samples)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "ms-median")
	b.ReportMetric(ms(0.99), "ms-p99")
	b.ReportMetric(ms(1), "ms-max")
	b.ReportMetric(0, "ns/op")
}

// watchedChain is a simulated chain whose providers note when they have answered
// with an error.
type watchedChain struct {
	name string

	mu sync.Mutex
	// failing is who answers with errors, failed when it last had.
	failing string
	failed  time.Time
}

func newWatchedChain(b *testing.B, name string, text *strings.Builder) *watchedChain {
	b.Helper()
	c := &watchedChain{name: name}
	chain := simulator.NewChain(simulator.ChainOptions{Name: name, Kind: config.EVM, BlockTime: 12 * time.Second})
	fmt.Fprintf(text, "  %s:\n    network: \"1\"\n    failover: {error_threshold: 2, recovery_check_interval: 5s, min_recovery_checks: 1, flap_penalty: false, failback: sticky}\n    providers:\n", name)
	for i := range latencyProviders {
		provider := simulator.NewProvider(chain, simulator.ProviderOptions{Name: fmt.Sprint("p", i), Type: config.EVMRPC, Remember: -1})
		server := httptest.NewServer(c.watch(provider))
		b.Cleanup(server.Close)
		fmt.Fprintf(text, "      - {name: %s, type: evm-rpc, operator: o%d, rpc_host: %q}\n", provider.Name(), i, server.URL)
	}
	return c
}

// watch answers for a provider.
func (c *watchedChain) watch(p *simulator.Provider) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		failing := c.failing == p.Name()
		c.mu.Unlock()
		if !failing {
			p.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		_ = http.NewResponseController(w).Flush()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = time.Now()
	})
}

// failover lets the active provider fail until another serves, and returns how
// long it took from its last error to the answer.
func (c *watchedChain) failover(ctx context.Context, address string) (time.Duration, error) {
	before, err := c.active(ctx, address, 0)
	if err != nil || before.Provider == nil {
		return 0, fmt.Errorf("nobody serves %s: %w", c.name, err)
	}
	c.mu.Lock()
	c.failing = *before.Provider
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failing = ""
	}()
	for index := before.Index; ; {
		after, err := c.active(ctx, address, index)
		if err != nil {
			return 0, err
		}
		now := time.Now()
		if after.Generation > before.Generation {
			c.mu.Lock()
			defer c.mu.Unlock()
			return now.Sub(c.failed), nil
		}
		index = after.Index
	}
}

// active asks who serves once the index has passed one.
func (c *watchedChain) active(ctx context.Context, address string, index uint64) (wire.Active, error) {
	var a wire.Active
	url := fmt.Sprintf("http://%s/active/%s?index=%d&wait=60s", address, c.name, index)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return a, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, err
	}
	defer func() { _ = response.Body.Close() }()
	return a, json.NewDecoder(response.Body).Decode(&a)
}
