package client

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// body lends a request's body to one attempt after another. The caller's own
// body is closed once, when the request ends, as an http.RoundTripper must: an
// attempt that could not send it closes only what it was lent.
type body struct {
	req *http.Request
	// none says that there is nothing to send.
	none bool
	used bool

	mu sync.Mutex
	// read says that bytes of the caller's body have been taken.
	read bool
	// closed is set with the first Close.
	closed bool
	// failed is an error of the caller's body other than its end.
	failed error
}

func newBody(req *http.Request) *body {
	return &body{req: req, none: req.Body == nil || req.Body == http.NoBody}
}

// lend gives the body for the next attempt; false if it can not be sent again.
func (b *body) lend() (io.ReadCloser, bool) {
	switch first := !b.used; {
	case b.none:
		return b.req.Body, true
	case !first && b.req.GetBody != nil:
		again, err := b.req.GetBody()
		return again, err == nil
	case first || b.untouched():
		b.used = true
		return &loan{body: b}, true
	}
	return nil, false
}

// untouched says that nothing of the caller's body has been taken.
func (b *body) untouched() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.read
}

// spoiled says that the caller's body failed, which is no provider's fault.
func (b *body) spoiled() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed != nil
}

// rewindable says that all of the body can be sent again.
func (b *body) rewindable() bool { return b.none || b.req.GetBody != nil }

// end closes the caller's body, once.
func (b *body) end() {
	b.mu.Lock()
	closed := b.closed
	b.closed = true
	b.mu.Unlock()
	if !closed && b.req.Body != nil {
		_ = b.req.Body.Close()
	}
}

// loan is the caller's body in the hands of one attempt. Once given back, by
// Close, it reads nothing more, so that a late reader takes nothing that belongs
// to the next attempt.
type loan struct {
	body *body

	mu       sync.Mutex
	returned bool
	// last says that no further attempt follows, so that Close closes the caller's
	// body.
	last bool
}

var errReturned = errors.New("read of a request body after the attempt ended")

func (l *loan) Read(p []byte) (int, error) {
	l.mu.Lock()
	returned := l.returned
	l.mu.Unlock()
	if returned {
		return 0, errReturned
	}
	l.body.mu.Lock()
	l.body.read = true
	l.body.mu.Unlock()
	n, err := l.body.req.Body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		l.body.mu.Lock()
		l.body.failed = err
		l.body.mu.Unlock()
	}
	return n, err
}

func (l *loan) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.returned = true
	if l.last {
		l.body.end()
	}
	return nil
}

// settle says that the attempt is the last one: the caller's body is closed with
// the loan, or now if that has been given back.
func (l *loan) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last = true; l.returned {
		l.body.end()
	}
}
