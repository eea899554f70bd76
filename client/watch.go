package client

import (
	"context"
	"iter"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Watch gives who serves a chain, now and after each change, until the context
// ends, the client is closed or the loop is left. It resumes by index, so a
// change is given once; what lies between two answers is not given: each is the
// state of affairs.
//
// An error does not end it. It comes once per outage of the controller, together
// with the last good answer (the zero value before the first), which stays in
// force; the questions go on with growing pauses. ErrUnknownChain comes this way
// too, since a chain may be configured later.
//
// An answer with a smaller index or generation than the one that is held is
// passed over: a replica that lags gave it. It is believed if its provider began
// to serve after the held one, which only a controller without memory of it can
// say, or if nothing else has come for Options.Settle. A height that changes
// alone is no change.
func (c *Client) Watch(ctx context.Context, chain string) iter.Seq2[wire.Active, error] {
	return func(yield func(wire.Active, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.ctx, cancel)()
		p := newPoller(c, chain)
		lost := false
		for c.ctx.Err() == nil {
			changed, err := p.step(ctx)
			switch {
			case ctx.Err() != nil || c.ctx.Err() != nil:
				return
			case err != nil && !lost:
				lost = true
				if !yield(p.held, err) {
					return
				}
			case err != nil:
			case changed:
				lost = false
				if !yield(p.held, nil) {
					return
				}
			default:
				lost = false
			}
		}
	}
}
