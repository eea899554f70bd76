package controller_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/controller/evaluator"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// node is a provider as an exporter sees it.
type node struct {
	operator string
	// failing is the class of failure of its probes; empty: they are good.
	failing string
	height  float64
	// mismatch and inconsistent are integrity findings.
	mismatch, inconsistent bool
	latency                float64
	// refuted are capabilities that a probe found missing.
	refuted []string

	probed, advanced               time.Time
	errors, consecutive, successes float64
	window                         []time.Time
	failures                       map[string]float64
}

// fleet is an exporter whose providers do what a test says. It is a source of
// samples, and every collection is a scrape of it.
type fleet struct {
	instance string

	mu     sync.Mutex
	chains map[string]config.Chain
	nodes  map[string]map[string]*node
	split  map[string]bool
	// silent is the error of every scrape; nil: it answers.
	silent  error
	scrapes int
}

func newFleet(instance string, cfg config.Config) *fleet {
	f := &fleet{instance: instance, nodes: map[string]map[string]*node{}, split: map[string]bool{}}
	f.apply(cfg)
	return f
}

// apply takes another configuration.
func (f *fleet) apply(cfg config.Config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.chains = map[string]config.Chain{}
	for _, c := range cfg.Chains {
		f.chains[c.Name] = c
		before := f.nodes[c.Name]
		f.nodes[c.Name] = map[string]*node{}
		for _, p := range c.Providers {
			n := before[p.Name]
			if n == nil {
				n = &node{operator: p.Operator, height: 1000, latency: 12, failures: map[string]float64{}}
			}
			f.nodes[c.Name][p.Name] = n
		}
	}
	maps.DeleteFunc(f.nodes, func(chain string, _ map[string]*node) bool { _, known := f.chains[chain]; return !known })
}

// change changes a provider.
func (f *fleet) change(chain, provider string, change func(*node)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.nodes[chain][provider])
}

// silence makes scrapes fail, or answer again.
func (f *fleet) silence(silent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.silent = nil
	if silent {
		f.silent = errors.New("connection refused")
	}
}

// setSplit makes the operators of a chain disagree, or agree again.
func (f *fleet) setSplit(chain string, split bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.split[chain] = split
}

// probe probes every provider once. A probe that fails is followed by as many
// more as it takes to confirm an outage.
func (f *fleet) probe() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for chain, nodes := range f.nodes {
		policy := f.chains[chain].Failover
		for _, n := range nodes {
			n.probe(time.Now(), policy)
		}
	}
}

func (n *node) probe(now time.Time, policy config.Failover) {
	n.probed = now
	if n.failing == "" {
		n.consecutive = 0
		n.successes++
		n.height++
		n.advanced = now
	}
	for n.failing != "" {
		n.successes = 0
		n.errors++
		n.consecutive++
		n.failures[n.failing]++
		n.window = append(n.window, now)
		if n.consecutive >= float64(policy.ErrorThreshold) {
			break
		}
	}
	n.window = slices.DeleteFunc(n.window, func(at time.Time) bool { return now.Sub(at) > policy.ErrorWindow })
}

// Target implements evaluator.Source.
func (f *fleet) Target() evaluator.Target {
	return evaluator.Target{Job: "understudy-exporter", Instance: f.instance}
}

// Collect implements evaluator.Source.
func (f *fleet) Collect(context.Context, evaluator.Wanted) ([]*dto.MetricFamily, error) {
	f.mu.Lock()
	silent := f.silent
	f.scrapes++
	f.mu.Unlock()
	if silent != nil {
		return nil, silent
	}
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(published{f})
	return r.Gather()
}

// published is what a fleet publishes, as a prometheus.Collector.
type published struct{ *fleet }

// Describe implements prometheus.Collector: what there is changes.
func (p published) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (p published) Collect(out chan<- prometheus.Metric) {
	give := func(m rules.Metric, v float64, labels ...string) {
		kind := prometheus.GaugeValue
		if m.Type == rules.Counter {
			kind = prometheus.CounterValue
		}
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(m.Name, m.Help, m.Labels, nil), kind, v, labels...)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, c := range p.chains {
		give(rules.ChainBlockTime, c.BlockTime.Seconds(), name)
		give(rules.ChainSplit, number(p.split[name]), name)
		give(rules.FailoverMaxBlockLag, float64(c.Failover.MaxBlockLag), name)
		give(rules.FailoverMaxBlockLead, float64(c.Failover.MaxBlockLead), name)
		give(rules.FailoverTipQuorum, float64(c.Failover.TipQuorum), name)
		give(rules.FailoverErrorThreshold, float64(c.Failover.ErrorThreshold), name)
		give(rules.FailoverMaxLatency, float64(c.Failover.MaxLatency.Milliseconds()), name)
		give(rules.FailoverStallTimeout, c.Failover.StallTimeout.Seconds(), name)
		for _, provider := range c.Providers {
			n := p.nodes[name][provider.Name]
			n.publish(give, name, provider)
		}
	}
}

func (n *node) publish(give func(rules.Metric, float64, ...string), chain string, p config.Provider) {
	own := func(m rules.Metric, v float64) { give(m, v, chain, p.Name) }
	give(rules.ProviderInfo, 1, chain, p.Operator, p.Name, string(p.Type))
	own(rules.ProviderUp, number(!n.probed.IsZero() && n.failing == "" && !n.mismatch))
	own(rules.ProviderErrors, n.errors)
	own(rules.ProviderConsecutiveErrors, n.consecutive)
	own(rules.ProviderConsecutiveSuccesses, n.successes)
	own(rules.ProviderWindowErrors, float64(len(n.window)))
	own(rules.ProviderProbeInterval, p.HealthCheckInterval.Seconds())
	for reason, count := range n.failures {
		give(rules.ProviderFailures, count, chain, p.Name, reason)
	}
	for _, c := range p.Capabilities {
		give(rules.ProviderCapability, number(!slices.Contains(n.refuted, c)), c, chain, p.Name)
	}
	if n.probed.IsZero() {
		return
	}
	own(rules.ProviderLastProbe, float64(n.probed.UnixMilli())/1000)
	own(rules.ProviderNetworkMismatch, number(n.mismatch))
	give(rules.ProviderInconsistent, number(n.inconsistent), chain, "hash", p.Name)
	if n.failing != "" {
		give(rules.ProviderFailing, 1, chain, p.Name, n.failing)
		return
	}
	own(rules.ProviderBlockHeight, n.height)
	own(rules.ProviderLatency, n.latency)
	own(rules.ProviderLastAdvance, float64(n.advanced.UnixMilli())/1000)
	own(rules.ProviderTipTime, float64(n.advanced.UnixMilli())/1000)
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
