package gateway

import (
	"context"
	"time"
)

// askHedged is ask for requests that change nothing: when a provider lets wait,
// the next one is asked as well, and the first good answer counts.
func (x *exchange) askHedged(candidates []candidate) *attempt {
	h := &hedge{exchange: x, candidates: candidates, ends: make(chan hedged, len(candidates))}
	best := h.run()
	h.settle()
	return best
}

// hedge is a race of attempts. Each runs on a copy of the exchange, whose notes
// are taken over when it is over.
type hedge struct {
	*exchange
	candidates []candidate
	// cancels end the attempts, by candidate; next is who starts next, open how many
	// are under way.
	cancels []context.CancelFunc
	next    int
	open    int
	ends    chan hedged
}

// hedged is an attempt of the race that is over; there is none if somebody else is
// just trying the provider.
type hedged struct {
	place   int
	attempt *attempt
	notes   *exchange
}

func (h *hedge) run() *attempt {
	timer := time.NewTimer(h.settings.HedgeAfter)
	defer timer.Stop()
	var best *attempt
	h.start()
	for h.open > 0 {
		select {
		case end := <-h.ends:
			h.take(end)
			if a := end.attempt; a != nil && a.outcome.final() {
				// It is read on by its own context.
				h.cancels[end.place] = nil
				h.drop(best)
				return a
			} else if a != nil {
				best = h.better(best, a)
			}
		case <-timer.C:
		}
		if h.next < len(h.candidates) && h.left() > 0 && !h.gone() {
			h.start()
			timer.Reset(h.settings.HedgeAfter)
		}
	}
	return best
}

// start begins the next attempt.
func (h *hedge) start() {
	place := h.next
	last := place == len(h.candidates)-1
	ctx, cancel := context.WithCancel(h.request.Context())
	h.cancels = append(h.cancels, cancel)
	h.next++
	h.open++
	own := *h.exchange
	own.asked, own.failures = 0, nil
	c, within := h.candidates[place], h.within(last)
	h.running.Go(func() {
		a := own.askOne(ctx, c, own.body, within, last && place == 0)
		h.ends <- hedged{place, a, &own}
	})
}

// take takes the notes of an attempt over.
func (h *hedge) take(end hedged) {
	h.open--
	h.asked += end.notes.asked
	h.failures = append(h.failures, end.notes.failures...)
	h.firstFailed = h.firstFailed || end.notes.firstFailed
}

// settle ends the attempts that lost, and leaves it to them to clean up.
func (h *hedge) settle() {
	for _, cancel := range h.cancels {
		if cancel != nil {
			cancel()
		}
	}
	if h.open == 0 {
		return
	}
	heads, open, ends := h.heads, h.open, h.ends
	h.running.Go(func() {
		for range open {
			if end := <-ends; end.attempt != nil {
				heads.release(end.attempt)
			}
		}
	})
}
