package config

import "time"

// The defaults of a policy that do not depend on the chain.
const (
	defaultHealthCheckInterval   = 10 * time.Second
	defaultSuspectCheckInterval  = 2 * time.Second
	defaultRequestTimeout        = 5 * time.Second
	defaultMaxBlockLag           = 3
	defaultTipQuorum             = 2
	defaultErrorThreshold        = 5
	defaultErrorWindow           = time.Minute
	defaultMaxLatency            = 5 * time.Second
	defaultLatencyWindow         = 10
	defaultRecoveryCheckInterval = 30 * time.Second
	defaultMinRecoveryChecks     = 3
	defaultIntegrityDepth        = 2
	defaultIntegrityInterval     = time.Minute
)

// failover makes the policy of a chain, every default filled in.
func (b *builder) failover(chain *value, c Chain) Failover {
	v := chain.get("failover")
	f := Failover{
		HealthCheckInterval:   v.get("health_check_interval").spanOr(defaultHealthCheckInterval),
		MaxBlockLag:           uint64(v.get("max_block_lag").numberOr(defaultLag(c.BlockTime))),
		TipQuorum:             int(v.get("tip_quorum").numberOr(defaultTipQuorum)),
		ErrorThreshold:        int(v.get("error_threshold").numberOr(defaultErrorThreshold)),
		ErrorWindow:           v.get("error_window").spanOr(defaultErrorWindow),
		LatencyWindow:         int(v.get("latency_window").numberOr(defaultLatencyWindow)),
		RecoveryCheckInterval: v.get("recovery_check_interval").spanOr(defaultRecoveryCheckInterval),
		MinRecoveryChecks:     int(v.get("min_recovery_checks").numberOr(defaultMinRecoveryChecks)),
		MinActiveTime:         v.get("min_active_time").spanOr(0),
		FlapPenalty:           v.get("flap_penalty").flagOr(true),
		OnAllUnhealthy:        OnAllUnhealthy(v.get("on_all_unhealthy").textOr(string(ServeNone))),
	}
	f.PreferHigherPriority, f.Failback = failback(v)
	shortest, longest := intervals(f.HealthCheckInterval, c.Providers)
	f.SuspectCheckInterval = v.get("suspect_check_interval").spanOr(min(defaultSuspectCheckInterval, shortest))
	f.RequestTimeout = v.get("request_timeout").spanOr(min(defaultRequestTimeout, shortest))
	f.MaxLatency = v.get("max_latency").spanOr(min(defaultMaxLatency, f.RequestTimeout))
	f.MaxBlockLead = uint64(v.get("max_block_lead").numberOr(defaultLead(f.MaxBlockLag)))
	f.StallTimeout = v.get("stall_timeout").spanOr(max(10*c.BlockTime, time.Minute, 2*longest))
	i := v.get("integrity")
	f.Integrity = Integrity{
		Enabled:      i.get("enabled").flagOr(true),
		Depth:        uint64(i.get("depth").numberOr(defaultIntegrityDepth)),
		Interval:     i.get("interval").spanOr(max(defaultIntegrityInterval, f.HealthCheckInterval)),
		Transactions: i.get("transactions").flagOr(true),
	}
	if v == nil || v.set() {
		b.checkPolicy(chain, c, f)
	}
	return f
}

// defaultLag is 3 blocks, or as many as half a minute holds: 3 blocks are half
// an hour on Bitcoin and a second on Solana.
func defaultLag(blockTime time.Duration) int64 {
	if blockTime <= 0 {
		return defaultMaxBlockLag
	}
	return max(defaultMaxBlockLag, int64(30*time.Second/blockTime))
}

// defaultLead is ten times the lag, at least 30.
func defaultLead(lag uint64) int64 {
	if lag > maxBlocks/10 {
		return maxBlocks
	}
	return max(30, int64(lag)*10)
}

// failback tells the two spellings of one setting apart: the older says whether
// to prefer, the newer also when.
func failback(v *value) (prefer bool, when Failback) {
	older, newer := v.get("prefer_higher_priority"), v.get("failback")
	if newer.set() {
		when = Failback(newer.text)
		return older.flagOr(when != FailbackSticky), when
	}
	if !older.flagOr(true) {
		return false, FailbackSticky
	}
	return true, FailbackAuto
}

// intervals are the shortest and the longest interval at which the providers of
// a chain are probed.
func intervals(chain time.Duration, providers []Provider) (shortest, longest time.Duration) {
	shortest, longest = chain, chain
	for _, p := range providers {
		shortest, longest = min(shortest, p.HealthCheckInterval), max(longest, p.HealthCheckInterval)
	}
	return shortest, longest
}
