package gateway

import (
	"errors"
	"net/http"
	"time"
)

// batch is a list of calls on its way to its answers. Calls that one provider did
// not answer well go to the next one, and those alone.
type batch struct {
	*exchange
	merge merge
	// open are the places of the calls that still need an answer.
	open []int
	// kept are the most meaningful of the answers that were not good ones, by call.
	kept map[int]keptAnswer
	// undone are the unsafe calls that the provider asked last certainly did not
	// carry out.
	undone map[int]bool
	// places are the calls by their id.
	places map[string][]int
	// odd: an id among them may be written in more than one way.
	odd bool
}

// keptAnswer is an answer for when nobody has a better one.
type keptAnswer struct {
	outcome  Outcome
	answer   []byte
	provider []string
}

// keptLimit is the length of an answer that is kept.
const keptLimit = 16 << 10

// serveBatch answers a batch.
func (x *exchange) serveBatch() {
	b := &batch{exchange: x, kept: map[int]keptAnswer{}}
	b.merge = merge{
		writer: x.writer, limit: x.options.BatchBuffer, idle: x.options.IdleTimeout,
		held: make([][]byte, len(x.calls)), status: http.StatusOK,
	}
	for i := range x.calls {
		c := &x.calls[i]
		if c.refusal == nil {
			b.open = append(b.open, i)
		} else if c.id != nil || c.refusal.code == codeInvalidRequest {
			b.merge.add(i, rpcError(c.id, problem{code: c.refusal.code, detail: c.refusal.message}))
		}
	}
	b.run()
	if x.gone() {
		x.result = resultCancelled
		return
	}
	b.giveUp()
	b.merge.end()
}

// run asks one provider after the other for what is open.
func (b *batch) run() {
	if len(b.open) == 0 {
		return
	}
	candidates := b.lane.order(&b.route, b.fits, b.options.Now(), nil)
	for i, c := range candidates {
		if i > 0 && (b.left() <= 0 || b.gone()) || b.merge.broken != nil {
			return
		}
		last := i == len(candidates)-1
		if b.pass(c, b.within(last), last && b.asked == 0); len(b.open) == 0 {
			return
		}
	}
}

// pass asks one provider for what is open, and takes the good answers.
func (b *batch) pass(c candidate, within time.Duration, nobodyElse bool) {
	b.question = question{kind: b.dialect.kind, rpc: true, batch: true, method: "batch", risk: b.worst()}
	body := b.body
	if len(b.open) < len(b.calls) {
		body = b.part()
	}
	p, ok := b.lane.permit(c, b.options.Now(), nobodyElse)
	if !ok {
		return
	}
	var a *attempt
	v := noVerdict
	// The verdict is known when the last item was seen. An answer that breaks the
	// client's connection is counted where that is done.
	defer func() { b.back(p, a, v) }()
	a = b.attempt(b.request.Context(), c, body, within)
	defer b.heads.release(a)
	b.undone = map[int]bool{}
	if a.outcome != OK {
		if v = a.outcome.verdict(); a.outcome.uncertain() && !a.unsent {
			b.closeUnsafe()
		}
		return
	}
	b.index()
	itemFailed, err := b.take(a)
	if v = wellDone; itemFailed {
		v = failed
	}
	switch {
	case err == nil:
		b.closeNotifications()
		// A list that says nothing of a call does not say that nothing was done.
		b.closeUnsafe()
	case b.gone() || errors.As(err, new(errClient)):
		v = noVerdict
		b.merge.broken = err
	default:
		v = failed
		a.record.outcomes[BadResponse].Add(1)
		b.failures = append(b.failures, failure{endpoint: a.endpoint, outcome: BadResponse, status: a.status})
		b.closeUnsafe()
	}
}

// worst is the highest risk among the open calls.
func (b *batch) worst() risk {
	worst := read
	for _, i := range b.open {
		worst = max(worst, b.calls[i].risk)
	}
	return worst
}

// part is a batch of the open calls.
func (b *batch) part() []byte {
	size := 2
	for _, i := range b.open {
		size += len(b.calls[i].raw) + 1
	}
	body := append(make([]byte, 0, size), '[')
	for n, i := range b.open {
		if n > 0 {
			body = append(body, ',')
		}
		body = append(body, b.calls[i].raw...)
	}
	return append(body, ']')
}

// keep remembers an answer for when nobody has a better one.
func (b *batch) keep(i int, o Outcome, item []byte, provider []string) {
	if old, ok := b.kept[i]; o.worth() == 0 || len(item) > keptLimit || ok && old.outcome.worth() >= o.worth() {
		return
	}
	b.kept[i] = keptAnswer{o, append([]byte(nil), item...), provider}
}

// keepOpen leaves open what has no answer yet.
func (b *batch) keepOpen(answered map[int]bool) {
	open := b.open[:0]
	for _, i := range b.open {
		if !answered[i] {
			open = append(open, i)
		}
	}
	b.open = open
}

// closeNotifications takes the calls that have no answers off the list.
func (b *batch) closeNotifications() {
	open := b.open[:0]
	for _, i := range b.open {
		if b.calls[i].id != nil {
			open = append(open, i)
		}
	}
	b.open = open
}

// closeUnsafe takes the calls off the list that may have been carried out, though
// nobody knows.
func (b *batch) closeUnsafe() {
	open := b.open[:0]
	for _, i := range b.open {
		if b.calls[i].risk != unsafe || b.undone[i] {
			open = append(open, i)
			continue
		}
		b.answerOwn(i, "nobody knows whether the provider carried this call out before it failed")
	}
	b.open = open
}

// giveUp answers what nobody has answered well.
func (b *batch) giveUp() {
	unanswered := 0
	for _, i := range b.open {
		if k, ok := b.kept[i]; ok {
			if b.merge.provider == nil {
				b.merge.provider = k.provider
			}
			b.result = resultError
			b.merge.add(i, k.answer)
			continue
		}
		unanswered++
		if b.calls[i].id != nil {
			p := b.nobody(b.calls[i].method)
			b.merge.add(i, rpcError(b.calls[i].id, p))
		}
	}
	if unanswered > 0 {
		b.result = resultFailed
		if b.merge.provider == nil {
			b.merge.status = http.StatusServiceUnavailable
		}
	}
}

func (b *batch) answerOwn(i int, why string) {
	if id := b.calls[i].id; id != nil {
		b.merge.add(i, rpcError(id, problem{code: codeInternal, detail: why}))
	}
}
