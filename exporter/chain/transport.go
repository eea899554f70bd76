package chain

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	commoncfg "github.com/prometheus/common/config"
	"github.com/prometheus/common/version"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// idleTimeout ends idle connections, so that a provider that moved to
	// another address is not held on to for hours.
	idleTimeout = 90 * time.Second
	// maxRedirects bounds redirects within the same host.
	maxRedirects = 3
)

// newHTTPClient makes the client of one provider from its http block.
func newHTTPClient(p config.Provider, timeout time.Duration) (*http.Client, error) {
	dialer := &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}
	client, err := commoncfg.NewClientFromConfig(p.HTTP, "provider",
		commoncfg.WithIdleConnTimeout(idleTimeout),
		commoncfg.WithUserAgent("understudy/"+version.Version),
		commoncfg.WithDialContextFunc(dialer.DialContext))
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	client.CheckRedirect = staysOnHost
	return client, nil
}

// staysOnHost follows a redirect only within the same scheme and host: another
// host would receive what was meant for the provider, credentials included. Any
// other redirect is handed back as the answer, whose status classifies it.
func staysOnHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects ||
		next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// classifyTransport says what an error without an answer means. ctx is the
// caller's context, not the request's: its cancellation is our own doing.
func classifyTransport(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.Canceled) || errors.Is(ctx.Err(), context.Canceled) {
		return &NoVerdict{Cause: CauseCancelled, Err: context.Canceled}
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if cause := ownFault(err); cause != "" {
		return &NoVerdict{Cause: cause, Err: err}
	}
	return &Failure{Reason: transportReason(err), Text: transportText(err)}
}

// ownFault is the cause of a missing verdict if it is this machine that cannot
// reach anything, or "".
func ownFault(err error) string {
	for _, no := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, no) {
			return CauseNoResources
		}
	}
	// The resolver wraps its own dial errors as text only.
	if errors.Is(err, syscall.ENETUNREACH) || strings.Contains(err.Error(), "network is unreachable") {
		return CauseNoNetwork
	}
	return ""
}

// transportReason classifies an error between us and the provider.
func transportReason(err error) Reason {
	// A DNS error can be a timeout as well; the name is what failed.
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return DNS
	}
	if isTLS(err) {
		return TLS
	}
	if n, ok := errors.AsType[net.Error](err); (ok && n.Timeout()) || errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ConnectionReset
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return ConnectionRefused
	}
	// What is left is an answer that is not HTTP ("malformed HTTP response",
	// a plain-text server on a TLS port).
	return BadResponse
}

// isTLS says whether the handshake or the certificate failed.
func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "TLS handshake")
}

// transportText is the innermost useful words of a transport error.
func transportText(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

// earliestExpiry is when the first of the provider's certificates ends, or the
// zero time.
func earliestExpiry(state *tls.ConnectionState) time.Time {
	var first time.Time
	if state == nil {
		return first
	}
	for _, c := range state.PeerCertificates {
		if first.IsZero() || c.NotAfter.Before(first) {
			first = c.NotAfter
		}
	}
	return first
}
