package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// attempt is one request to one provider: it ends with the judgement of the
// beginning of the answer, which the client may then get, or not.
type attempt struct {
	candidate
	judgement
	// status is the HTTP status; 0 without an answer.
	status   int
	response *http.Response
	// head is the beginning of the body as it came, or all of it, if it is whole.
	// plain is the same decompressed.
	head, plain []byte
	whole       bool
	// cut: plain is not all of it.
	cut bool
	// doubted: the provider told what is not so, in a batch perhaps once.
	doubted bool
	// unsent: the provider has certainly not seen the request.
	unsent bool
	// wait is how long the provider asks to be left alone.
	wait time.Duration
	took time.Duration
	// ended are the failures in a row that its beginning has ended.
	ended streak

	buffer *buffer
	cancel context.CancelFunc
	timer  *time.Timer
	late   atomic.Bool
}

// sending is what is sent in an attempt.
type sending struct {
	verb    string
	address *url.URL
	header  http.Header
	body    []byte
}

// buffer holds the beginning of an answer.
type buffer struct{ bytes []byte }

// smallHead is enough for most answers.
const smallHead = 4 << 10

// heads are the buffers of a gateway.
type heads struct {
	size         int
	small, large sync.Pool
}

func newHeads(size int) *heads {
	h := &heads{size: size}
	h.small.New = func() any { return &buffer{make([]byte, min(smallHead, size))} }
	h.large.New = func() any { return &buffer{make([]byte, size)} }
	return h
}

func (h *heads) giveBack(b *buffer) {
	switch {
	case b == nil:
	case len(b.bytes) == h.size:
		h.large.Put(b)
	default:
		h.small.Put(b)
	}
}

// newRequestBody is a body that net/http knows to be in memory, so that it sends it
// together with the header.
func newRequestBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }

// blank is what all requests have in common. It is copied, never changed.
var blank = &http.Request{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}

// try sends a request to a provider and judges what comes back within the time.
// The attempt must be released.
func (h *heads) try(ctx context.Context, c candidate, q question, s sending, within time.Duration) *attempt {
	a := &attempt{candidate: c}
	attemptCtx, cancel := context.WithCancel(ctx)
	a.cancel = cancel
	a.timer = time.AfterFunc(within, func() {
		a.late.Store(true)
		cancel()
	})
	r := blank.WithContext(attemptCtx)
	r.Method, r.URL, r.Host, r.Header = s.verb, s.address, s.address.Host, s.header
	if len(s.body) > 0 {
		r.Body, r.ContentLength = newRequestBody(s.body), int64(len(s.body))
		r.GetBody = func() (io.ReadCloser, error) { return newRequestBody(s.body), nil }
	}
	response, err := c.endpoint.Transport.RoundTrip(r)
	if err != nil {
		a.judgement.outcome, a.unsent = a.transportOutcome(ctx, err)
		return a
	}
	a.response, a.status = response, response.StatusCode
	if err := h.readHead(a); err != nil {
		a.judgement.outcome, _ = a.transportOutcome(ctx, err)
		a.unsent = false
		return a
	}
	a.unpack(h.size)
	a.judgement = judge(q, a.status, a.plain, a.whole && !a.cut)
	if a.judgement.outcome.verdict() == failed {
		a.wait = waitFrom(a.plain, response.Header, time.Now())
	}
	return a
}

// readHead reads the beginning of the body, or all of it if it is short.
func (h *heads) readHead(a *attempt) error {
	a.buffer = h.small.Get().(*buffer)
	filled := 0
	for {
		b := a.buffer.bytes
		n, err := readFull(a.response.Body, b[filled:])
		filled += n
		a.head = b[:filled]
		switch {
		case errors.Is(err, io.EOF):
			a.whole = true
			return nil
		case err != nil:
			return err
		case a.response.ContentLength == int64(filled):
			a.whole = true
			return nil
		case len(b) >= h.size:
			return nil
		}
		large := h.large.Get().(*buffer)
		copy(large.bytes, a.head)
		h.giveBack(a.buffer)
		a.buffer = large
	}
}

// readFull fills b, or says io.EOF if all of the body fits. Unlike io.ReadFull it
// does not mistake the end of a body for one that broke off.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	return n, err
}

// transportOutcome says what an error without an answer means, and whether the
// provider has certainly not seen the request. ctx is the client's, not the
// attempt's.
func (a *attempt) transportOutcome(ctx context.Context, err error) (Outcome, bool) {
	if a.late.Load() {
		return Timeout, false
	}
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Timeout, false
		}
		return Cancelled, false
	}
	if ownFault(err) {
		return Local, true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return Connection, true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return Connection, true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return Connection, true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return Connection, true
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return Timeout, false
	}
	if strings.Contains(err.Error(), "malformed HTTP") {
		return BadResponse, false
	}
	return Connection, false
}

// ownErrors are what the system says when this machine is out of something or has
// no way to anywhere.
var ownErrors = []syscall.Errno{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL,
	syscall.ENETUNREACH, syscall.ENETDOWN,
}

func ownFault(err error) bool {
	for _, no := range ownErrors {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// release ends an attempt whose answer nobody needs any more.
func (h *heads) release(a *attempt) {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.cancel()
	if a.response != nil {
		_ = a.response.Body.Close()
	}
	h.giveBack(a.buffer)
	a.buffer, a.head, a.plain = nil, nil, nil
}
