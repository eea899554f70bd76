package integrity

import (
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

// Options are what a Checker needs. Tips is required.
type Options struct {
	// Tips tells the newest tips of a chain's providers. It must not block.
	// Those without a tip may be left out.
	Tips func(chain string) []Tip
	// Logger is slog.Default if nil.
	Logger *slog.Logger
	// Now is time.Now if nil.
	Now func() time.Time
}

// Tip is what the last probes found out of one provider.
type Tip struct {
	Key prober.Key
	// Up says that the last probe was good, the network is proven, and the
	// provider did not ask to be left alone. Others are not asked.
	Up     bool
	Height uint64
	// Hash and Parent are "" if the protocol does not tell them.
	Hash, Parent string
	// LastGood is when the probe that told the tip ended.
	LastGood time.Time
}

// Chain is a chain to be checked.
type Chain struct {
	Name      string
	Integrity config.Integrity
	// MaxBlockLead is how far a provider may be behind the median operator and
	// still be compared at the common height.
	MaxBlockLead uint64
	// SuspectCheckInterval is the time from the first look to the second.
	SuspectCheckInterval time.Duration
	Members              []Member
}

// Member is a provider of a chain.
type Member struct {
	Key      prober.Key
	Operator string
	// Type decides whose digests of transactions compare.
	Type config.Type
	// Interval is the provider's own probe interval. It is not asked for blocks
	// more often than that; zero leaves it to the chain's interval.
	Interval time.Duration
	Blocks   BlockSource
}

// Checker checks chains. Its methods are safe for concurrent use.
type Checker struct {
	tips    func(chain string) []Tip
	logger  *slog.Logger
	now     func() time.Time
	slots   chan struct{}
	changed chan struct{}

	mu sync.Mutex
	// generation counts the chains that were ever taken up or changed; what a
	// round of an older one finds is dropped.
	generation uint64
	chains     map[string]*watched
}

// watched is a chain that is checked, with what is known of it.
type watched struct {
	spec       Chain
	generation uint64
	result     ChainResult
	records    map[prober.Key]*record
}

// New makes a Checker of no chains.
func New(o Options) *Checker {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Checker{
		tips: o.Tips, logger: o.Logger, now: o.Now,
		slots: make(chan struct{}, maxConcurrent), changed: make(chan struct{}, 1),
		chains: map[string]*watched{},
	}
}

// Apply sets which chains are checked. A chain that is the same as before goes
// on undisturbed; of one that changed, the results of the providers that stay
// are kept, and answers that are still under way are dropped.
func (c *Checker) Apply(chains []Chain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[string]*watched{}
	for _, spec := range chains {
		if !spec.Integrity.Enabled || spec.Integrity.Interval <= 0 || len(spec.Members) == 0 {
			continue
		}
		old := c.chains[spec.Name]
		if old != nil && sameChain(old.spec, spec) {
			next[spec.Name] = old
			continue
		}
		c.generation++
		next[spec.Name] = succeed(old, spec, c.generation)
	}
	c.chains = next
	select {
	case c.changed <- struct{}{}:
	default:
		// Run has not looked since the last change, and will see this one too.
	}
}

// succeed takes over what an older definition of the chain left. old may be nil.
func succeed(old *watched, spec Chain, generation uint64) *watched {
	spec.Members = slices.Clone(spec.Members)
	w := &watched{spec: spec, generation: generation, records: map[prober.Key]*record{}}
	came := false
	for _, m := range spec.Members {
		w.records[m.Key] = &record{asked: new(atomic.Uint64)}
		if old == nil || old.records[m.Key] == nil {
			came = true
			continue
		}
		kept := *old.records[m.Key]
		if !slices.ContainsFunc(old.spec.Members, func(o Member) bool { return o.Key == m.Key && sameSource(o, m) }) {
			came = true
			kept = record{asked: kept.asked}
		}
		w.records[m.Key] = &kept
	}
	if len(spec.Members) == 1 {
		w.records[spec.Members[0].Key].forget()
		return w
	}
	if old != nil {
		w.result = old.result
	}
	if w.result.Split && !came && w.ofOneSide() {
		// Who contradicted them is gone, and nobody came whom a round has to judge first.
		w.result.Split, w.result.SplitSince, w.result.CommonHeight = false, time.Time{}, chain.Optional[uint64]{}
	}
	return w
}

// sameChain says whether two definitions mean the same.
func sameChain(a, b Chain) bool {
	return a.Integrity == b.Integrity && a.MaxBlockLead == b.MaxBlockLead &&
		a.SuspectCheckInterval == b.SuspectCheckInterval &&
		slices.EqualFunc(a.Members, b.Members, func(x, y Member) bool {
			return x.Key == y.Key && x.Operator == y.Operator && x.Type == y.Type &&
				x.Interval == y.Interval && sameSource(x, y)
		})
}

// sameSource says whether two members ask the same provider.
func sameSource(a, b Member) bool {
	return reflect.ValueOf(a.Blocks).Comparable() && reflect.ValueOf(b.Blocks).Comparable() && a.Blocks == b.Blocks
}

// Result is what is known of a provider. It is false for one that is not
// checked.
func (c *Checker) Result(key prober.Key) (Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.recordLocked(key)
	if r == nil {
		return Result{}, false
	}
	return r.Result, true
}

// Asked is how many blocks a provider was asked for since the start. A block
// may take several requests, as the dialect's cost says.
func (c *Checker) Asked(key prober.Key) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.recordLocked(key); r != nil {
		return r.asked.Load()
	}
	return 0
}

func (c *Checker) recordLocked(key prober.Key) *record {
	w := c.chains[key.Chain]
	if w == nil {
		return nil
	}
	return w.records[key]
}

// ChainResult is what is known of a chain. It is false for one that is not
// checked.
func (c *Checker) ChainResult(chain string) (ChainResult, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.chains[chain]
	if w == nil {
		return ChainResult{}, false
	}
	return w.result, true
}
