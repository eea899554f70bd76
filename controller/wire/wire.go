// Package wire has the shapes of the HTTP interface: what a controller answers
// as JSON and what it takes in. Names are snake_case, times RFC 3339 in UTC.
//
// It holds plain data and nothing that acts on it, so that servers, commands and
// client libraries share one description. Clients must pass over members that
// they do not know; members are added, never renamed, retyped or dropped.
package wire

import "time"

// The values of Active.State and Chain.State.
const (
	// StateOK: a healthy provider serves.
	StateOK = "ok"
	// StateDegraded: no healthy one does; the last known one is given.
	StateDegraded = "degraded"
	// StateNone: nobody serves.
	StateNone = "none"
)

// The values of Provider.Status.
const (
	// StatusUnknown: there is no verdict yet.
	StatusUnknown    = "unknown"
	StatusHealthy    = "healthy"
	StatusRecovering = "recovering"
	StatusUnhealthy  = "unhealthy"
)

// ActiveList is the answer of GET /active.
type ActiveList struct {
	// Index is the highest of all chains. It never goes back, restarts included.
	Index uint64 `json:"index"`
	// Chains are sorted by name.
	Chains []Active `json:"chains"`
}

// Active is who serves a chain: the answer of GET /active/{chain}.
type Active struct {
	Chain string `json:"chain"`
	// State is ok, degraded or none.
	State string `json:"state"`
	// Provider is nil with state none.
	Provider *string `json:"provider"`
	Type     string  `json:"type,omitempty"`
	// RPCHost is the whole URL for callers that may know it, scheme and host for
	// all others.
	RPCHost  string `json:"rpc_host,omitempty"`
	Priority *int   `json:"priority,omitempty"`
	// Height and Hash are what the provider reported last; absent if unknown. They
	// change without the index.
	Height *uint64 `json:"height,omitempty"`
	Hash   string  `json:"hash,omitempty"`
	// Generation grows by one with each switch of this chain.
	Generation uint64 `json:"generation"`
	// Index is that of the last change of this chain.
	Index uint64 `json:"index"`
	// Since is when the provider began to serve, or the last one ceased to. Zero,
	// and absent, before the first.
	Since time.Time `json:"since,omitzero"`
	// Reason says why in one sentence.
	Reason string `json:"reason"`
	// LastProvider is who served last, while nobody does.
	LastProvider string `json:"last_provider,omitempty"`
	// LastWrong says that the last provider serves wrong data or another network,
	// so that not even who has nothing else may go on with it.
	LastWrong bool `json:"last_wrong,omitempty"`
	// Fallbacks are the other providers that may serve, the next one first.
	Fallbacks    []string `json:"fallbacks"`
	Capabilities []string `json:"capabilities"`
	// Gateway is the path under which this controller forwards to the provider.
	Gateway string `json:"gateway,omitempty"`
	// Stale says that what is known of the providers is old: no exporter answers.
	// The last choice stands meanwhile.
	Stale bool `json:"stale,omitempty"`
	// EvidenceAgeSeconds is how old the newest probe of the provider is, with state
	// degraded or when stale.
	EvidenceAgeSeconds *float64 `json:"evidence_age_seconds,omitempty"`
	// AgreementAgeSeconds is how long ago the providers last agreed, while they
	// contradict each other.
	AgreementAgeSeconds *float64 `json:"agreement_age_seconds,omitempty"`
}

// ChainList is the answer of GET /thorchain/providers.
type ChainList struct {
	Chains []Chain `json:"chains"`
}

// Chain is all that is known of one chain: the answer of
// GET /thorchain/providers/{chain}.
type Chain struct {
	Chain string `json:"chain"`
	// Active is the name of the provider that serves; nil if none does.
	Active *string `json:"active"`
	State  string  `json:"state"`
	// Reason says in one sentence why that one serves, and Kept why it has not been
	// switched since.
	Reason string `json:"reason"`
	Kept   string `json:"kept,omitempty"`
	// Generation and Index are as in Active.
	Generation uint64    `json:"generation"`
	Index      uint64    `json:"index"`
	Since      time.Time `json:"since,omitzero"`
	Tip        Tip       `json:"tip"`
	// Healthy is how many of the Total providers are.
	Healthy   int        `json:"healthy"`
	Total     int        `json:"total"`
	Evaluator Evaluator  `json:"evaluator"`
	Providers []Provider `json:"providers"`
	// Pinned is the provider that an operator wants to serve; nil if there is none.
	Pinned *Pin `json:"pinned"`
	// AwaitsApproval is the preferred provider that is fit to serve again and waits for
	// an operator to agree, as failback: manual has it; empty if none does.
	AwaitsApproval string `json:"awaits_approval,omitempty"`
	// Alerts are those about the chain as a whole.
	Alerts []Alert `json:"alerts"`
	// Events are the latest ones, newest first. Only the answer about a single
	// chain has them.
	Events []Event `json:"events,omitempty"`
}

// Tip is the height that the chain has reached.
type Tip struct {
	// Height is nil while it is unknown.
	Height *uint64 `json:"height"`
	// Source is consensus, observed (the chain scanner's) or single (there is only
	// one voice); empty while the height is unknown.
	Source string `json:"source,omitempty"`
	// AgeSeconds is the age of the newest block; nil if no provider tells.
	AgeSeconds *float64 `json:"age_seconds"`
}

// The values of Tip.Source.
const (
	TipConsensus = "consensus"
	TipObserved  = "observed"
	TipSingle    = "single"
)

// Evaluator says whose facts count.
type Evaluator struct {
	// Source is alertmanager, local or both.
	Source string    `json:"source"`
	Since  time.Time `json:"since,omitzero"`
	// WatchdogAgeSeconds is how long ago Alertmanager's watchdog came; nil if it
	// never did.
	WatchdogAgeSeconds *float64 `json:"watchdog_age_seconds"`
}

// Provider is all that is known of one provider.
type Provider struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Operator string `json:"operator,omitempty"`
	RPCHost  string `json:"rpc_host"`
	Priority int    `json:"priority"`
	// Status is healthy, unhealthy, recovering or unknown.
	Status string    `json:"status"`
	Active bool      `json:"active"`
	Since  time.Time `json:"since,omitzero"`
	// Reason says in words what brought it into its status.
	Reason string `json:"reason"`
	// BlockHeight, BlockLag, BlockHash and LatencyMS are absent while unknown. A
	// negative lag means ahead of the tip.
	BlockHeight *uint64  `json:"block_height"`
	BlockLag    *int64   `json:"block_lag"`
	BlockHash   string   `json:"block_hash,omitempty"`
	LatencyMS   *float64 `json:"latency_ms"`
	// ErrorsTotal counts failed probes since the exporter began.
	ErrorsTotal       uint64 `json:"errors_total"`
	ConsecutiveErrors uint64 `json:"consecutive_errors"`
	// LastError is nil if no probe failed.
	LastError *ProbeError `json:"last_error"`
	// LastProbe is when the last probe ended; zero, and absent, before the first.
	LastProbe time.Time `json:"last_probe,omitzero"`
	// Identified says that its network is proven to be the chain's.
	Identified bool     `json:"identified"`
	Recovery   Recovery `json:"recovery"`
	// Alerts are those about the provider, whether they count or not.
	Alerts []Alert `json:"alerts"`
	// Drained is nil unless an operator took it out of service.
	Drained      *Drain   `json:"drained"`
	Capabilities []string `json:"capabilities"`
}

// ProbeError is a probe that failed.
type ProbeError struct {
	// Reason is one of the words of the label reason.
	Reason string `json:"reason"`
	// Message has no secret; it is empty if the exporter tells the reason only.
	Message string `json:"message,omitempty"`
	// Time is when; zero, and absent, if the exporter does not tell.
	Time time.Time `json:"time,omitzero"`
}

// Recovery is how far a provider has proven itself again.
type Recovery struct {
	Passed   int `json:"passed"`
	Required int `json:"required"`
	// NextCheck is nil if none is due.
	NextCheck *time.Time `json:"next_check"`
}

// Alert is a fact about a provider or a chain.
type Alert struct {
	Name        string `json:"name"`
	FailureMode string `json:"failure_mode,omitempty"`
	Severity    string `json:"severity,omitempty"`
	// Source is alertmanager or local.
	Source  string    `json:"source"`
	Since   time.Time `json:"since"`
	Summary string    `json:"summary"`
	// Description has the numbers and what to do.
	Description string `json:"description,omitempty"`
	// Evidence says that it speaks against the provider, Counts that it does so
	// now: its source rules.
	Evidence bool `json:"evidence"`
	Counts   bool `json:"counts"`
}

// Drain is an operator's order that a provider is not to serve.
type Drain struct {
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
	// Until is nil if it holds until it is taken back.
	Until *time.Time `json:"until"`
}

// Pin is an operator's order that a provider is to serve.
type Pin struct {
	Provider string    `json:"provider"`
	Reason   string    `json:"reason,omitempty"`
	Since    time.Time `json:"since"`
	// Until is nil if it holds until it is taken back.
	Until *time.Time `json:"until"`
}

// The values of Event.Kind besides the kinds of switches: start, failover,
// failback and switchover.
const (
	// EventState: a provider came into another state.
	EventState = "state"
	// EventDrain and the others of their kind: an operator's order, or its end.
	EventDrain   = "drain"
	EventUndrain = "undrain"
	EventPin     = "pin"
	EventUnpin   = "unpin"
	// EventConfiguration: the chain's configuration changed.
	EventConfiguration = "configuration"
)

// Event is something that happened to a chain.
type Event struct {
	Time  time.Time `json:"time"`
	Index uint64    `json:"index"`
	Kind  string    `json:"kind"`
	// Chain is set in streams of events of several chains.
	Chain string `json:"chain,omitempty"`
	// Provider is who it is about; empty in switches.
	Provider string `json:"provider,omitempty"`
	// From and To are the providers of a switch, or the states that Provider left
	// and came into.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason string `json:"reason"`
	// Facts are the alerts behind it.
	Facts []string `json:"facts,omitempty"`
}

// DrainRequest is the body of PUT /thorchain/providers/{chain}/{provider}/drain.
// It may be left out.
type DrainRequest struct {
	Reason string `json:"reason,omitempty"`
	// For is a duration such as 30m, 2h or 1d; empty: until it is taken back.
	For string `json:"for,omitempty"`
}

// PinRequest is the body of PUT /thorchain/providers/{chain}/pin.
type PinRequest struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason,omitempty"`
	// For is as in DrainRequest.
	For string `json:"for,omitempty"`
}

// Problem is an error: application/problem+json of RFC 9457.
type Problem struct {
	// Type is about:blank: the status says what sort of problem it is.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what is wrong in this case and what to do.
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
}

// Health is the answer of GET /health.
type Health struct {
	// Status is ok, degraded (a chain is) or unhealthy (nobody serves a chain).
	Status string `json:"status"`
	// Chains are the states of the chains by name.
	Chains map[string]string `json:"chains"`
	// Failover is what the gateway knows of the chain's endpoints; nil if the answer
	// is about several chains.
	Failover *Failover `json:"failover,omitempty"`
}
