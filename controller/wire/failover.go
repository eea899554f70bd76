package wire

import "time"

// Failover is what the gateway knows of a chain's endpoints. Its members have
// the names that a Soroban keeper's dashboards read, unlike all others here.
type Failover struct {
	// ActiveIndex is the place, counted from 0 in the order of the configuration, of
	// the endpoint that requests go to first.
	ActiveIndex  int    `json:"activeIndex"`
	ActiveRegion string `json:"activeRegion"`
	// ActiveURL is scheme and host, like every URL here.
	ActiveURL string `json:"activeUrl"`
	// HealthyEndpoints is how many of the TotalEndpoints requests may go to.
	HealthyEndpoints int `json:"healthyEndpoints"`
	TotalEndpoints   int `json:"totalEndpoints"`
	// Events counts requests and probes that failed, Switches changes of the active
	// endpoint.
	Events    uint64             `json:"events"`
	Switches  uint64             `json:"switches"`
	Endpoints []FailoverEndpoint `json:"endpoints"`
}

// FailoverEndpoint is one endpoint of a chain.
type FailoverEndpoint struct {
	Index int `json:"index"`
	// Region is the host name of the endpoint, Provider its name in the
	// configuration.
	Region   string `json:"region"`
	Provider string `json:"provider"`
	URL      string `json:"url"`
	// Score falls by 30 with a failure and grows by 5 with an answer, from 0 to 100.
	Score int `json:"score"`
	// Unavailable: requests do not go to it, because of the gateway's own quarantine
	// or by the controller's decision.
	Unavailable         bool   `json:"unavailable"`
	ConsecutiveFailures int    `json:"consecutiveFailures"`
	TotalFailures       uint64 `json:"totalFailures"`
	TotalSuccesses      uint64 `json:"totalSuccesses"`
	// LastFailureAt, LastSuccessAt and CooldownUntil are nil for none.
	LastFailureAt *time.Time `json:"lastFailureAt"`
	LastSuccessAt *time.Time `json:"lastSuccessAt"`
	CooldownUntil *time.Time `json:"cooldownUntil"`
	// AvgLatencyMs and ErrorRate, in percent, are over the Samples answers of the
	// last minute.
	AvgLatencyMs float64 `json:"avgLatencyMs"`
	ErrorRate    float64 `json:"errorRate"`
	Samples      int     `json:"samples"`
	// LatestLedger is the height that it reported last, LedgerLag how far that is
	// behind the highest; nil if it is not known.
	LatestLedger *uint64 `json:"latestLedger"`
	LedgerLag    *uint64 `json:"ledgerLag"`
}

// Metrics is the answer of GET /metrics to who asks for JSON.
type Metrics struct {
	// FailoverEventsTotal and FailoverSwitchesTotal count over all chains that are
	// told.
	FailoverEventsTotal   uint64 `json:"failoverEventsTotal"`
	FailoverSwitchesTotal uint64 `json:"failoverSwitchesTotal"`
	// Failover is nil unless one chain is told.
	Failover *Failover `json:"failover,omitempty"`
	// Failovers are those of all chains that are told, by name.
	Failovers map[string]Failover `json:"failovers"`
}
