package rules

// What the exporter publishes of each provider. Series exist from the start
// until the provider leaves the configuration; a value that is not known is
// absent.
var (
	ProviderUp = Metric{"bifrost_provider_up",
		"Whether the last probe was answered by the right network with a height (1) or not (0).", Gauge, byProvider}
	ProviderBlockHeight = Metric{"bifrost_provider_block_height",
		"Newest block that the provider reports, as a number of blocks, slots or ledgers.", Gauge, byProvider}
	ProviderLatency = Metric{"bifrost_provider_latency_ms",
		"Rolling average of the height request's latency over the last latency_window good probes, in milliseconds.", Gauge, byProvider}
	ProviderErrors = Metric{"bifrost_provider_errors_total",
		"Probes that failed.", Counter, byProvider}
	ProviderProbes = Metric{"bifrost_provider_probes_total",
		"Probes that ended with a verdict, good or bad.", Counter, byProvider}
	ProviderFailures = Metric{"bifrost_provider_failures_total",
		"Probes that failed, by the class of the failure.", Counter, []string{LabelChain, LabelProvider, LabelReason}}
	ProviderFailing = Metric{"bifrost_provider_failing",
		"Always 1, and there only while the last probe failed; the label says with which class of failure.", Gauge,
		[]string{LabelChain, LabelProvider, LabelReason}}
	ProviderConsecutiveErrors = Metric{"bifrost_provider_consecutive_errors",
		"Failed probes since the last good one.", Gauge, byProvider}
	ProviderConsecutiveSuccesses = Metric{"bifrost_provider_consecutive_successes",
		"Good probes since the last failed one.", Gauge, byProvider}
	ProviderWindowErrors = Metric{"bifrost_provider_window_errors",
		"Failed probes within the last error_window.", Gauge, byProvider}
	ProviderProbeDuration = Metric{"bifrost_provider_probe_duration_seconds",
		"Duration of whole probes with a verdict, in seconds.", Histogram, byProvider}
	ProviderProbeInterval = Metric{"bifrost_provider_probe_interval_seconds",
		"Configured time between two probes, in seconds.", Gauge, byProvider}
	ProviderLastProbe = Metric{"bifrost_provider_last_probe_timestamp_seconds",
		"When the last probe ended with a verdict, as Unix time in seconds.", Gauge, byProvider}
	ProviderLastAdvance = Metric{"bifrost_provider_last_advance_timestamp_seconds",
		"When the provider's height was last seen to grow, as Unix time in seconds.", Gauge, byProvider}
	ProviderTipTime = Metric{"bifrost_provider_tip_timestamp_seconds",
		"Time stamp inside the provider's newest block, as Unix time in seconds.", Gauge, byProvider}
	ProviderSyncing = Metric{"bifrost_provider_syncing",
		"Whether the provider says of itself that it is syncing (1) or not (0).", Gauge, byProvider}
	ProviderPeers = Metric{"bifrost_provider_peers",
		"Number of peers that the provider says it has.", Gauge, byProvider}
	ProviderNetworkMismatch = Metric{"bifrost_provider_network_mismatch",
		"Whether the provider serves another network than the chain's (1) or proved the right one (0).", Gauge, byProvider}
	ProviderInconsistent = Metric{"bifrost_provider_inconsistent",
		"Whether the provider contradicts the majority of operators (1) or agrees with it (0), by what was compared.", Gauge,
		[]string{LabelChain, LabelCheck, LabelProvider}}
	ProviderTipVerified = Metric{"bifrost_provider_tip_verified",
		"Whether the highest provider's chain contains the others' tip (1) or not (0).", Gauge, byProvider}
	ProviderHeightJitter = Metric{"bifrost_provider_height_jitter_blocks",
		"Largest step back of the provider's height within the last minute, in blocks.", Gauge, byProvider}
	ProviderCertificateExpiry = Metric{"bifrost_provider_certificate_expiry_timestamp_seconds",
		"When the first of the provider's TLS certificates expires, as Unix time in seconds.", Gauge, byProvider}
	ProviderRetryAfter = Metric{"bifrost_provider_retry_after_timestamp_seconds",
		"Until when the provider is left alone, as Unix time in seconds.", Gauge, byProvider}
	ProviderPriority = Metric{"bifrost_provider_priority",
		"Configured priority; lower is preferred.", Gauge, byProvider}
	ProviderCapability = Metric{"bifrost_provider_capability",
		"Whether the provider has a declared capability (1) or a probe showed that it has not (0).", Gauge,
		[]string{LabelCapability, LabelChain, LabelProvider}}
	ProviderInfo = Metric{"bifrost_provider_info",
		"Always 1; the labels say of which type the provider is and who operates it.", Gauge,
		[]string{LabelChain, LabelOperator, LabelProvider, LabelType}}
	ProviderNoVerdicts = Metric{"understudy_probes_without_verdict_total",
		"Probes that ended on our own side and say nothing about the provider, by cause.", Counter,
		[]string{LabelCause, LabelChain, LabelProvider}}
	ProviderIntegrityRequests = Metric{"understudy_integrity_requests_total",
		"Blocks that the provider was asked for to compare it with others.", Counter, byProvider}
)
