package rules

// The labels of alerts beside chain and provider.
const (
	// LabelAlert holds an alert's name.
	LabelAlert = "alertname"
	// LabelFailover marks evidence: an alert that fires with the value
	// FailoverTrue, a chain and a provider speaks against that provider, whoever
	// wrote its rule.
	LabelFailover = "failover"
	// LabelFailureMode says in which way a provider or a chain fails: one of
	// FailureModes.
	LabelFailureMode = "failure_mode"
	// LabelSeverity is for people: one of Severities.
	LabelSeverity = "severity"
)

// FailoverTrue is the value of LabelFailover that makes an alert evidence.
const FailoverTrue = "true"

// The values of LabelFailureMode.
const (
	ModeDown         = "down"
	ModeBehind       = "behind"
	ModeErrors       = "errors"
	ModeSlow         = "slow"
	ModeInconsistent = "inconsistent"
)

// The values of LabelSeverity.
const (
	SeverityCritical = "critical"
	SeverityWarning  = "warning"
	SeverityInfo     = "info"
	// SeverityNone is that of the watchdog, which means well.
	SeverityNone = "none"
)

// The annotations that every alert of ours has.
const (
	AnnotationSummary     = "summary"
	AnnotationDescription = "description"
	AnnotationRunbook     = "runbook_url"
)

// FailureModes are the values of LabelFailureMode, the most severe first.
func FailureModes() []string {
	return []string{ModeInconsistent, ModeDown, ModeErrors, ModeBehind, ModeSlow}
}

// Severities are the values of LabelSeverity, the most severe first.
func Severities() []string {
	return []string{SeverityCritical, SeverityWarning, SeverityInfo, SeverityNone}
}

// The alerts that are evidence against a provider.
const (
	AlertProviderDown         = "ProviderDown"
	AlertProviderBehindTip    = "ProviderBehindTip"
	AlertProviderStalled      = "ProviderStalled"
	AlertProviderErrors       = "ProviderErrors"
	AlertProviderRateLimited  = "ProviderRateLimited"
	AlertProviderUnauthorized = "ProviderUnauthorized"
	AlertProviderSlow         = "ProviderSlow"
	AlertProviderInconsistent = "ProviderInconsistent"
	AlertProviderWrongNetwork = "ProviderWrongNetwork"
	AlertProviderSyncing      = "ProviderSyncing"
	AlertProviderAheadOfTip   = "ProviderAheadOfTip"
)

// The alerts about a provider that are for people and no evidence.
const (
	AlertProviderCertificateExpiring = "ProviderCertificateExpiring"
	AlertProviderHeightJitter        = "ProviderHeightJitter"
)

// The alerts about a chain as a whole.
const (
	AlertChainAllProvidersUnhealthy = "ChainAllProvidersUnhealthy"
	AlertChainTipStalled            = "ChainTipStalled"
	AlertChainSplit                 = "ChainSplit"
	AlertChainNoRedundancy          = "ChainNoRedundancy"
	AlertChainFlapping              = "ChainFlapping"
	AlertChainFailover              = "ChainFailover"
)

// The alerts about Understudy itself.
const (
	// AlertWatchdog always fires. Its absence ends the reign of Alertmanager.
	AlertWatchdog           = "UnderstudyWatchdog"
	AlertExporterDown       = "UnderstudyExporterDown"
	AlertProbesStale        = "UnderstudyProbesStale"
	AlertConfigReloadFailed = "UnderstudyConfigReloadFailed"
	AlertOnFallback         = "UnderstudyOnFallback"
	AlertEvaluatorsDisagree = "UnderstudyEvaluatorsDisagree"
	AlertJournalFailing     = "UnderstudyJournalFailing"
)

// FailoverAlerts are the names of the alerts of ours that are evidence against a
// provider, in the order of the rule files. Users add their own.
func FailoverAlerts() []string {
	return []string{
		AlertProviderDown, AlertProviderBehindTip, AlertProviderStalled,
		AlertProviderErrors, AlertProviderRateLimited, AlertProviderUnauthorized,
		AlertProviderSlow, AlertProviderInconsistent, AlertProviderWrongNetwork,
		AlertProviderSyncing, AlertProviderAheadOfTip,
	}
}

// Alerts are the names of all alerts of ours, in the order of the rule files.
func Alerts() []string {
	return append(FailoverAlerts(),
		AlertProviderCertificateExpiring, AlertProviderHeightJitter,
		AlertChainAllProvidersUnhealthy, AlertChainTipStalled, AlertChainSplit,
		AlertChainNoRedundancy, AlertChainFlapping, AlertChainFailover,
		AlertWatchdog, AlertExporterDown, AlertProbesStale,
		AlertConfigReloadFailed, AlertOnFallback, AlertEvaluatorsDisagree, AlertJournalFailing,
	)
}
