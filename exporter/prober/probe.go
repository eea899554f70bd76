package prober

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
)

// requestsPerProbe is the number of request timeouts that a whole probe may
// take. A probe with all its questions is a few requests, each with a timeout of
// its own; this bounds their sum.
const requestsPerProbe = 4

// errProbeDeadline is why the context of a probe ends that took too long.
var errProbeDeadline = errors.New("the probe took longer than a probe may")

// flight is one probe under way.
type flight struct {
	// ctx ends early when the probe's result no longer counts: its provider
	// left or was replaced, or the set stops.
	ctx    context.Context
	cancel context.CancelCauseFunc
	asker  Asker
}

// fire runs the probe whose time has come.
func (p *prober) fire() {
	f := p.begin(time.Now())
	if f == nil {
		return
	}
	defer p.set.flights.Done()
	defer f.cancel(nil)
	r, missed := p.probe(f)
	p.end(f, r, missed)
}

// begin takes the plan. It returns nil for a timer whose plan has changed since:
// its time has not come, or a probe is under way, whose end sets the timer again.
func (p *prober) begin(now time.Time) *flight {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flight != nil || p.due.IsZero() || now.Before(p.due) {
		return nil
	}
	p.due = time.Time{}
	p.set.flights.Add(1)
	f := &flight{asker: p.target.Asker}
	f.ctx, f.cancel = context.WithCancelCause(p.set.lifetime)
	p.flight = f
	return f
}

// probe asks the provider and the judge when there is a place. missed is not nil
// if no verdict was reached. Neither counts if the flight was cancelled.
func (p *prober) probe(f *flight) (r result, missed *chain.NoVerdict) {
	if !p.set.enter(f.ctx) {
		return r, nil
	}
	defer p.set.exit()
	r, timeout, ok := p.ask(f, time.Now())
	if !ok {
		return r, nil
	}
	missed = fence(func() *chain.NoVerdict {
		var none *chain.NoVerdict
		r.observation, r.failure, none = observe(f.ctx, f.asker, r.ask, timeout)
		r.end = time.Now()
		if none == nil {
			r.identity = r.identityAfter(r.identity)
			r.network = p.set.options.Judge.Judge(p.key, r.identity)
		}
		return none
	})
	return r, missed
}

// ask begins the result of a probe that starts now: what it shall find out, and
// the identity known before it. It says no if the flight was cancelled.
func (p *prober) ask(f *flight, start time.Time) (r result, timeout time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.ctx.Err() != nil {
		return result{}, 0, false
	}
	p.memory.started = start
	r = result{start: start, ask: p.memory.ask(start, p.target), identity: p.memory.status.Identity}
	return r, p.target.Policy.RequestTimeout, true
}

// end takes in what came of a probe and plans the next one.
func (p *prober) end(f *flight, r result, missed *chain.NoVerdict) {
	p.mu.Lock()
	p.flight = nil
	if f.ctx.Err() != nil {
		p.dropAndUnlock()
		return
	}
	before := p.memory.status
	if missed != nil {
		p.memory.miss(missed.Cause)
	} else {
		p.memory.record(r, p.target)
	}
	p.publishLocked()
	p.planLocked(p.memory.next(time.Now(), p.target))
	after, duration := p.memory.status, p.target.Duration
	p.mu.Unlock()

	if missed != nil {
		p.logMissed(missed, before)
		p.set.options.OnMissed(p.key)
		return
	}
	p.logVerdict(before, after)
	if duration != nil {
		duration.Observe(r.end.Sub(r.start).Seconds())
	}
	p.set.options.OnResult(p.key)
}

// dropAndUnlock ends a probe whose result no longer counts. It is called with
// mu held and releases it.
func (p *prober) dropAndUnlock() {
	gone := p.target.Asker == nil
	if !p.due.IsZero() {
		p.planLocked(p.due)
	}
	p.mu.Unlock()
	if gone {
		p.set.forget(p)
	}
}

// observe asks one provider within the time of a whole probe and sorts its
// error: a failure of the provider or no verdict, never both.
func observe(ctx context.Context, asker Asker, ask chain.Ask, timeout time.Duration) (chain.Observation, *chain.Failure, *chain.NoVerdict) {
	within, cancel := context.WithTimeoutCause(ctx, requestsPerProbe*timeout, errProbeDeadline)
	defer cancel()
	o, err := asker.Observe(within, ask)
	if err == nil {
		return o, nil, nil
	}
	if f, ok := errors.AsType[*chain.Failure](err); ok {
		return o, f, nil
	}
	none, ok := errors.AsType[*chain.NoVerdict](err)
	// To whoever was asked, our deadline may look like a cancellation. It is
	// the provider that did not answer.
	if errors.Is(context.Cause(within), errProbeDeadline) && (!ok || none.Cause == chain.CauseCancelled) {
		return o, &chain.Failure{Reason: chain.Timeout, Text: errProbeDeadline.Error()}, nil
	}
	if ok {
		return o, nil, none
	}
	// The text of an error that nobody classified may hold anything, a secret
	// too.
	return o, &chain.Failure{Reason: chain.BadResponse, Text: fmt.Sprintf("an error without a class (%T)", err)}, nil
}

// panicked is the error behind a probe that panicked.
type panicked struct {
	value string
	stack []byte
}

// Error is what the panic said.
func (p *panicked) Error() string { return p.value }

// fence calls and turns a panic into a missing verdict: it is a defect of ours,
// which must not touch the provider's state or the other providers.
func fence(call func() *chain.NoVerdict) (missed *chain.NoVerdict) {
	defer func() {
		if v := recover(); v != nil {
			// A value that is not the runtime's own may hold a secret.
			text := fmt.Sprintf("a panic of type %T", v)
			if e, ok := v.(runtime.Error); ok {
				text = e.Error()
			}
			missed = &chain.NoVerdict{Cause: chain.CausePanic, Err: &panicked{value: text, stack: debug.Stack()}}
		}
	}()
	return call()
}

// logMissed notes a probe without a verdict. A provider's first panic is an
// error with its stack; the counter tells the rest.
func (p *prober) logMissed(missed *chain.NoVerdict, before *Status) {
	log := p.set.options.Logger.With("chain", p.key.Chain, "provider", p.key.Provider)
	if e, ok := errors.AsType[*panicked](missed); ok && before.NoVerdicts(chain.CausePanic) == 0 {
		log.Error("probe panicked", "err", missed, "stack", string(e.stack))
		return
	}
	log.Debug("probe reached no verdict", "cause", missed.Cause, "err", missed)
}

// logVerdict notes a failure, and a change between up and down.
func (p *prober) logVerdict(before, after *Status) {
	failed := after.ConsecutiveErrors > 0
	level, message := slog.LevelDebug, "probe failed"
	switch {
	case after.Up && !before.Up:
		level, message = slog.LevelInfo, "provider is up"
	case before.Up && !after.Up, failed && !before.Probed:
		level, message = slog.LevelWarn, "provider is down"
	case !failed:
		return
	}
	ctx := context.Background()
	if !p.set.options.Logger.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{slog.String("chain", p.key.Chain), slog.String("provider", p.key.Provider)}
	switch {
	case failed:
		attributes = append(attributes, slog.String("reason", string(after.LastFailure.Reason)), slog.Any("err", after.LastFailure))
	case !after.Up:
		attributes = append(attributes, slog.String("reason", "network_unknown"))
	}
	p.set.options.Logger.LogAttrs(ctx, level, message, attributes...)
}
