package gateway

import (
	"context"
	"time"
)

// ask asks one provider after the other until there is an answer that the client
// gets. It returns that, or the most meaningful of the others, or nil. The attempt
// must be released.
func (x *exchange) ask() *attempt {
	var room [8]candidate
	candidates := x.lane.order(&x.route, x.fits, x.options.Now(), room[:0])
	if x.settings.HedgeAfter > 0 && x.question.risk == read && len(candidates) > 1 {
		return x.askHedged(candidates)
	}
	var best *attempt
	for i, c := range candidates {
		if c.cooling && best != nil && best.outcome.worth() >= Unsupported.worth() {
			// There is an answer, if a poor one. Nobody waits for a provider in quarantine to
			// have a better one.
			break
		}
		last := i == len(candidates)-1 && best == nil
		a := x.askOne(x.request.Context(), c, x.body, x.within(last), last && x.asked == 0)
		if a == nil {
			continue
		}
		if a.outcome.final() {
			x.drop(best)
			return a
		}
		best = x.better(best, a)
		if x.question.risk == unsafe && a.outcome.uncertain() && !a.unsent || x.left() <= 0 || x.gone() {
			break
		}
	}
	return best
}

// within is how long an attempt may take.
func (x *exchange) within(last bool) time.Duration {
	left := x.left()
	if last {
		return left
	}
	return min(left, x.settings.AttemptTimeout)
}

// askOne makes one attempt; nil if somebody else is just trying the provider.
func (x *exchange) askOne(ctx context.Context, c candidate, body []byte, within time.Duration, nobodyElse bool) *attempt {
	p, ok := x.lane.permit(c, x.options.Now(), nobodyElse)
	if !ok {
		return nil
	}
	var a *attempt
	// The permit goes back on every path, a panic of a transport included.
	defer func() { x.back(p, a, verdictOf(a)) }()
	a = x.attempt(ctx, c, body, within)
	return a
}

func verdictOf(a *attempt) verdict {
	if a == nil {
		return noVerdict
	}
	return a.outcome.verdict()
}

// attempt sends the request to a provider and judges the answer.
func (x *exchange) attempt(ctx context.Context, c candidate, body []byte, within time.Duration) *attempt {
	begin := x.options.Now()
	x.asked++
	q := x.question
	q.typ = c.endpoint.Type
	a := x.heads.try(ctx, c, q, x.sending(c.target, body), within)
	if a.outcome == OK {
		a.outcome = x.doubtful(c.endpoint, q, body, a.plain)
		a.doubted = a.outcome != OK
	}
	if a.outcome != OK && !q.rpc && a.target.shownIn(a.plain) {
		// No client gets it, so somebody else has to be asked.
		if a.foreign = true; a.outcome.final() {
			a.outcome = Unsupported
		}
	}
	a.took = x.options.Now().Sub(begin)
	x.note(a)
	return a
}

// back gives a permit back; a is nil if there was no attempt.
func (x *exchange) back(p permit, a *attempt, v verdict) {
	took, wait, doubted := time.Duration(0), time.Duration(0), false
	if a != nil {
		took, wait, doubted = a.took, a.wait, a.doubted
	}
	ended := p.back(v, x.options.Now(), took, wait, x.firstFailed, doubted)
	if a != nil {
		a.ended = ended
	}
	if v == failed && !p.challenger {
		x.firstFailed = true
	}
}

// note counts an attempt and remembers why it came to nothing.
func (x *exchange) note(a *attempt) {
	a.record.outcomes[a.outcome].Add(1)
	if hook := x.options.OnOutcome; hook != nil {
		hook(x.route.Chain, a.record.name, a.outcome, a.took)
	}
	if !a.outcome.final() {
		x.failures = append(x.failures, failure{
			endpoint: a.endpoint, outcome: a.outcome, status: a.status, code: a.code, coded: a.coded,
		})
	}
}

// better keeps the more meaningful of two attempts, and the first of two that are
// worth the same. The other one is released.
func (x *exchange) better(best, a *attempt) *attempt {
	if a.outcome.worth() == 0 || a.foreign || best != nil && best.outcome.worth() >= a.outcome.worth() {
		x.drop(a)
		return best
	}
	x.drop(best)
	return a
}

func (x *exchange) drop(a *attempt) {
	if a != nil {
		x.heads.release(a)
	}
}
