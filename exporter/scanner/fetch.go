package scanner

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/prometheus/common/version"
)

const (
	// timeout is that of a whole poll.
	timeout = time.Minute
	// maxBody bounds an answer.
	maxBody = 4 << 20
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// maxRedirects bounds redirects within the same host.
	maxRedirects = 3
	// idleTimeout ends idle connections, so that a source that moved to another
	// address is not held on to.
	idleTimeout = 90 * time.Second
)

// newClient makes the client that all sources share. It compresses nothing, so
// that the bound on an answer is one on memory as well.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: timeout}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableCompression: true, IdleConnTimeout: idleTimeout,
			MaxResponseHeaderBytes: maxHeader, TLSHandshakeTimeout: timeout, ForceAttemptHTTP2: true,
		},
		CheckRedirect: staysOnHost,
	}
}

// staysOnHost follows a redirect only within the same scheme and host: another
// host would receive what was meant for the source, credentials included. Any
// other is handed back as the answer.
func staysOnHost(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || next.URL.Host != via[0].URL.Host || next.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// fetch gets an address. Its failures hold nothing of it.
func fetch(ctx context.Context, client *http.Client, address string) ([]byte, *Failure) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fail(Unreachable, "the address cannot be asked")
	}
	req.Header.Set("Accept", "application/json, text/plain;version=0.0.4;q=0.9")
	req.Header.Set("User-Agent", "understudy/"+version.Version)
	res, err := client.Do(req)
	if err != nil {
		return nil, transportFailure(err)
	}
	defer func() { _ = res.Body.Close() }()
	switch {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, fail(Redirect, "HTTP %d: only redirects within the host are followed", res.StatusCode)
	case res.StatusCode != http.StatusOK:
		return nil, fail(HTTPStatus, "HTTP %d", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, transportFailure(err)
	case len(body) > maxBody:
		return nil, fail(TooLong, "the answer is longer than %d bytes", maxBody)
	}
	return body, nil
}

// transportFailure is what an error between us and the source means. Of its
// words only those of the network are kept, which name no more than the host.
func transportFailure(err error) *Failure {
	if errors.Is(err, context.DeadlineExceeded) {
		return fail(Timeout, "no answer within %s", timeout)
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return fail(Timeout, "no answer in time")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fail(Unreachable, "the certificate cannot be verified")
	}
	if o, ok := errors.AsType[*net.OpError](err); ok {
		return fail(Unreachable, "%s", o)
	}
	return fail(Unreachable, "the connection broke, or the answer is not HTTP")
}
