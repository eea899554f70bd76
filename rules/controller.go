package rules

// The labels of the controller's metrics.
const (
	LabelStatus = "status"
	LabelKind   = "kind"
	LabelSource = "source"
	// LabelOutcome is how one request of the gateway to one provider ended.
	LabelOutcome = "outcome"
)

// The values of LabelStatus. A provider without a verdict has none of them.
const (
	StatusHealthy    = "healthy"
	StatusUnhealthy  = "unhealthy"
	StatusRecovering = "recovering"
)

// The values of LabelKind.
const (
	// KindStart: the chain got its first provider.
	KindStart = "start"
	// KindFailover: the active provider became unfit.
	KindFailover = "failover"
	// KindFailback: a preferred one returned.
	KindFailback = "failback"
	// KindSwitchover: an operator wanted another one.
	KindSwitchover = "switchover"
)

// The values of LabelSource.
const (
	SourceAlertmanager = "alertmanager"
	SourceLocal        = "local"
)

// What the controller publishes of its decisions.
var (
	ProviderStatus = Metric{"bifrost_provider_status",
		"Whether the provider is in the state that the label names (1) or not (0).", Gauge,
		[]string{LabelChain, LabelProvider, LabelStatus}}
	ProviderActive = Metric{"bifrost_provider_active",
		"Whether the provider serves its chain (1) or not (0).", Gauge, byProvider}
	ProviderFailovers = Metric{"bifrost_provider_failover_total",
		"Switches to another provider because the active one became unfit.", Counter, byChain}
	Switches = Metric{"understudy_switches_total",
		"Switches of the active provider, by their kind.", Counter, []string{LabelChain, LabelKind}}

	EvaluatorActive = Metric{"understudy_evaluator_active",
		"Whether the facts of this source rule (1) or not (0). Without an Alertmanager to expect, that source has no series.", Gauge,
		[]string{LabelSource}}
	EvaluatorDisagreements = Metric{"understudy_evaluator_disagreements",
		"Facts that stand by one of the sources alone.", Gauge, nil}
)
