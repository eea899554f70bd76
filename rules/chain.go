package rules

// What the exporter publishes of each chain, the policy included: static rules
// can then use thresholds that differ from chain to chain.
var (
	ChainObservedHeight = Metric{"bifrost_chain_observed_height",
		"Last height that the chain scanner observed, as a number of blocks.", Gauge, byChain}
	ChainObservedHeightFailures = Metric{"understudy_observed_height_failures_total",
		"Readings of the chain scanner's height that failed, by the class of the failure.", Counter, []string{LabelChain, LabelReason}}
	ChainObservedHeightPolls = Metric{"understudy_observed_height_polls_total",
		"Readings of the chain scanner's height that ended.", Counter, byChain}
	ChainBlockTime = Metric{"bifrost_chain_block_time_seconds",
		"Usual time between two blocks, in seconds.", Gauge, byChain}
	ChainSplit = Metric{"bifrost_chain_split",
		"Whether the operators disagree on a block without a majority (1) or not (0).", Gauge, byChain}
	ChainLastAgreement = Metric{"bifrost_chain_last_agreement_timestamp_seconds",
		"When the operators last agreed on a block, as Unix time in seconds.", Gauge, byChain}
	ChainCommonHeight = Metric{"bifrost_chain_common_height",
		"Highest block that the operators of a split chain were found to agree on.", Gauge, byChain}

	FailoverMaxBlockLag = Metric{"bifrost_failover_max_block_lag",
		"Policy: blocks behind the tip that are still fine.", Gauge, byChain}
	FailoverMaxBlockLead = Metric{"bifrost_failover_max_block_lead",
		"Policy: blocks ahead of a moving tip that are still believed.", Gauge, byChain}
	FailoverTipQuorum = Metric{"bifrost_failover_tip_quorum",
		"Policy: number of operators that must have reached a height for it to be the tip.", Gauge, byChain}
	FailoverErrorThreshold = Metric{"bifrost_failover_error_threshold",
		"Policy: failed probes within the error window that make a provider unhealthy.", Gauge, byChain}
	FailoverErrorWindow = Metric{"bifrost_failover_error_window_seconds",
		"Policy: length of the error window, in seconds.", Gauge, byChain}
	FailoverMaxLatency = Metric{"bifrost_failover_max_latency_ms",
		"Policy: average latency above which a provider is slow, in milliseconds.", Gauge, byChain}
	FailoverStallTimeout = Metric{"bifrost_failover_stall_timeout_seconds",
		"Policy: time without a new block after which a provider stands still while others move, in seconds.", Gauge, byChain}
)
