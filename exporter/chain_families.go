package exporter

import (
	"time"

	"github.com/understudy-rpc/understudy/exporter/scanner"
	"github.com/understudy-rpc/understudy/rules"
)

// scannerReasonLabels are shared by all series.
var scannerReasonLabels = pairs(rules.LabelReason, scanner.Reasons)

// ofChain makes a family with at most one series per chain.
func ofChain(m rules.Metric, put func(c *chainView, add func(float64))) family {
	return family{m, func(v *view, s *sheet) {
		for i := range v.chains {
			c := &v.chains[i]
			put(c, func(value float64) { s.add(value, c.chainLabel) })
		}
	}}
}

// policy is ofChain for a threshold, which is always known.
func policy(m rules.Metric, value func(c *chainView) float64) family {
	return ofChain(m, func(c *chainView, add func(float64)) { add(value(c)) })
}

// chainFamilies are the families with the label chain alone.
var chainFamilies = []family{
	ofChain(rules.ChainObservedHeight, func(c *chainView, add func(float64)) {
		known(c.observed, func(h scanner.Height) float64 { return float64(h.Value) }, add)
	}),
	{rules.ChainObservedHeightFailures, func(v *view, s *sheet) {
		for i := range v.chains {
			for r, reason := range scanner.Reasons {
				if c := &v.chains[i]; c.polls.Known {
					s.add(float64(c.polls.Value.Failures[reason]), c.chainLabel, scannerReasonLabels[r])
				}
			}
		}
	}},
	ofChain(rules.ChainObservedHeightPolls, func(c *chainView, add func(float64)) {
		known(c.polls, func(p scanner.Status) float64 { return float64(p.Polls) }, add)
	}),
	policy(rules.ChainBlockTime, func(c *chainView) float64 { return c.config.BlockTime.Seconds() }),
	ofChain(rules.ChainSplit, func(c *chainView, add func(float64)) {
		if c.config.Failover.Integrity.Enabled {
			add(indicator(c.agreement.Split))
		}
	}),
	{rules.ChainLastAgreement, func(v *view, s *sheet) {
		for i := range v.chains {
			s.addTime(v.chains[i].agreement.AgreedAt, v.chains[i].chainLabel)
		}
	}},
	ofChain(rules.ChainCommonHeight, func(c *chainView, add func(float64)) {
		known(c.agreement.CommonHeight, func(h uint64) float64 { return float64(h) }, add)
	}),
	policy(rules.FailoverMaxBlockLag, func(c *chainView) float64 { return float64(c.config.Failover.MaxBlockLag) }),
	policy(rules.FailoverMaxBlockLead, func(c *chainView) float64 { return float64(c.config.Failover.MaxBlockLead) }),
	policy(rules.FailoverTipQuorum, func(c *chainView) float64 { return float64(c.config.Failover.TipQuorum) }),
	policy(rules.FailoverErrorThreshold, func(c *chainView) float64 { return float64(c.config.Failover.ErrorThreshold) }),
	policy(rules.FailoverErrorWindow, func(c *chainView) float64 { return c.config.Failover.ErrorWindow.Seconds() }),
	policy(rules.FailoverMaxLatency, func(c *chainView) float64 {
		return float64(c.config.Failover.MaxLatency) / float64(time.Millisecond)
	}),
	policy(rules.FailoverStallTimeout, func(c *chainView) float64 { return c.config.Failover.StallTimeout.Seconds() }),
}
