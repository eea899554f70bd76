package evaluator

import (
	"context"
	"time"

	dto "github.com/prometheus/client_model/go"
)

const (
	// graceTries is how often a source may fail before its silence is a fact and
	// the rules are evaluated without it.
	graceTries = 3
	// patience is how long a round waits for a source that has been quick so far.
	// After that it goes on without it, so that one exporter that hangs does not
	// hold up the verdicts about what the others see.
	patience = time.Second
	// collectTimeout is after how long a collection that is still going on counts
	// as a failed one.
	collectTimeout = 10 * time.Second
)

// feed is a source in use.
type feed struct {
	source Source
	target Target
	// steady says that the source is Steady.
	steady bool
	// flight is the collection that is going on; nil if none is.
	flight *flight
	// late says that the last collection was not done in time, so that nobody
	// waits for this one.
	late bool
	// series are those of the last answer, in its order, and cursor is where in
	// them the answer that is taken in has come to.
	series []*series
	cursor int
	// known says that the source has answered, or failed tries times in a row
	// before it ever did.
	known bool
	tries int
	// failure is the error that was logged last; "" after a success.
	failure     string
	instruments feedMetrics
}

// flight is one collection. Its results may be read once done is closed.
type flight struct {
	began time.Time
	done  chan struct{}
	// rules are the number of the rules whose families were wanted.
	rules    uint64
	families []*dto.MetricFamily
	err      error
	took     time.Duration
}

// launch starts a collection of every source that is not collecting.
func (e *Evaluator) launch(ctx context.Context) {
	wanted, rules := e.wanted()
	for _, f := range e.feeds {
		if f.flight != nil {
			continue
		}
		l := &flight{began: time.Now(), done: make(chan struct{}), rules: rules}
		f.flight = l
		e.flights.Go(func() {
			defer close(l.done)
			ctx, cancel := context.WithTimeout(ctx, collectTimeout)
			defer cancel()
			l.families, l.err = f.source.Collect(ctx, wanted)
			l.took = time.Since(l.began)
		})
	}
}

// wanted says which families the rules in force read, and gives their number.
func (e *Evaluator) wanted() (Wanted, uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.memory.reads.family, e.memory.kept
}

// await waits until the sources have answered, but not for those that were late
// the last time, and for the others no longer than patience.
func (e *Evaluator) await(ctx context.Context) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for _, f := range e.feeds {
		if f.late {
			continue
		}
		select {
		case <-f.flight.done:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// land takes in what has arrived, and ends the series of sources that fail. An
// answer is outdated if other rules are in force than when it was asked for: it may
// lack what they read.
func (e *Evaluator) land(at time.Time) (all []SourceStatus, outdated bool) {
	for _, f := range e.feeds {
		l := f.flight
		var status SourceStatus
		select {
		case <-l.done:
			f.flight = nil
			f.late = l.took > patience
			if l.rules != e.memory.kept {
				outdated = true
				status = SourceStatus{Target: f.target, Late: true}
				break
			}
			status = e.ingest(f, l.families, l.err, l.took, at)
		default:
			f.late = true
			status = SourceStatus{Target: f.target, Late: true}
			if took := time.Since(l.began); took >= collectTimeout {
				status = e.ingest(f, nil, errSlow, took, at)
			}
		}
		e.noteSource(f, status)
		all = append(all, status)
	}
	return all, outdated
}

// noteSource counts and logs how a source did. A failure is logged once, and
// not each time that it repeats itself.
func (e *Evaluator) noteSource(f *feed, s SourceStatus) {
	if s.Late && s.Err == nil {
		return
	}
	f.instruments.scrapes.Inc()
	if s.Err == nil {
		if f.failure != "" {
			e.logger.Info("The exporter answers again", "instance", f.target.Instance)
		}
		f.known, f.failure = true, ""
		return
	}
	f.instruments.failed(s.Err)
	f.tries++
	f.known = f.known || f.tries >= graceTries
	if text := s.Err.Error(); text != f.failure {
		e.logger.Warn("An exporter cannot be read", "job", f.target.Job, "instance", f.target.Instance, "err", s.Err)
		f.failure = text
	}
}

// complete says whether all sources are known.
func (e *Evaluator) complete() bool {
	for _, f := range e.feeds {
		if !f.known {
			return false
		}
	}
	return true
}
