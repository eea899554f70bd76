package config

import (
	"math"
	"time"
)

// Cost is how many requests the questions of a provider type take.
type Cost struct {
	// Cycle is one regular probe: the tip.
	Cycle float64
	// NewBlock comes on top of a cycle that finds a new block.
	NewBlock float64
	// Identity, Hints and Capabilities come on top of a cycle when they are
	// due, at IdentityInterval, CalmHintsInterval and CapabilitiesInterval.
	// Capabilities is the sum over those that the provider declares.
	Identity, Hints, Capabilities float64
	// Block is one block compared for integrity, BlockTransactions what its
	// transactions take on top.
	Block, BlockTransactions float64
}

// How often a probe asks for more than the tip. Where blocks are compared, the
// identity is proven as often as that too. Hints are asked at HintsInterval
// only while a provider syncs or stands still.
const (
	IdentityInterval     = time.Hour
	HintsInterval        = time.Minute
	CalmHintsInterval    = time.Hour
	CapabilitiesInterval = time.Hour
)

// month is what a vendor bills: 30 days.
const month = 30 * 24 * time.Hour

// RequestsPerMonth is the number of requests that a provider receives in 30
// days when all is well, rounded up. Errors add to it: a suspect is probed more
// often. What is due more often than the provider is probed is asked with each
// probe. chain is the provider's.
func (p Provider) RequestsPerMonth(c Cost, chain Chain) int {
	if p.HealthCheckInterval <= 0 {
		return 0
	}
	each := func(requests float64, interval time.Duration) float64 {
		return requests * float64(month) / float64(max(interval, p.HealthCheckInterval))
	}
	sum := each(c.Cycle, 0) + each(c.NewBlock, chain.BlockTime) +
		each(c.Hints, CalmHintsInterval) + each(c.Capabilities, CapabilitiesInterval)
	identity := IdentityInterval
	if i := chain.Failover.Integrity; i.Enabled && i.Interval > 0 {
		identity = min(identity, i.Interval)
		block := c.Block
		if i.Transactions {
			block += c.BlockTransactions
		}
		sum += each(block, i.Interval)
	}
	return int(math.Ceil(sum + each(c.Identity, identity)))
}
