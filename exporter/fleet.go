package exporter

import (
	"errors"
	"reflect"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/integrity"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/exporter/scanner"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/rules"
)

// fleet is a configuration with everything that was built from it. It does not
// change: a reload builds another and swaps it in whole.
type fleet struct {
	config  config.Config
	members []*member
	byKey   map[prober.Key]*member
	// byChain are the members of each chain, in the order of the file.
	byChain map[string][]*member
}

// newFleet builds what a configuration asks for. Members whose provider is
// asked in the same way as before are taken over from the previous fleet, so
// that their counters and state go on. It starts nothing: when it
// fails, nothing has happened.
func newFleet(cfg config.Config, previous *fleet) (*fleet, error) {
	f := &fleet{config: cfg, byKey: map[prober.Key]*member{}, byChain: map[string][]*member{}}
	var wrong []error
	for i := range cfg.Chains {
		c := &cfg.Chains[i]
		for j := range c.Providers {
			m, err := newMember(c, &c.Providers[j], previous)
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			f.members = append(f.members, m)
			f.byKey[m.key] = m
			f.byChain[c.Name] = append(f.byChain[c.Name], m)
		}
	}
	return f, errors.Join(wrong...)
}

// newMember makes the member for a provider.
func newMember(c *config.Chain, p *config.Provider, previous *fleet) (*member, error) {
	m := &member{
		key: prober.Key{Chain: c.Name, Provider: p.Name}, chain: c, config: p,
		chainLabel:    pair(rules.LabelChain, c.Name),
		providerLabel: pair(rules.LabelProvider, p.Name),
		typeLabel:     pair(rules.LabelType, string(p.Type)),
		operatorLabel: pair(rules.LabelOperator, p.Operator),
	}
	if previous != nil {
		if before, ok := previous.byKey[m.key]; ok && askedAlike(before, m) {
			m.asker, m.duration = before.asker, before.duration
			return m, nil
		}
	}
	asker, err := chain.New(*c, *p)
	m.asker, m.duration = asker, newDuration()
	return m, err
}

// newDuration is a provider's histogram: native, with classic buckets beside.
func newDuration() prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: rules.ProviderProbeDuration.Name, Help: rules.ProviderProbeDuration.Help,
		Buckets:                         []float64{.01, .05, .25, 1, 2.5, 5},
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  100,
		NativeHistogramMinResetDuration: time.Hour,
	})
}

// askedAlike says whether two members are the same upstream, asked in the same
// way. Thresholds and intervals do not count: they may change under a provider
// without making it another.
func askedAlike(a, b *member) bool {
	return reflect.DeepEqual(question(a), question(b))
}

// question is what decides how a provider is asked.
func question(m *member) []any {
	return []any{
		m.config.Type, m.config.RPCHost, m.config.HTTP, m.config.Capabilities,
		m.chain.Kind, m.chain.Network, m.chain.Checkpoint,
		m.chain.Failover.RequestTimeout, m.chain.Failover.MaxBlockLead,
	}
}

// targets are what the prober shall probe.
func (f *fleet) targets() []prober.Target {
	all := make([]prober.Target, len(f.members))
	for i, m := range f.members {
		all[i] = prober.Target{
			Key: m.key, Operator: m.config.Operator, Asker: m.asker,
			Interval: m.config.HealthCheckInterval, Policy: m.chain.Failover,
			Duration: m.duration,
		}
	}
	return all
}

// compared are the chains whose providers are compared with each other.
func (f *fleet) compared() []integrity.Chain {
	all := make([]integrity.Chain, len(f.config.Chains))
	for i, c := range f.config.Chains {
		all[i] = integrity.Chain{
			Name: c.Name, Integrity: c.Failover.Integrity,
			MaxBlockLead:         c.Failover.MaxBlockLead,
			SuspectCheckInterval: c.Failover.SuspectCheckInterval,
		}
		for _, m := range f.byChain[c.Name] {
			all[i].Members = append(all[i].Members, integrity.Member{
				Key: m.key, Operator: m.config.Operator, Type: m.config.Type,
				Interval: m.config.HealthCheckInterval, Blocks: m.asker,
			})
		}
	}
	return all
}

// observed are the sources of the chain scanner's heights.
func (f *fleet) observed() []scanner.Source {
	all := make([]scanner.Source, len(f.config.Chains))
	for i, c := range f.config.Chains {
		all[i] = scanner.Source{Chain: c.Name, ObservedHeight: c.ObservedHeight}
	}
	return all
}
