package gateway

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

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
	if j.outcome == OK {
		j.outcome = b.doubtful(a.endpoint, q, c.raw, item)
		a.doubted = a.doubted || j.outcome != OK
	}
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
	if c.risk == unsafe && !j.outcome.uncertain() {
		b.undone[i] = true
	}
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
		b.lane.broke(a, b.options.Now())
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
