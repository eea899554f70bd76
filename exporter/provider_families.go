package exporter

import (
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/rules"
)

// The label pairs of bounded words, shared by all series.
var (
	reasonLabels     = pairs(rules.LabelReason, chain.Reasons)
	causeLabels      = pairs(rules.LabelCause, chain.Causes)
	hashLabel        = pair(rules.LabelCheck, rules.CheckHash)
	transactionLabel = pair(rules.LabelCheck, rules.CheckTransactions)
)

// reasonIndex is the place of each reason in reasonLabels.
var reasonIndex = func() map[chain.Reason]int {
	index := make(map[chain.Reason]int, len(chain.Reasons))
	for i, r := range chain.Reasons {
		index[r] = i
	}
	return index
}()

// pairs is one label pair per value.
func pairs[T ~string](name string, values []T) []*dto.LabelPair {
	all := make([]*dto.LabelPair, len(values))
	for i, v := range values {
		all[i] = pair(name, string(v))
	}
	return all
}

// ofEach makes a family with at most one series per provider.
func ofEach(m rules.Metric, put func(p *providerView, now time.Time, add func(float64))) family {
	return family{m, func(v *view, s *sheet) {
		for i := range v.providers {
			p := &v.providers[i]
			put(p, v.now, func(value float64) { s.add(value, p.chainLabel, p.providerLabel) })
		}
	}}
}

// always is ofEach for what is known from the start.
func always(m rules.Metric, value func(p *providerView, now time.Time) float64) family {
	return ofEach(m, func(p *providerView, now time.Time, add func(float64)) { add(value(p, now)) })
}

// moment is ofEach for a time that may not have been.
func moment(m rules.Metric, at func(p *providerView) time.Time) family {
	return family{m, func(v *view, s *sheet) {
		for i := range v.providers {
			p := &v.providers[i]
			s.addTime(at(p), p.chainLabel, p.providerLabel)
		}
	}}
}

// indicator is 1 or 0.
func indicator(set bool) float64 {
	if set {
		return 1
	}
	return 0
}

// known passes a value on if there is one.
func known[T any](o chain.Optional[T], number func(T) float64, add func(float64)) {
	if o.Known {
		add(number(o.Value))
	}
}

// providerFamilies are the families with the labels chain and provider.
var providerFamilies = []family{
	always(rules.ProviderUp, func(p *providerView, _ time.Time) float64 { return indicator(p.status.Up) }),
	ofEach(rules.ProviderBlockHeight, func(p *providerView, now time.Time, add func(float64)) {
		if p.status.HeightKnown(now) {
			add(float64(p.status.Height))
		}
	}),
	ofEach(rules.ProviderLatency, func(p *providerView, now time.Time, add func(float64)) {
		if p.status.HeightKnown(now) {
			known(p.status.LatencyMS, func(ms float64) float64 { return ms }, add)
		}
	}),
	always(rules.ProviderErrors, func(p *providerView, _ time.Time) float64 { return float64(p.status.Errors) }),
	always(rules.ProviderProbes, func(p *providerView, _ time.Time) float64 { return float64(p.status.Probes) }),
	{rules.ProviderFailures, emitFailures},
	{rules.ProviderFailing, func(v *view, s *sheet) {
		for i := range v.providers {
			if p := &v.providers[i]; p.status.ConsecutiveErrors > 0 {
				s.add(1, p.chainLabel, p.providerLabel, reasonLabels[reasonIndex[p.status.LastFailure.Reason]])
			}
		}
	}},
	always(rules.ProviderConsecutiveErrors, func(p *providerView, _ time.Time) float64 {
		return float64(p.status.ConsecutiveErrors)
	}),
	always(rules.ProviderConsecutiveSuccesses, func(p *providerView, _ time.Time) float64 {
		return float64(p.status.ConsecutiveSuccesses)
	}),
	always(rules.ProviderWindowErrors, func(p *providerView, now time.Time) float64 {
		return float64(p.status.WindowErrors(now))
	}),
	{rules.ProviderProbeDuration, func(v *view, s *sheet) {
		for i := range v.providers {
			p := &v.providers[i]
			s.addHistogram(p.duration, p.chainLabel, p.providerLabel)
		}
	}},
	always(rules.ProviderProbeInterval, func(p *providerView, _ time.Time) float64 {
		return p.config.HealthCheckInterval.Seconds()
	}),
	moment(rules.ProviderLastProbe, func(p *providerView) time.Time { return p.status.LastProbe }),
	moment(rules.ProviderLastAdvance, func(p *providerView) time.Time { return p.status.LastAdvance }),
	{rules.ProviderTipTime, func(v *view, s *sheet) {
		for i := range v.providers {
			if p := &v.providers[i]; p.status.HeightKnown(v.now) {
				s.addTime(p.status.Time, p.chainLabel, p.providerLabel)
			}
		}
	}},
	ofEach(rules.ProviderSyncing, func(p *providerView, now time.Time, add func(float64)) {
		if p.status.HeightKnown(now) {
			known(p.status.Syncing, indicator, add)
		}
	}),
	ofEach(rules.ProviderPeers, func(p *providerView, now time.Time, add func(float64)) {
		if p.status.HeightKnown(now) {
			known(p.status.Peers, func(n int) float64 { return float64(n) }, add)
		}
	}),
	ofEach(rules.ProviderNetworkMismatch, func(p *providerView, _ time.Time, add func(float64)) {
		if p.status.Network != prober.NetworkUnknown {
			add(indicator(p.status.Network == prober.NetworkWrong))
		}
	}),
	{rules.ProviderInconsistent, emitInconsistent},
	ofEach(rules.ProviderTipVerified, func(p *providerView, _ time.Time, add func(float64)) {
		known(p.integrity.TipVerified, indicator, add)
	}),
	always(rules.ProviderHeightJitter, func(p *providerView, now time.Time) float64 {
		return float64(p.status.HeightJitter(now))
	}),
	moment(rules.ProviderCertificateExpiry, func(p *providerView) time.Time { return p.status.CertificateExpiry }),
	moment(rules.ProviderRetryAfter, func(p *providerView) time.Time { return p.status.RetryAfter }),
	always(rules.ProviderPriority, func(p *providerView, _ time.Time) float64 { return float64(p.config.Priority) }),
	{rules.ProviderCapability, emitCapabilities},
	{rules.ProviderInfo, func(v *view, s *sheet) {
		for i := range v.providers {
			p := &v.providers[i]
			s.add(1, p.chainLabel, p.operatorLabel, p.providerLabel, p.typeLabel)
		}
	}},
	{rules.ProviderNoVerdicts, func(v *view, s *sheet) {
		for i := range v.providers {
			p := &v.providers[i]
			for c, cause := range chain.Causes {
				s.add(float64(p.status.NoVerdicts(cause)), causeLabels[c], p.chainLabel, p.providerLabel)
			}
		}
	}},
	always(rules.ProviderIntegrityRequests, func(p *providerView, _ time.Time) float64 {
		return float64(p.asked)
	}),
}

func emitFailures(v *view, s *sheet) {
	for i := range v.providers {
		p := &v.providers[i]
		for r, reason := range chain.Reasons {
			s.add(float64(p.status.Failures(reason)), p.chainLabel, p.providerLabel, reasonLabels[r])
		}
	}
}

func emitInconsistent(v *view, s *sheet) {
	for i := range v.providers {
		p := &v.providers[i]
		if differs := p.integrity.HashDiffers; differs.Known {
			s.addFlag(differs.Value, p.chainLabel, hashLabel, p.providerLabel)
		}
		if differs := p.integrity.TransactionsDiffer; differs.Known {
			s.addFlag(differs.Value, p.chainLabel, transactionLabel, p.providerLabel)
		}
	}
}

// emitCapabilities tells the declared capabilities: what a probe refuted is 0,
// what it confirmed or cannot verify is 1.
func emitCapabilities(v *view, s *sheet) {
	for i := range v.providers {
		p := &v.providers[i]
		for _, capability := range p.config.Capabilities {
			has, verified := p.status.Capabilities[capability]
			s.addFlag(has || !verified, pair(rules.LabelCapability, capability), p.chainLabel, p.providerLabel)
		}
	}
}
