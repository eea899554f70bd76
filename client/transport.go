package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// ProviderHeader is set in each response to the name of the provider that gave
// it, as the gateway does.
const ProviderHeader = "X-Understudy-Provider"

// blackHole is how long connecting must have taken, when the caller's time runs
// out over it, for that to speak against the provider and not for haste.
const blackHole = time.Second

// TransportOptions may be left empty.
type TransportOptions struct {
	// Base carries the requests; nil: an http.Transport that the client's Transports
	// share and that gives up connecting after 3 s.
	Base http.RoundTripper
	// Types are the provider types that the caller can talk to, such as bitcoin-rpc;
	// empty: that of the provider which serves. Others are passed over, also when
	// one of them serves: a client of bitcoind can do nothing with a REST API. With
	// only such left, requests fail with NoProviderError.
	Types []string
	// Authorize adds what a provider wants and its URL does not hold, such as a
	// header with a key; nil: nothing.
	Authorize func(provider string, header http.Header)
	// Manual keeps the provider until Advance is called; see there.
	Manual bool
	// NoReplay says that a request whose connection broke is not sent to a fallback
	// if it may have arrived, unless HTTP calls its method safe. Leave it unset
	// where bodies are reads or signed transactions: those have the same effect
	// once or twice.
	NoReplay bool
	// RefuseNone fails requests with NoProviderError while the controller says that
	// nobody serves; unset, they go to the provider that served last, unless that
	// one serves wrong data.
	RefuseNone bool
	// Quarantine is for how long a provider without connection comes last; zero:
	// 15 s. It ends with the next generation, too.
	Quarantine time.Duration
}

// NoProviderError says that there is nobody to send a request to.
type NoProviderError struct {
	Chain string
	// Reason is the controller's, if it gave one.
	Reason string
	// Err is why the controller did not answer; nil if it did.
	Err error
}

// Error implements error.
func (e *NoProviderError) Error() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("chain %q: no provider is known yet: %v", e.Chain, e.Err)
	case e.Reason != "":
		return fmt.Sprintf("chain %q: no provider serves: %s", e.Chain, e.Reason)
	}
	return fmt.Sprintf("chain %q: no provider serves that this client can talk to", e.Chain)
}

// Unwrap gives why the controller did not answer.
func (e *NoProviderError) Unwrap() error { return e.Err }

// Transport sends requests to the provider that serves a chain. It is an
// http.RoundTripper, to be used where a chain's client takes an http.Client.
//
// The URL of a request gives path and query only; both are put behind those of
// the provider's own URL. A request that finds no connection goes on to the
// fallbacks; one whose connection broke before the answer does if it may be sent
// twice. Whatever comes as an answer, a status 500 or 429 too, is the caller's.
// Once an answer has begun, a request is never switched.
type Transport struct {
	o    TransportOptions
	c    *Client
	f    *follower
	base http.RoundTripper

	mu   sync.Mutex
	line *line
}

// Transport makes one for a chain and begins to follow that. Without a first
// answer, requests wait for the outcome of the first question, not longer.
func (c *Client) Transport(chain string, o TransportOptions) *Transport {
	o.Quarantine = cmp.Or(o.Quarantine, 15*time.Second)
	t := &Transport{o: o, c: c, f: c.follow(chain), base: o.Base}
	if t.base == nil {
		t.base = c.toProviders()
	}
	return t
}

// Advance lets a Manual transport take over what the controller has said since
// the last call, and says who is next. A scanner calls it between two blocks, so
// that all parts of one block come from one provider; a signer before it reads
// a nonce, so that the broadcast goes where the nonce came from. In between, only
// the loss of the connection moves requests to a fallback, and they stay there.
// The first request advances by itself. The name is empty if there is nobody.
func (t *Transport) Advance() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance()
	if t.line == nil {
		return ""
	}
	return t.line.order()[0].name
}

// Status is what is known of the chain, and how old it is.
func (t *Transport) Status() Status { return t.f.status() }

// CloseIdleConnections lets http.Client's method of the same name through.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	b := newBody(req)
	l, err := t.take(req.Context())
	if err != nil {
		b.end()
		return nil, err
	}
	return t.send(req, b, l)
}

// send tries one route after another.
func (t *Transport) send(req *http.Request, b *body, l *line) (*http.Response, error) {
	var errs []error
	for _, r := range l.order() {
		resp, f, err := t.attempt(req, b, r)
		if f == failureIdle && t.repeatable(req, b) {
			t.CloseIdleConnections()
			resp, f, err = t.attempt(req, b, r)
		}
		switch {
		case resp != nil:
			l.works(r)
			return resp, nil
		case err == nil:
			// The body cannot be sent again.
		default:
			errs = append(errs, fmt.Errorf("chain %q: provider %q: %w", t.f.chain, r.name, err))
		}
		if f == failureUnsent || f == failureBroken {
			l.fails(r, t.o.Quarantine)
		}
		if f != failureUnsent && (f == failureOther || !t.repeatable(req, b)) || req.Context().Err() != nil {
			break
		}
	}
	b.end()
	return nil, errors.Join(errs...)
}

// repeatable says whether a request that may have arrived can be sent again.
func (t *Transport) repeatable(req *http.Request, b *body) bool {
	return b.rewindable() && (idempotent(req) || !t.o.NoReplay)
}

// attempt sends a request along one route. Without a response and without an
// error the body could not be had once more.
func (t *Transport) attempt(req *http.Request, b *body, r route) (*http.Response, failure, error) {
	lent, ok := b.lend()
	if !ok {
		return nil, failureOther, nil
	}
	var tr trace
	out := r.request(tr.into(req.Context()), req)
	out.Body = lent
	if t.o.Authorize != nil {
		t.o.Authorize(r.name, out.Header)
	}
	began := time.Now()
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		f := classify(req.Context(), &tr, err)
		if b.spoiled() {
			f = failureOther
		}
		if errors.Is(req.Context().Err(), context.DeadlineExceeded) && tr.sought.Load() && !tr.got.Load() && time.Since(began) >= blackHole {
			f = failureUnsent
		}
		return nil, f, err
	}
	if l, ok := lent.(*loan); ok {
		l.settle()
	} else {
		b.end()
	}
	// The caller sees his own request: the one that was sent holds secrets.
	resp.Request = req
	resp.Header.Set(ProviderHeader, r.name)
	return resp, failureOther, nil
}

// take is the line that a request goes by, from its beginning to its end.
func (t *Transport) take(ctx context.Context) (*line, error) {
	select {
	case <-t.f.asked:
	case <-ctx.Done():
		return nil, &NoProviderError{Chain: t.f.chain, Err: ctx.Err()}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.line == nil || !t.o.Manual {
		t.advance()
	}
	position, err := t.f.latest()
	switch {
	case position.active.State == wire.StateNone && (t.line == nil || t.o.RefuseNone || position.active.LastWrong):
		return nil, &NoProviderError{Chain: t.f.chain, Reason: position.active.Reason}
	case t.line == nil:
		return nil, &NoProviderError{Chain: t.f.chain, Err: err}
	}
	return t.line, nil
}

// advance takes over the position in force, with t.mu held. One with nobody leaves
// the line as it is. One in which others may serve, but none that the caller can talk
// to, ends it: who is no longer named may have been left for wrong data.
func (t *Transport) advance() {
	position, _ := t.f.latest()
	if t.line != nil && t.line.position == position {
		t.line.refresh(t.o.Manual)
		return
	}
	types := t.o.Types
	if len(types) == 0 && len(position.routes) > 0 {
		types = []string{position.routes[0].kind}
	}
	routes := slices.DeleteFunc(slices.Clone(position.routes), func(r route) bool { return !slices.Contains(types, r.kind) })
	if len(routes) == 0 {
		if len(position.routes) > 0 {
			t.line = nil
		}
		return
	}
	next := newLine(position, routes, t.o.Manual)
	if t.line != nil && sameTerm(t.line.position.active, position.active) {
		next.quarantine = t.line.quarantine
	}
	t.line = next
}

// sameTerm says whether two answers are about one and the same choice.
func sameTerm(a, b wire.Active) bool {
	return a.Generation == b.Generation && nameOf(a) == nameOf(b)
}
