package integrity

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

// world is a chain with fake providers under a running checker.
type world struct {
	t       *testing.T
	checker *Checker
	spec    Chain
	mu      sync.Mutex
	fakes   map[string]*fake
	order   []string
}

// fake is one provider: its tip, and what it says of blocks. Its fields are
// guarded by the world's mu; set changes them.
type fake struct {
	world  *world
	name   string
	up     bool
	height uint64
	// stale is how old the tip is.
	stale time.Duration
	// noHash hides the tip's hash.
	noHash bool
	// fork and from: another chain from that height on.
	fork string
	from uint64
	// odd is a height at which alone it has another block; 0 is none.
	odd uint64
	// off is how far above the height asked for its answers are.
	off uint64
	// transactions are those of every block.
	transactions chain.Optional[chain.Transactions]
	// answer, if set, may answer in its own way; nil is the block.
	answer func(height uint64) error
	// latency is how long an answer takes.
	latency time.Duration
	asked   []uint64
}

const (
	interval = time.Minute
	suspect2 = 2 * time.Second
)

// newWorld makes a chain of providers, given as NAME/OPERATOR pairs, that are up
// at height 1000. It does not run yet.
func newWorld(t *testing.T, pairs ...string) *world {
	t.Helper()
	w := &world{t: t, fakes: map[string]*fake{}}
	w.spec = Chain{
		Name: "c", MaxBlockLead: 30, SuspectCheckInterval: suspect2,
		Integrity: config.Integrity{Enabled: true, Depth: 2, Interval: interval, Transactions: true},
	}
	for i := 0; i < len(pairs); i += 2 {
		w.add(pairs[i], pairs[i+1])
	}
	w.checker = New(Options{Tips: w.tips, Logger: slog.New(slog.DiscardHandler)})
	return w
}

func (w *world) add(name, operator string) {
	f := &fake{world: w, name: name, up: true, height: 1000, transactions: transactions(9, 0, "d")}
	w.fakes[name] = f
	w.order = append(w.order, name)
	w.spec.Members = append(w.spec.Members, Member{Key: key(name), Operator: operator, Type: config.EVMRPC, Blocks: f})
}

// run starts the checker and lets the first round pass.
func (w *world) run() {
	w.start()
	w.settle()
}

// runInto starts the checker and stops between the looks of the first round.
func (w *world) runInto() {
	w.start()
	time.Sleep(time.Second)
	synctest.Wait()
}

// start applies the chain and runs the checker until the test ends.
func (w *world) start() {
	w.checker.Apply([]Chain{w.spec})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.checker.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		require.NoError(w.t, <-done)
	})
}

// settle lets the first look of a round and a second one pass, and no further
// round.
func (w *world) settle() {
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

// round lets the next round pass.
func (w *world) round() {
	time.Sleep(time.Until(nextTick(time.Now(), interval, phase("c", interval))))
	w.settle()
}

// set changes a provider.
func (w *world) set(name string, change func(*fake)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w.fakes[name])
}

// rise lets every provider's height grow.
func (w *world) rise(blocks uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.fakes {
		f.height += blocks
	}
}

func (w *world) tips(string) []Tip {
	w.mu.Lock()
	defer w.mu.Unlock()
	var tips []Tip
	for _, name := range w.order {
		f := w.fakes[name]
		tip := Tip{Key: key(name), Up: f.up, Height: f.height, LastGood: time.Now().Add(-f.stale)}
		if !f.noHash {
			tip.Hash, tip.Parent = f.hash(f.height), f.hash(f.height-1)
		}
		tips = append(tips, tip)
	}
	return tips
}

// lacks is an answer: no block at a height or above.
func lacks(height uint64) func(uint64) error {
	return func(h uint64) error {
		if h >= height {
			return &chain.Failure{Reason: chain.Missing}
		}
		return nil
	}
}

func (f *fake) hash(height uint64) string {
	if f.odd != 0 && height == f.odd {
		return "odd"
	}
	if f.fork != "" && height >= f.from {
		return fmt.Sprintf("%s%d", f.fork, height)
	}
	return fmt.Sprintf("main%d", height)
}

func (f *fake) Block(ctx context.Context, height uint64, transactions bool) (chain.Block, error) {
	f.world.mu.Lock()
	latency := f.latency
	f.asked = append(f.asked, height)
	f.world.mu.Unlock()
	if !sleep(ctx, latency) {
		return chain.Block{}, &chain.NoVerdict{Cause: chain.CauseCancelled, Err: ctx.Err()}
	}
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if f.answer != nil {
		if err := f.answer(height); err != nil {
			return chain.Block{}, err
		}
	}
	if height > f.height {
		return chain.Block{}, &chain.Failure{Reason: chain.Missing}
	}
	b := chain.Block{Height: height + f.off, Hash: f.hash(height)}
	if transactions {
		b.Transactions = f.transactions
	}
	return b, nil
}

// requests are the heights that were asked since the last call, by provider.
func (w *world) requests() map[string][]uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string][]uint64{}
	for name, f := range w.fakes {
		if len(f.asked) > 0 {
			all[name] = f.asked
		}
		f.asked = nil
	}
	return all
}

func (w *world) result(name string) Result {
	w.t.Helper()
	r, ok := w.checker.Result(key(name))
	require.True(w.t, ok, name)
	return r
}

func (w *world) chain() ChainResult {
	w.t.Helper()
	r, ok := w.checker.ChainResult("c")
	require.True(w.t, ok)
	return r
}

// hashes are the causes of HashDiffers: "agrees", "unknown" or the cause.
func (w *world) hashes() map[string]string {
	w.t.Helper()
	return w.words(func(r Result) (chain.Optional[bool], Cause) { return r.HashDiffers, r.HashCause })
}

// transactions are the causes of TransactionsDiffer in the same way.
func (w *world) transactions() map[string]string {
	w.t.Helper()
	return w.words(func(r Result) (chain.Optional[bool], Cause) { return r.TransactionsDiffer, r.TransactionsCause })
}

func (w *world) words(of func(Result) (chain.Optional[bool], Cause)) map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, m := range w.spec.Members {
		verdict, cause := of(w.result(m.Key.Provider))
		switch {
		case !verdict.Known:
			all[m.Key.Provider] = "unknown"
		case !verdict.Value:
			all[m.Key.Provider] = "agrees"
		default:
			all[m.Key.Provider] = string(cause)
		}
		require.Equal(w.t, verdict.Value, cause != "", "a cause exactly if blamed")
	}
	return all
}

// is is a map of words for providers in order.
func is(words ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}
