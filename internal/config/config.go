// Package config is the one description of what Understudy watches: the chains,
// the providers of each and the policy by which they are judged.
//
// It reads the configuration file or, for a Soroban keeper, the environment;
// fills in the defaults; and refuses what cannot work, all mistakes at once and
// each with its place. Its types are plain data without behaviour of their own:
// it opens no connection and starts no goroutine. Whatever it hands out has
// been validated, so that readers need not check again.
package config

import (
	"cmp"
	"slices"
	"time"

	commoncfg "github.com/prometheus/common/config"
)

// Config is a whole, validated configuration. The zero value has no chains and
// is not valid.
type Config struct {
	// Source is the file's name, or "environment" in keeper mode. It is for
	// messages only.
	Source string `json:"source"`
	// Chains stand in the order of the file. Names are unique.
	Chains []Chain `json:"chains"`
	// Warnings are things that work but will surprise, such as a probe budget
	// above what a vendor gives away. They have the shape of mistakes.
	Warnings Mistakes `json:"warnings,omitempty"`
}

// Chain is one network, observed through several providers.
type Chain struct {
	// Name is the value of the label chain, as written in the file.
	Name string `yaml:"-" json:"name"`
	// Kind is the family whose dialects, errors and identities apply. All
	// providers of a chain have the same one.
	Kind Kind `yaml:"kind" json:"kind"`
	// Network is the identity that each provider must prove.
	Network Network `yaml:"network,omitempty" json:"network"`
	// Checkpoint tells apart networks that share a genesis block; nil when the
	// identity alone is enough.
	Checkpoint *Checkpoint `yaml:"checkpoint,omitempty" json:"checkpoint,omitempty"`
	// BlockTime is the usual time between blocks. Always above zero: without a
	// setting or a well-known name it is the family's.
	BlockTime time.Duration `yaml:"block_time" json:"block_time"`
	// ObservedHeight says where the chain scanner's last observed height comes
	// from; nil when nothing is to be polled (it may still be pushed).
	ObservedHeight *ObservedHeight `yaml:"observed_height,omitempty" json:"observed_height,omitempty"`
	// Providers stand in the order of the file, disabled ones left out. At
	// least one. Names are unique in the chain.
	Providers []Provider `yaml:"providers" json:"providers"`
	// Failover is the policy, with every default filled in.
	Failover Failover `yaml:"failover" json:"failover"`
	// Gateway is how requests are forwarded, with every default filled in.
	Gateway Gateway `yaml:"gateway" json:"gateway"`
}

// Network is the expected identity of a chain. With Any no provider is checked;
// with an empty Value, what most operators say is expected.
type Network struct {
	Any bool `json:"any"`
	// Value is normalised: an EVM chain id and an XRP Ledger network id in
	// decimal, a genesis hash in lower case without 0x, everything else (a
	// passphrase, a Cosmos chain id, Solana's base58 genesis) as written.
	Value string `json:"value"`
}

// Checkpoint is a block that the right network has.
type Checkpoint struct {
	Height uint64 `yaml:"height" json:"height"`
	// Hash is in lower-case hexadecimal without 0x (base58 on Solana).
	Hash string `yaml:"hash" json:"hash"`
}

// ObservedHeight is where the chain scanner's last observed height is read.
// Exactly one of the three is set.
type ObservedHeight struct {
	// BifrostStatusURL is Bifrost's /status/scanner; block_scanner_height of
	// the chain is read.
	BifrostStatusURL *URL `yaml:"bifrost_status_url,omitempty" json:"bifrost_status_url,omitempty"`
	// ThornodeURL is a THORNode API; /thorchain/lastblock/{CHAIN} is read.
	ThornodeURL *URL `yaml:"thornode_url,omitempty" json:"thornode_url,omitempty"`
	// Metric is one series of any Prometheus endpoint.
	Metric *MetricSource `yaml:"metric,omitempty" json:"metric,omitempty"`
}

// MetricSource names one series of a Prometheus text endpoint. Labels must all
// be equal for a series to match; the first match counts.
type MetricSource struct {
	URL    URL               `yaml:"url" json:"url"`
	Name   string            `yaml:"name" json:"name"`
	Labels map[string]string `yaml:"labels,omitempty" json:"labels,omitempty"`
}

// Provider is one configured upstream of a chain.
type Provider struct {
	// Name is the value of the label provider, unique in its chain.
	Name string `yaml:"name" json:"name"`
	Type Type   `yaml:"type" json:"type"`
	// Operator says who runs it. The tip is voted per operator, so that two
	// URLs of one vendor are one vote.
	Operator string `yaml:"operator" json:"operator"`
	// RPCHost carries secrets in its user info, path or query and prints
	// without them.
	RPCHost URL `yaml:"rpc_host" json:"rpc_host"`
	// Priority: lower is preferred; ties are broken by order in the file.
	Priority int `yaml:"priority" json:"priority"`
	// HealthCheckInterval is the chain's unless the provider has its own.
	HealthCheckInterval time.Duration `yaml:"health_check_interval" json:"health_check_interval"`
	// Capabilities are the words that a consumer can ask for, as declared.
	Capabilities []string `yaml:"capabilities,omitempty,flow" json:"capabilities,omitempty"`
	// HTTP is the Prometheus HTTP client block. Its secrets print as <secret>.
	HTTP commoncfg.HTTPClientConfig `yaml:"http" json:"-"`
}

// Failover is the policy of a chain. Every field has its default filled in.
type Failover struct {
	HealthCheckInterval  time.Duration `yaml:"health_check_interval" json:"health_check_interval"`
	SuspectCheckInterval time.Duration `yaml:"suspect_check_interval" json:"suspect_check_interval"`
	RequestTimeout       time.Duration `yaml:"request_timeout" json:"request_timeout"`
	// MaxBlockLag is the number of blocks behind the tip that is still fine.
	MaxBlockLag uint64 `yaml:"max_block_lag" json:"max_block_lag"`
	// MaxBlockLead is the number of blocks ahead of a moving tip that is still
	// believed.
	MaxBlockLead uint64 `yaml:"max_block_lead" json:"max_block_lead"`
	// TipQuorum is the number of operators that must have reached a height: 1,
	// 2 or 3.
	TipQuorum int `yaml:"tip_quorum" json:"tip_quorum"`
	// ErrorThreshold is the number of errors within ErrorWindow that condemns.
	ErrorThreshold int           `yaml:"error_threshold" json:"error_threshold"`
	ErrorWindow    time.Duration `yaml:"error_window" json:"error_window"`
	MaxLatency     time.Duration `yaml:"max_latency" json:"max_latency"`
	// LatencyWindow is the number of probes in the rolling average.
	LatencyWindow int           `yaml:"latency_window" json:"latency_window"`
	StallTimeout  time.Duration `yaml:"stall_timeout" json:"stall_timeout"`

	RecoveryCheckInterval time.Duration  `yaml:"recovery_check_interval" json:"recovery_check_interval"`
	MinRecoveryChecks     int            `yaml:"min_recovery_checks" json:"min_recovery_checks"`
	PreferHigherPriority  bool           `yaml:"prefer_higher_priority" json:"prefer_higher_priority"`
	Failback              Failback       `yaml:"failback" json:"failback"`
	MinActiveTime         time.Duration  `yaml:"min_active_time" json:"min_active_time"`
	FlapPenalty           bool           `yaml:"flap_penalty" json:"flap_penalty"`
	OnAllUnhealthy        OnAllUnhealthy `yaml:"on_all_unhealthy" json:"on_all_unhealthy"`
	Integrity             Integrity      `yaml:"integrity" json:"integrity"`
}

// Failback is when the work returns to a preferred provider.
type Failback string

// The three ways to fail back.
const (
	FailbackAuto   Failback = "auto"
	FailbackSticky Failback = "sticky"
	FailbackManual Failback = "manual"
)

// OnAllUnhealthy is what is served while no provider is healthy.
type OnAllUnhealthy string

// Nothing at all, or the last active provider marked degraded.
const (
	ServeNone OnAllUnhealthy = "none"
	ServeLast OnAllUnhealthy = "last"
)

// Integrity is the comparison of block hashes and transactions across the
// providers of a chain.
type Integrity struct {
	Enabled bool `yaml:"enabled" json:"enabled"`
	// Depth is how many blocks below the lowest tip are compared.
	Depth        uint64        `yaml:"depth" json:"depth"`
	Interval     time.Duration `yaml:"interval" json:"interval"`
	Transactions bool          `yaml:"transactions" json:"transactions"`
}

// Preferred are the providers in the order of preference: by priority, ties by
// their order in the file.
func (c Chain) Preferred() []Provider {
	sorted := slices.Clone(c.Providers)
	slices.SortStableFunc(sorted, func(a, b Provider) int { return cmp.Compare(a.Priority, b.Priority) })
	return sorted
}
