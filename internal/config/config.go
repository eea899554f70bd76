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
	"time"

	commoncfg "github.com/prometheus/common/config"
)

// Config is a whole, validated configuration. The zero value has no chains and
// is not valid.
type Config struct {
	// Source is the file's name, or "environment" in keeper mode. It is for
	// messages only.
	Source string
	// Chains stand in the order of the file. Names are unique.
	Chains []Chain
	// Warnings are things that work but will surprise, such as a probe budget
	// above what a vendor gives away. They have the shape of mistakes.
	Warnings Mistakes
}

// Chain is one network, observed through several providers.
type Chain struct {
	// Name is the value of the label chain, as written in the file.
	Name string
	// Kind is the family whose dialects, errors and identities apply. All
	// providers of a chain have the same one.
	Kind Kind
	// Network is the identity that each provider must prove.
	Network Network
	// Checkpoint tells apart networks that share a genesis block; nil when the
	// identity alone is enough.
	Checkpoint *Checkpoint
	// BlockTime is the usual time between blocks. Always above zero: without a
	// setting or a well-known name it is the family's.
	BlockTime time.Duration
	// ObservedHeight says where the chain scanner's last observed height comes
	// from; nil when nothing is to be polled (it may still be pushed).
	ObservedHeight *ObservedHeight
	// Providers stand in the order of the file, disabled ones left out. At
	// least one. Names are unique in the chain.
	Providers []Provider
	// Failover is the policy, with every default filled in.
	Failover Failover
}

// Network is the expected identity of a chain. With Any no provider is checked;
// with an empty Value, what most operators say is expected.
type Network struct {
	Any bool
	// Value is normalised: an EVM chain id and an XRP Ledger network id in
	// decimal, a genesis hash in lower case without 0x, everything else (a
	// passphrase, a Cosmos chain id, Solana's base58 genesis) as written.
	Value string
}

// Checkpoint is a block that the right network has.
type Checkpoint struct {
	Height uint64
	// Hash is in lower-case hexadecimal without 0x (base58 on Solana).
	Hash string
}

// ObservedHeight is where the chain scanner's last observed height is read.
// Exactly one of the three is set.
type ObservedHeight struct {
	// BifrostStatusURL is Bifrost's /status/scanner; block_scanner_height of
	// the chain is read.
	BifrostStatusURL *URL
	// ThornodeURL is a THORNode API; /thorchain/lastblock/{CHAIN} is read.
	ThornodeURL *URL
	// Metric is one series of any Prometheus endpoint.
	Metric *MetricSource
}

// MetricSource names one series of a Prometheus text endpoint. Labels must all
// be equal for a series to match; the first match counts.
type MetricSource struct {
	URL    URL
	Name   string
	Labels map[string]string
}

// Provider is one configured upstream of a chain.
type Provider struct {
	// Name is the value of the label provider, unique in its chain.
	Name string
	Type Type
	// Operator says who runs it. The tip is voted per operator, so that two
	// URLs of one vendor are one vote.
	Operator string
	// RPCHost carries secrets in its user info, path or query and prints
	// without them.
	RPCHost URL
	// Priority: lower is preferred; ties are broken by order in the file.
	Priority int
	// HealthCheckInterval is the chain's unless the provider has its own.
	HealthCheckInterval time.Duration
	// Capabilities are the words that a consumer can ask for, as declared.
	Capabilities []string
	// HTTP is the Prometheus HTTP client block. Its secrets print as <secret>.
	HTTP commoncfg.HTTPClientConfig
}

// Failover is the policy of a chain. Every field has its default filled in.
type Failover struct {
	HealthCheckInterval  time.Duration
	SuspectCheckInterval time.Duration
	RequestTimeout       time.Duration
	// MaxBlockLag is the number of blocks behind the tip that is still fine.
	MaxBlockLag uint64
	// MaxBlockLead is the number of blocks ahead of a moving tip that is still
	// believed.
	MaxBlockLead uint64
	// TipQuorum is the number of operators that must have reached a height: 1,
	// 2 or 3.
	TipQuorum int
	// ErrorThreshold is the number of errors within ErrorWindow that condemns.
	ErrorThreshold int
	ErrorWindow    time.Duration
	MaxLatency     time.Duration
	// LatencyWindow is the number of probes in the rolling average.
	LatencyWindow int
	StallTimeout  time.Duration

	RecoveryCheckInterval time.Duration
	MinRecoveryChecks     int
	PreferHigherPriority  bool
	Failback              Failback
	MinActiveTime         time.Duration
	FlapPenalty           bool
	OnAllUnhealthy        OnAllUnhealthy
	Integrity             Integrity
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
	Enabled bool
	// Depth is how many blocks below the lowest tip are compared.
	Depth        uint64
	Interval     time.Duration
	Transactions bool
}
