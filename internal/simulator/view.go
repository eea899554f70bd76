package simulator

import (
	"math"
	"slices"
	"time"
)

// view is what one request finds: the chain as the provider sees it at that
// moment. A dialect only writes down what a view holds.
type view struct {
	*Behaviour
	chain    *Chain
	identity Identity
	software Software
	now      time.Time
	// tip is the height that the provider reports.
	tip uint64
	// chainTip is the height that the chain has.
	chainTip uint64
	// filled is when the cache was filled, if there is one.
	filled  time.Time
	genesis Hash
}

// newView looks at the chain through a behaviour that began at since. n is the
// number of the request, which decides among the backends.
func newView(c *Chain, b *Behaviour, software Software, now, since time.Time, n uint64) *view {
	v := &view{Behaviour: b, chain: c, software: software, now: now, chainTip: c.HeightAt(now)}
	v.identity = c.identity.over(b.Identity, c.options.Kind)
	v.genesis = c.genesis
	if v.identity != c.identity {
		v.genesis = v.identity.genesis()
	}
	v.tip = v.height(since, n)
	return v
}

func (v *view) height(since time.Time, n uint64) uint64 {
	if v.Height != nil {
		return *v.Height
	}
	tip := v.chainTip
	if v.Cache > 0 {
		v.filled = v.now.Add(-(max(0, v.now.Sub(since)) % v.Cache))
		tip = v.chain.HeightAt(v.filled)
	}
	if v.Freeze {
		tip = v.chain.HeightAt(since)
	}
	if v.Pace > 0 {
		began := v.chain.HeightAt(since)
		if tip > began {
			tip = began + uint64(math.Floor(float64(tip-began)*v.Pace))
		}
	}
	lag := v.Lag
	if len(v.Backends) > 0 {
		lag += v.Backends[n%uint64(len(v.Backends))]
	}
	if lag >= 0 {
		tip -= min(uint64(lag), tip)
	} else {
		tip += uint64(-lag)
	}
	if v.FreezeAt > 0 {
		tip = min(tip, v.FreezeAt)
	}
	return tip
}

// below is the height so many blocks under the tip.
func (v *view) below(blocks uint64) uint64 { return v.tip - min(blocks, v.tip) }

// hash is the hash of a height, there or not.
func (v *view) hash(height uint64) Hash { return v.chain.hashOn(v.Fork, v.genesis, height) }

// block is the block of a height, there or not, with the transactions that the
// provider has of it.
func (v *view) block(height uint64) Block {
	b := v.chain.blockOn(v.Fork, v.genesis, height)
	b.Time = v.time(height)
	if v.DropTransactions > 0 {
		b.Transactions = b.Transactions[:max(0, len(b.Transactions)-v.DropTransactions)]
	}
	return b
}

// time is when a block was made. One that the chain does not have yet was made
// with the chain's newest: no provider claims to come from the future.
func (v *view) time(height uint64) time.Time { return v.chain.TimeOf(min(height, v.chainTip)) }

// whole is the number of transactions that a block really has.
func (v *view) whole(b Block) int { return v.chain.count(b.Hash) }

// lowest is the lowest height that is kept.
func (v *view) lowest() uint64 { return min(v.PrunedBelow, v.tip) }

// pruned says whether the block was there once and is not kept.
func (v *view) pruned(height uint64) bool { return height < v.PrunedBelow }

// has says whether the provider gives out the block of a height.
func (v *view) has(height uint64) bool {
	if height > v.tip || v.tip-height < v.MissingNewest {
		return false
	}
	return !slices.ContainsFunc(v.Missing, func(r Range) bool {
		return r.From <= height && height <= r.To
	})
}

// find is the height of a block of this provider's chain.
func (v *view) find(h Hash) (height uint64, ok bool) {
	if h == v.genesis {
		return 0, true
	}
	height = h.hidden()
	return height, height <= v.tip && v.hash(height) == h
}

// findTransaction is where a transaction of this provider's chain stands.
func (v *view) findTransaction(id Hash) (b Block, place int, ok bool) {
	n := id.hidden()
	height, place := n>>16, int(n&(maxInBlock-1))
	if height > v.tip {
		return b, 0, false
	}
	b = v.block(height)
	return b, place, place < len(b.Transactions) && b.Transactions[place] == id
}

// peers is the number of peers; ok is false if the provider does not tell.
func (v *view) peers(usual int) (n int, ok bool) {
	switch {
	case v.NoPeers:
		return 0, true
	case v.Peers == 0:
		return usual, true
	default:
		return v.Peers, v.Peers > 0
	}
}

// age is how old the newest block is.
func (v *view) age() time.Duration { return v.now.Sub(v.time(v.tip)) }
