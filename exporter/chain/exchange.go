package chain

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"
)

// send does the exchange that begin noted.
func (s *Session) send(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	began := time.Now()
	var connecting connecting
	r, err := s.roundTrip(httptrace.WithClientTrace(ctx, connecting.trace()), verb, path, query, body)
	last := s.last()
	last.Latency = time.Since(began) - connecting.took
	last.Status, last.Bytes = r.status, len(r.body)
	s.answered = r
	if err == nil {
		return r, nil
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		f.Status = r.status
		return r, s.fail(f)
	}
	last.Text = shorten(err.Error())
	return r, err
}

// roundTrip is one request with its own deadline.
func (s *Session) roundTrip(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	p := s.provider
	within, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, verb, p.access.address(path, query), bytes.NewReader(body))
	if err != nil {
		return response{}, &Failure{Reason: BadResponse, Text: "the address cannot be asked"}
	}
	p.access.dress(req, body != nil)
	res, err := s.client.Do(req)
	if err != nil {
		if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
			s.expiry = earliestExpiry(bad.UnverifiedCertificates)
		}
		return response{}, classifyTransport(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if expiry := certificateExpiry(res.TLS); !expiry.IsZero() {
		s.expiry = expiry
	}
	r := response{status: res.StatusCode, header: res.Header}
	if r.body, err = readBody(res, s.limit); err != nil {
		if f, ok := errors.AsType[*Failure](err); ok {
			return r, f
		}
		return r, classifyTransport(ctx, err)
	}
	return r, nil
}

// connecting adds up the time that a request waits for connections that come
// about: looking the name up, dialling, the handshake. A wait that ends without a
// connection does not count. It is used from the goroutine of the request only.
type connecting struct {
	since time.Time
	took  time.Duration
}

// trace is how net/http tells.
func (c *connecting) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { c.since = time.Now() },
		GotConn: func(httptrace.GotConnInfo) { c.took += time.Since(c.since) },
	}
}
