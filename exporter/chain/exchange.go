package chain

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// send does the exchange that begin noted.
func (s *Session) send(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	began := time.Now()
	r, err := s.roundTrip(ctx, verb, path, query, body)
	last := s.last()
	last.Latency = time.Since(began)
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
	// A suspect connection is let go here and not at the failure, since HTTP/2
	// ends a request that ran out of time only after its error was returned.
	res, err := p.http.use().Do(req)
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

// connectionSuspect says whether a failure may come from where the connection
// leads, so that the next request shall look the name up and dial again. A
// provider that deliberately refuses has the right to keep its connection.
func (r Reason) connectionSuspect() bool {
	switch r {
	case RateLimited, QuotaExhausted, Unauthorized, RPCError, Missing, MethodUnsupported, Starting, Syncing, Behind:
		return false
	}
	return true
}
