// Package prober decides when each provider is probed and remembers what came
// of it.
//
// A Set holds one prober for each provider of the desired set, however often
// that set is applied anew. A prober is a timer, not a goroutine: at its time
// the timer starts a goroutine that lives as long as the probe. At most one
// probe of a provider is under way at a time, also across a replacement, and at
// most Options.Concurrency over all; what waits for its turn is neither slow nor
// late. The result of a probe that began before its provider was removed,
// replaced or stopped is dropped.
//
// The times are stable: each provider has a phase by a hash of its name, so
// that ten thousand of them spread over the interval and come at the same
// moments after a restart. A provider in doubt is probed more often, one that
// asked to be left alone is left alone, and every such time ends by itself.
//
// What is known leaves the package as a Status, an immutable value derived from
// the results. A result without a verdict (our own fault, a cancellation, a
// panic) moves no state at all. Nothing here speaks a protocol, serves HTTP or
// registers a metric.
package prober

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errReplaced is why a probe is cancelled whose provider left the set or has
// another Asker.
var errReplaced = errors.New("the provider was removed or replaced")

// prober is the schedule and the memory of one key. It outlives its provider
// while a probe is under way, so that the next provider of the same key waits
// for that probe to end.
type prober struct {
	set *Set
	key Key
	// status is what was last published; nil once the provider has left.
	status atomic.Pointer[Status]

	// mu guards what follows. It is never held while anything is waited for.
	mu sync.Mutex
	// target is the provider as it shall be probed; its Asker is nil once the
	// provider has left.
	target Target
	memory memory
	// timer calls fire; nil before the first plan.
	timer *time.Timer
	// due is when the next probe starts; zero while none is planned.
	due time.Time
	// flight is the probe under way; nil while there is none.
	flight *flight
}

// adopt takes over a target. It says whether that is another provider than
// before, which is to be started.
func (p *prober) adopt(t Target, now time.Time) (fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.target
	if before.Asker != t.Asker {
		p.dropLocked()
		p.target, p.memory = t, newMemory(t)
		p.publishLocked()
		return true
	}
	p.target = t
	if before.Operator != t.Operator || before.Policy != t.Policy || before.Interval != t.Interval {
		p.memory.follow(t)
		p.publishLocked()
		if p.flight == nil && !p.due.IsZero() && !p.memory.started.IsZero() {
			p.planLocked(p.memory.replan(now, t))
		}
	}
	return false
}

// leave forgets the provider and says whether the prober is idle.
func (p *prober) leave() (idle bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropLocked()
	p.target, p.memory = Target{}, memory{}
	p.status.Store(nil)
	return p.flight == nil
}

// dropLocked ends what goes on for the present provider. The probe under way may
// as well be that of an earlier provider.
func (p *prober) dropLocked() {
	p.unplanLocked()
	if p.flight != nil {
		p.flight.cancel(errReplaced)
	}
}

// isIdle says whether the prober has neither a provider nor a probe.
func (p *prober) isIdle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target.Asker == nil && p.flight == nil
}

// start plans the first probe.
func (p *prober) start(now time.Time, starting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target.Asker != nil {
		p.planLocked(now.Add(firstDelay(p.target, starting)))
	}
}

// hasten brings the next probe forward, unless one is under way.
func (p *prober) hasten(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flight != nil || p.due.IsZero() || p.memory.started.IsZero() {
		return
	}
	if due := p.memory.hastened(now, p.target); due.Before(p.due) {
		p.planLocked(due)
	}
}

// planLocked sets the time of the next probe. While one is under way the timer
// waits for its end.
func (p *prober) planLocked(due time.Time) {
	p.due = due
	if p.flight != nil {
		return
	}
	wait := max(0, time.Until(due))
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, p.fire)
		return
	}
	p.timer.Reset(wait)
}

// unplanLocked sees to it that no probe starts any more.
func (p *prober) unplanLocked() {
	p.due = time.Time{}
	if p.timer != nil {
		p.timer.Stop()
	}
}

// halt ends the schedule for good.
func (p *prober) halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unplanLocked()
}

// publishLocked makes the memory's status the one that others see.
func (p *prober) publishLocked() {
	p.status.Store(p.memory.status)
}

// history is a copy of the provider's.
func (p *prober) history() (History, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.memory.history.clone(), p.target.Asker != nil
}

// asked is the provider as it is now; its Asker is nil once it has left.
func (p *prober) asked() Target {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}
