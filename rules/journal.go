package rules

// LabelResult says how something ended, LabelCode with which HTTP status.
const (
	LabelResult = "result"
	LabelCode   = "code"
)

// The values of LabelResult of AlertmanagerReadings.
const (
	ReadingComplete = "complete"
	ReadingPartial  = "partial"
	ReadingFailed   = "failed"
)

// What the controller publishes of its own work.
var (
	ProviderTransitions = Metric{"understudy_transitions_total",
		"How often the provider came into the state that the label names.", Counter,
		[]string{LabelChain, LabelProvider, LabelStatus}}
	ProviderDrained = Metric{"understudy_provider_drained",
		"Whether an operator took the provider out of service (1) or not (0).", Gauge, byProvider}
	ProviderStateSince = Metric{"understudy_provider_state_timestamp_seconds",
		"When the provider came into its state, as Unix time in seconds. Absent before the first verdict.", Gauge, byProvider}
	ChainGeneration = Metric{"understudy_chain_generation",
		"Number of the last switch of the chain; it grows by one with each, and leaps after a crash.", Gauge, byChain}
	ChainPinned = Metric{"understudy_chain_pinned",
		"Whether an operator pinned a provider of the chain (1) or not (0).", Gauge, byChain}
	ChainDegraded = Metric{"understudy_chain_degraded",
		"Whether the chain is served by a provider that is not known to be fit (1) or not (0).", Gauge, byChain}
	DecisionIndex = Metric{"understudy_decision_index",
		"Index of the last decision over all chains. It never goes back.", Gauge, nil}

	Facts = Metric{"understudy_facts",
		"Facts that stand, by the way they came.", Gauge, []string{LabelSource}}
	FactsExpired = Metric{"understudy_facts_expired_total",
		"Facts that were dropped as nobody confirmed them.", Counter, nil}
	WatchdogTimestamp = Metric{"understudy_watchdog_timestamp_seconds",
		"When the watchdog last came through Alertmanager, as Unix time in seconds. Absent before the first.", Gauge, nil}
	WebhookRequests = Metric{"understudy_webhook_requests_total",
		"Webhooks of Alertmanager, by the HTTP status they were answered with.", Counter, []string{LabelCode}}
	WebhookAlerts = Metric{"understudy_webhook_alerts_total",
		"Alerts in webhooks, by what became of them.", Counter, []string{LabelResult}}
	WebhookTruncations = Metric{"understudy_webhook_truncations_total",
		"Webhooks that left alerts out, as max_alerts is set in Alertmanager.", Counter, nil}
	AlertmanagerReadings = Metric{"understudy_alertmanager_readings_total",
		"Readings of Alertmanager's API: complete ones, those that only add facts, and failed ones.", Counter, []string{LabelResult}}

	JournalWritable = Metric{"understudy_journal_writable",
		"Whether the journal can be written, as far as is known (1), or not (0).", Gauge, nil}
	JournalEntries = Metric{"understudy_journal_entries_total",
		"Decisions that came on disk.", Counter, nil}
	JournalFailures = Metric{"understudy_journal_failures_total",
		"Decisions that could not be put on disk at once.", Counter, nil}
	JournalLost = Metric{"understudy_journal_entries_lost_total",
		"Decisions that were given up as too many waited for the disk.", Counter, nil}
	JournalWaiting = Metric{"understudy_journal_waiting_entries",
		"Decisions that wait for the disk.", Gauge, nil}
	JournalSize = Metric{"understudy_journal_size_bytes",
		"Size of the journal on disk, in bytes.", Gauge, nil}
)

// decisions lists the metrics of this file.
func decisions() []Metric {
	return []Metric{
		ProviderTransitions, ProviderDrained, ProviderStateSince, ChainGeneration, ChainPinned, ChainDegraded, DecisionIndex,
		Facts, FactsExpired, WatchdogTimestamp, WebhookRequests, WebhookAlerts, WebhookTruncations, AlertmanagerReadings,
		JournalWritable, JournalEntries, JournalFailures, JournalLost, JournalWaiting, JournalSize,
	}
}
