package prober

import (
	"time"

	"github.com/understudy-rpc/understudy/exporter/chain"
	"github.com/understudy-rpc/understudy/internal/config"
)

// questionPause is how long a question rests after a probe in which the provider
// told its tip and then failed, so that a provider that bears one request at a
// time is not made to fail over and over by optional ones.
const questionPause = time.Minute

// question is one that is not asked in every probe.
type question struct {
	// answered is the start of the last probe that asked it and did not fail;
	// zero before one. restUntil is when it may be asked again.
	answered, restUntil time.Time
}

// due says whether the question is to be asked in a probe that starts now. Of
// the probes around the due time the nearest one asks it, so that a start that
// is late by a moment does not shift it by a whole interval.
func (q question) due(now time.Time, every, interval time.Duration) bool {
	return !now.Before(q.restUntil) &&
		(q.answered.IsZero() || now.Sub(q.answered) >= every-interval/2)
}

// note takes in a probe that may have asked the question.
func (q *question) note(asked bool, r result) {
	switch {
	case !asked:
	case r.failure == nil:
		*q = question{answered: r.start}
	case r.observation.HasTip:
		q.restUntil = r.end.Add(questionPause)
	}
}

// ask is what the probe that starts now is to find out.
//
// Identity: on the first probe and then every config.IdentityInterval; in
// between, where blocks are compared, so often that each comparison is among
// providers that proved their network since the last one; and in every probe
// after a failure that may hide another network, until it is proven. Hints: on
// the first probe, then hourly, and every config.HintsInterval while the
// provider says that it syncs or has not grown for half the policy's
// stall_timeout. Capabilities: on the first probe that gets as far, and every
// config.CapabilitiesInterval.
func (m *memory) ask(now time.Time, t Target) chain.Ask {
	ask := chain.Ask{Previous: m.status.Tip}
	integrity := t.Policy.Integrity
	ask.Identity = !m.proven ||
		question{answered: m.identity.answered}.due(now, config.IdentityInterval, t.Interval) ||
		(integrity.Enabled && question{answered: m.told}.due(now, integrity.Interval, t.Interval))
	hints := config.CalmHintsInterval
	if m.restless(now, t) {
		hints = config.HintsInterval
	}
	ask.Hints = m.hints.due(now, hints, t.Interval)
	ask.Capabilities = m.capabilities.due(now, config.CapabilitiesInterval, t.Interval)
	return ask
}

// restless says whether the provider's word about itself may matter soon.
func (m *memory) restless(now time.Time, t Target) bool {
	s := m.status
	return s.Syncing.Value || (!s.LastAdvance.IsZero() && now.Sub(s.LastAdvance) >= t.Policy.StallTimeout/2)
}
