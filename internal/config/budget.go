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
	// due, at IdentityInterval, HintsInterval and CapabilitiesInterval.
	// Capabilities is the sum over those that the provider declares.
	Identity, Hints, Capabilities float64
	// Block is one block compared for integrity, BlockTransactions what its
	// transactions take on top.
	Block, BlockTransactions float64
}

// How often a probe asks for more than the tip.
const (
	IdentityInterval     = time.Hour
	HintsInterval        = time.Minute
	CapabilitiesInterval = time.Hour
)

// month is what a vendor bills: 30 days.
const month = 30 * 24 * time.Hour

// RequestsPerMonth is the number of requests that a provider receives in 30
// days when all is well, rounded up. Errors add to it: a suspect is probed more
// often. A provider that is probed less often than HintsInterval is asked for
// hints with each probe. chain is the provider's.
func (p Provider) RequestsPerMonth(c Cost, chain Chain) int {
	if p.HealthCheckInterval <= 0 {
		return 0
	}
	each := func(requests float64, interval time.Duration) float64 {
		return requests * float64(month) / float64(max(interval, p.HealthCheckInterval))
	}
	sum := each(c.Cycle, 0) + each(c.NewBlock, chain.BlockTime) + each(c.Identity, IdentityInterval) +
		each(c.Hints, HintsInterval) + each(c.Capabilities, CapabilitiesInterval)
	if i := chain.Failover.Integrity; i.Enabled && i.Interval > 0 {
		block := c.Block
		if i.Transactions {
			block += c.BlockTransactions
		}
		sum += block * float64(month) / float64(i.Interval)
	}
	return int(math.Ceil(sum))
}
