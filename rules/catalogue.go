package rules

import (
	"slices"
	"strings"
)

// Exporter lists every metric that the exporter publishes, but for those of the
// Go runtime, the process and the build, in the order of the exposition.
func Exporter() []Metric {
	all := slices.Concat([]Metric{
		ProviderUp, ProviderBlockHeight, ProviderLatency, ProviderErrors,
		ProviderProbes, ProviderFailures, ProviderFailing,
		ProviderConsecutiveErrors,
		ProviderConsecutiveSuccesses, ProviderWindowErrors, ProviderProbeDuration,
		ProviderProbeInterval, ProviderLastProbe, ProviderLastAdvance,
		ProviderTipTime, ProviderSyncing, ProviderPeers, ProviderNetworkMismatch,
		ProviderInconsistent, ProviderTipVerified, ProviderHeightJitter,
		ProviderCertificateExpiry, ProviderRetryAfter, ProviderPriority,
		ProviderCapability, ProviderInfo, ProviderNoVerdicts,
		ProviderIntegrityRequests,
	}, []Metric{
		ChainObservedHeight, ChainObservedHeightFailures,
		ChainObservedHeightPolls, ChainBlockTime,
		ChainSplit, ChainLastAgreement, ChainCommonHeight, FailoverMaxBlockLag,
		FailoverMaxBlockLead, FailoverTipQuorum, FailoverErrorThreshold,
		FailoverErrorWindow, FailoverMaxLatency, FailoverStallTimeout,
	}, []Metric{ReloadSuccessful, ReloadTimestamp, ConfigHash, Ready})
	return byName(all)
}

// Controller lists the metrics that the controller, its gateway and its evaluator
// of rules publish and that rules, dashboards and users rely on, in the order of
// the exposition.
func Controller() []Metric {
	return byName(slices.Concat(decisions(), Evaluator(), HTTP(), Gateway(), []Metric{
		ProviderStatus, ProviderActive, ProviderFailovers, Switches,
		EvaluatorActive, EvaluatorDisagreements,
		ReloadSuccessful, ReloadTimestamp, ConfigHash, Ready,
	}))
}

func byName(all []Metric) []Metric {
	slices.SortFunc(all, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	return all
}
