package gateway

import (
	"encoding/json"
	"errors"
	"io"
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
	// The verdict is known when the last item was seen.
	defer func() { b.back(p, a, v) }()
	a = b.attempt(b.request.Context(), c, body, within)
	defer b.heads.release(a)
	if v = a.outcome.verdict(); a.outcome != OK {
		if a.outcome.uncertain() && !a.unsent {
			b.closeUnsafe()
		}
		return
	}
	b.index()
	itemFailed, err := b.take(a)
	if itemFailed {
		v = failed
	}
	switch {
	case err == nil:
		b.closeNotifications()
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

// index finds the open calls by their ids.
func (b *batch) index() {
	b.places = make(map[string][]int, len(b.open))
	b.odd = false
	for _, i := range b.open {
		if id := b.calls[i].id; id != nil {
			b.places[string(id)] = append(b.places[string(id)], i)
			b.odd = b.odd || oddID(id)
		}
	}
}

// take reads the answers of a provider, and says whether one of them shows that
// the provider is not well. Its error says that they broke off.
func (b *batch) take(a *attempt) (itemFailed bool, err error) {
	var rest io.Reader
	if !a.whole {
		rest = &pacedBody{a, b}
	}
	in := newItems(a.head, rest, b.options.HeadSize)
	answered := map[int]bool{}
	defer func() { b.keepOpen(answered) }()
	// An answer for each call, and some that nobody asked for.
	for range 2*len(b.calls) + 16 {
		item, whole, err := in.next()
		if errors.Is(err, io.EOF) {
			return itemFailed, nil
		}
		if err != nil {
			return itemFailed, err
		}
		o, err := b.takeItem(a, in, item, whole, answered)
		if err != nil {
			return itemFailed, err
		}
		itemFailed = itemFailed || o.verdict() == failed
	}
	return itemFailed, errItems
}

// takeItem takes one answer, and says what it is worth.
func (b *batch) takeItem(a *attempt, in *items, item []byte, whole bool, answered map[int]bool) (Outcome, error) {
	r, _, _ := readReply(item)
	i, known := b.place(r.id, answered)
	switch {
	case !whole && !known && r.id != nil:
		return OK, in.rest(io.Discard)
	case !whole:
		return OK, b.passOn(a, in, i, known, answered)
	case !known || !json.Valid(item):
		return OK, nil
	}
	c := &b.calls[i]
	q := question{kind: b.dialect.kind, typ: a.endpoint.Type, rpc: true, method: c.method, risk: c.risk, id: c.id}
	j := judge(q, http.StatusOK, item, true)
	if string(r.id) != string(c.id) {
		item = replaceID(append([]byte(nil), item...), c.id)
	}
	if j.outcome.final() {
		if b.merge.provider == nil {
			b.merge.provider = a.record.header
		}
		answered[i] = true
		b.merge.add(i, item)
		return j.outcome, nil
	}
	a.record.outcomes[j.outcome].Add(1)
	b.keep(i, j.outcome, item, a.record.header)
	return j.outcome, nil
}

// passOn gives the client an answer that is too long to be held.
func (b *batch) passOn(a *attempt, in *items, i int, known bool, answered map[int]bool) error {
	if b.merge.provider == nil {
		b.merge.provider = a.record.header
	}
	if !b.merge.begun {
		b.merge.begin()
	}
	if b.merge.comma {
		b.merge.put([]byte{','})
	}
	b.merge.comma = true
	b.merge.tail = b.merge.tail[:0]
	if err := in.rest(&b.merge); err != nil {
		if errors.As(err, new(errClient)) || b.gone() {
			return errClient{err}
		}
		b.result = resultAborted
		b.lane.broke(a.candidate, b.options.Now())
		// Half an answer cannot be taken back. This is how net/http is told to break
		// the connection.
		panic(http.ErrAbortHandler)
	}
	if !known {
		// Some nodes put the id at the end.
		i, known = b.place(lastID(b.merge.tail), answered)
	}
	if !known {
		i, known = b.firstOpen(answered)
	}
	if known {
		answered[i] = true
	}
	return nil
}

// firstOpen is the first call without an answer. Nodes answer in the order of the
// calls.
func (b *batch) firstOpen(answered map[int]bool) (int, bool) {
	for _, i := range b.open {
		if !answered[i] && b.calls[i].id != nil {
			return i, true
		}
	}
	return 0, false
}

// place finds the call that an answer belongs to: by its id, and among calls with
// the same id the first one without an answer.
func (b *batch) place(id []byte, answered map[int]bool) (int, bool) {
	if id == nil {
		return 0, false
	}
	places, ok := b.places[string(id)]
	if !ok && (b.odd || oddID(id)) {
		for other, candidates := range b.places {
			if sameID([]byte(other), id) {
				places = candidates
				break
			}
		}
	}
	for _, i := range places {
		if !answered[i] {
			return i, true
		}
	}
	return 0, false
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
		if b.calls[i].risk != unsafe {
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
