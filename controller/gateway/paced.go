package gateway

import "context"

// pacedBody is the rest of the answer to a batch. It must not pause for too long,
// nor arrive for longer than the request may take while the client has got none of
// it.
type pacedBody struct {
	attempt *attempt
	batch   *batch
}

func (p *pacedBody) Read(b []byte) (int, error) {
	wait := p.batch.options.IdleTimeout
	if !p.batch.merge.begun {
		wait = min(wait, p.batch.left())
	}
	if wait <= 0 {
		return 0, context.DeadlineExceeded
	}
	p.attempt.timer.Reset(wait)
	defer p.attempt.timer.Stop()
	return p.attempt.response.Body.Read(b)
}
