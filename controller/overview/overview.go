// Package overview puts together what there is to show of the chains: what was
// decided, what stands against whom, and what the exporters report.
//
// It answers from memory and decides nothing. Addresses in its answers are
// whole; whoever shows them to somebody hides what that one may not know.
package overview

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/board"
	"github.com/understudy-rpc/understudy/controller/facts"
	"github.com/understudy-rpc/understudy/controller/history"
	"github.com/understudy-rpc/understudy/controller/journal"
	"github.com/understudy-rpc/understudy/controller/observation"
)

// Options are where an overview takes from what it shows.
type Options struct {
	Board        *board.Board
	Facts        *facts.Table
	Observations *observation.Table
	// Recent are the latest journal entries of a chain, oldest first.
	Recent func(chain string, since time.Time) []journal.Entry
	// Details tell what is no metric; nil: nobody does.
	Details Details
	// Ready says what is missing, in sentences; nil: nothing ever is.
	Ready func() []error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Details tell of a provider what is no metric.
type Details interface {
	// Detail is false if nothing is known.
	Detail(chain, provider string) (Detail, bool)
}

// Detail is what is known of a provider's last probes beside the metrics.
type Detail struct {
	// Hash is that of the newest block; empty if it is unknown.
	Hash string
	// LastError is nil if no probe failed.
	LastError *ProbeError
}

// ProbeError is a probe that failed. It has no secret.
type ProbeError struct {
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Time    time.Time `json:"time"`
}

// Overview answers. Make it with New; its methods may be called at the same time.
type Overview struct {
	Options
	history *history.Memory

	mu      sync.RWMutex
	figures Figures
	// blind says that no exporter answered at the last evaluation.
	blind    bool
	watchers map[chan struct{}]struct{}
}

// Figures are what the rules recorded in the last evaluation.
type Figures struct {
	// Tips are the consensus heights by chain.
	Tips map[string]uint64
	// Lags are by provider, in blocks; negative: ahead.
	Lags map[observation.Key]int64
}

// New makes an overview.
func New(o Options) *Overview {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Overview{Options: o, history: history.New(), watchers: map[chan struct{}]struct{}{}}
}

// Index is the highest that was given out and is visible.
func (o *Overview) Index() uint64 { return o.Board.Sheet().Index }

// Wait returns when the index of a chain has passed after, or of any chain if
// chain is "", or when the context ends.
func (o *Overview) Wait(ctx context.Context, chain string, after uint64) {
	o.Board.Wait(ctx, chain, after)
}

// Ready says what is missing; nil: nothing.
func (o *Overview) Ready() []error {
	if o.Options.Ready == nil {
		return nil
	}
	return o.Options.Ready()
}

// SetFigures takes in what the rules recorded. That exporters answer no more, or
// again, changes every answer without a decision, so the watchers are told.
func (o *Overview) SetFigures(f Figures) {
	now := o.Now()
	blind := o.Blind(now) != nil
	o.mu.Lock()
	turned := blind != o.blind
	o.figures, o.blind = f, blind
	o.mu.Unlock()
	o.remember(now)
	if turned {
		o.Changed()
	}
}

// Lag is how far a provider is behind, in blocks; false if it is unknown.
func (o *Overview) Lag(chain, provider string) (int64, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	lag, ok := o.figures.Lags[observation.Key{Chain: chain, Provider: provider}]
	return lag, ok
}

// Tip is the consensus height of a chain; false if it is unknown.
func (o *Overview) Tip(chain string) (uint64, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	h, ok := o.figures.Tips[chain]
	return h, ok
}

// Watch gives a channel that holds a value each time decisions, alerts or whether
// an exporter answers have changed since the last one was taken, and a function
// that ends it.
func (o *Overview) Watch() (<-chan struct{}, func()) {
	changed := make(chan struct{}, 1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watchers[changed] = struct{}{}
	return changed, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.watchers, changed)
	}
}

// Changed tells the watchers that decisions or alerts have changed.
func (o *Overview) Changed() {
	o.mu.RLock()
	defer o.mu.RUnlock()
	for w := range o.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// errBlind says that no exporter answers.
var errBlind = errors.New("no exporter answers: the last choice stands")

// Blind is nil while an exporter can be heard.
func (o *Overview) Blind(now time.Time) error {
	if o.Observations.Fresh(now) {
		return nil
	}
	return errBlind
}
