package config

import (
	"fmt"
	"strings"
	"time"
)

// blockchairAllowance is what Blockchair answers in a day without a key
// (https://blockchair.com/api/plans).
const blockchairAllowance = 1440

const day = 24 * time.Hour

// surprises warns of what works but will surprise.
func (b *builder) surprises(v *value, c Chain, sites []site) {
	b.warnOfRedundancy(v, c)
	b.warnOfPolicy(v.get("failover"), c)
	seen := map[string]string{}
	for _, s := range sites {
		address := s.at.get("rpc_host")
		if !address.set() {
			continue
		}
		full := s.RPCHost.Reveal()
		if first, twice := seen[full.String()]; twice {
			b.warn(address.at, "it is the address of "+first+" too", "one of the two is enough")
		} else {
			seen[full.String()] = s.Name
		}
		if full.Scheme == "http" && !private(hostName(s.RPCHost)) {
			b.warn(address.at, "everybody on the way can read and change what is sent, keys included", "use https:// if the provider has it")
		}
		b.warnOfAllowance(s, c.Failover)
		b.warnOfDistance(s, c)
	}
}

// warnOfRedundancy warns of a chain that has nothing to fail over to.
func (b *builder) warnOfRedundancy(v *value, c Chain) {
	at := v.get("providers")
	switch {
	case len(c.Providers) == 0:
	case len(c.Providers) == 1:
		wrong := c.Providers[0].Name + " is the only provider, so there is nothing to fail over to"
		if c.ObservedHeight == nil {
			wrong += " and, without observed_height, no height to compare with"
		}
		b.warn(at.at, wrong, "add one of another operator")
	default:
		first := c.Providers[0].Operator
		for _, p := range c.Providers {
			if p.Operator != first {
				return
			}
		}
		b.warn(at.at, "all providers are run by "+first+" and have one vote together", "add one of another operator, or set operator: if they are not")
	}
}

// warnOfPolicy warns of settings that do less than they seem to.
func (b *builder) warnOfPolicy(v *value, c Chain) {
	f := c.Failover
	if s := v.get("stall_timeout"); s.set() && f.StallTimeout < c.BlockTime {
		b.warn(s.at, fmt.Sprintf("%s is shorter than the time between two blocks, %s (block_time), so that a height seems to stand still between them", formatDuration(f.StallTimeout), formatDuration(c.BlockTime)),
			"set it to several block times")
	}
	if r := v.get("recovery_check_interval"); r.set() && f.RecoveryCheckInterval < f.HealthCheckInterval {
		b.warn(r.at, fmt.Sprintf("recovery cannot be checked more often than providers are probed, every %s (health_check_interval)", formatDuration(f.HealthCheckInterval)), "")
	}
	if q := v.get("tip_quorum"); q.set() {
		operators := map[string]bool{}
		for _, p := range c.Providers {
			operators[p.Operator] = true
		}
		voters := len(operators)
		if c.ObservedHeight != nil {
			voters++
		}
		if f.TipQuorum > voters {
			b.warn(q.at, fmt.Sprintf("only %s can vote, so that %d never agree", count(voters, "operator"), f.TipQuorum), "add providers of other operators, or lower it")
		}
	}
}

// warnOfAllowance warns of more requests a day than a vendor gives away.
func (b *builder) warnOfAllowance(s site, f Failover) {
	host := hostName(s.RPCHost)
	if host != "blockchair.com" && !strings.HasSuffix(host, ".blockchair.com") || s.RPCHost.Reveal().Query().Has("key") {
		return
	}
	probes := int(day / s.HealthCheckInterval)
	total, and := probes, ""
	if f.Integrity.Enabled {
		blocks := int(day / f.Integrity.Interval)
		total += blocks
		and = fmt.Sprintf(" and %d comparisons", blocks)
	}
	if total > blockchairAllowance {
		b.warn(s.at.get("rpc_host").at, fmt.Sprintf("%d probes%s a day are more than the %d requests that Blockchair answers without a key", probes, and, blockchairAllowance),
			"add ?key=… to the URL, or set health_check_interval: 2m here and integrity.interval: 2m for the chain")
	}
}

// warnOfDistance warns of a provider that seems to lag because it is probed
// seldom.
func (b *builder) warnOfDistance(s site, c Chain) {
	if c.BlockTime <= 0 {
		return
	}
	blocks := uint64(s.HealthCheckInterval / c.BlockTime)
	if blocks <= c.Failover.MaxBlockLag {
		return
	}
	at := s.at
	if own := s.at.get("health_check_interval"); own.set() {
		at = own
	}
	b.warn(at.at, fmt.Sprintf("between two probes, %s apart, the chain grows by %d blocks, more than max_block_lag %d: the provider will seem to lag", formatDuration(s.HealthCheckInterval), blocks, c.Failover.MaxBlockLag),
		"probe it more often, or allow a larger lag")
}
