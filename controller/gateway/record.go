package gateway

import (
	"sync/atomic"
	"time"
)

// The keeper's scores: what a success adds, what a failure takes, and the bounds.
const (
	scoreMax     = 100
	scoreSuccess = 5
	scoreFailure = 30
)

// record is what the gateway has seen of one provider. The chain's lock guards
// what is not atomic. Its time comes in with every call, and nothing in it needs
// a timer: a quarantine is over when somebody looks at the clock.
type record struct {
	name string
	// header names the provider in an answer. It is shared, never changed.
	header []string
	target *target

	score       int
	consecutive int
	failures    uint64
	successes   uint64
	lastFailure time.Time
	lastSuccess time.Time
	// unavailable: in quarantine, until cooldownUntil; and after that on trial,
	// until a success.
	unavailable   bool
	cooldownUntil time.Time
	// restUntil is when the provider, by its own words, wants to be asked again.
	restUntil time.Time
	// doubtUntil is until when it is left alone because it told what is not so.
	doubtUntil time.Time
	// generation grows when a quarantine begins or ends and when the provider's
	// address changes: what began before that says nothing about now.
	generation uint64
	// trial: somebody is trying whether it is well again.
	trial  bool
	recent recent

	outcomes [outcomeCount]atomic.Uint64
}

func newRecord(name string) *record {
	return &record{name: name, header: []string{name}, score: scoreMax}
}

// succeed is the keeper's first rule.
func (r *record) succeed(now time.Time) {
	r.score = min(scoreMax, r.score+scoreSuccess)
	r.consecutive = 0
	r.successes++
	r.lastSuccess = now
	r.restUntil = time.Time{}
	r.cooldownUntil = time.Time{}
	if r.unavailable {
		r.unavailable = false
		r.nextGeneration()
	}
}

// fail is the keeper's second rule. wait is how long the provider asks to be left
// alone; 0 if it does not say. It says whether a quarantine begins.
func (r *record) fail(now time.Time, threshold int, cooldown, wait time.Duration) bool {
	r.consecutive++
	r.failures++
	r.score = max(0, r.score-scoreFailure)
	r.lastFailure = now
	if wait > 0 {
		r.restUntil = now.Add(wait)
	}
	if r.consecutive < threshold {
		return false
	}
	r.cooldownUntil = now.Add(cooldown)
	if r.unavailable {
		return false
	}
	r.unavailable = true
	r.nextGeneration()
	return true
}

// nextGeneration makes what is under way count for nothing; so the trial of
// before, if there is one, holds up nobody.
func (r *record) nextGeneration() {
	r.generation++
	r.trial = false
}

// resting says whether the provider has asked to be left alone.
func (r *record) resting(now time.Time) bool { return now.Before(r.restUntil) }

// doubted says whether the provider has told what is not so, a short time ago.
func (r *record) doubted(now time.Time) bool { return now.Before(r.doubtUntil) }

// ready is the keeper's third rule: it may be tried, by everybody or by one.
func (r *record) ready(now time.Time) bool {
	return !r.resting(now) && !r.doubted(now) && (!r.unavailable || !now.Before(r.cooldownUntil))
}

// recent are the latencies of the last answers.
type recent struct {
	samples [recentSize]sample
	next    int
}

type sample struct {
	at   time.Time
	took time.Duration
	bad  bool
}

// The keeper looks at the last minute, and at 50 answers at most.
const (
	recentSize = 50
	recentSpan = time.Minute
)

func (r *recent) add(s sample) {
	r.samples[r.next] = s
	r.next = (r.next + 1) % recentSize
}

// over is the average latency of the answers in the last minute, their number,
// and the share in percent of those that failed.
func (r *recent) over(now time.Time) (average time.Duration, count int, badPercent float64) {
	var sum time.Duration
	bad := 0
	for _, s := range r.samples {
		if s.at.IsZero() || now.Sub(s.at) > recentSpan {
			continue
		}
		count++
		sum += s.took
		if s.bad {
			bad++
		}
	}
	if count == 0 {
		return 0, 0, 0
	}
	return sum / time.Duration(count), count, float64(bad) / float64(count) * 100
}
