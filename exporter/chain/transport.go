package chain

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// classifyTransport says what an error without an answer means. ctx is the
// caller's context, not the request's: its cancellation is our own doing.
func classifyTransport(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &NoVerdict{Cause: CauseCancelled, Err: context.Canceled}
	}
	for {
		// A token's request is wrapped within that of the question.
		u, ok := errors.AsType[*url.Error](err)
		if !ok {
			break
		}
		err = u.Err
	}
	if cause, own := ownFault(err); cause != "" {
		return &NoVerdict{Cause: cause, Err: own}
	}
	return &Failure{Reason: transportReason(err), Text: transportText(err)}
}

// exhausted are what the system says when this machine is out of something.
var exhausted = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL}

// networkless are what the system says when this machine has no way to anywhere.
// "No route to host" is not among them: it is what a dead neighbour looks like.
var networkless = []syscall.Errno{syscall.ENETUNREACH, syscall.ENETDOWN}

// ownFault is the cause of a missing verdict and the bare error, if it is this
// machine that cannot reach anything; or "".
func ownFault(err error) (string, error) {
	text := ""
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		// The resolver wraps its own errors as text only.
		text = d.Err
	}
	for _, no := range exhausted {
		if errors.Is(err, no) || strings.Contains(text, no.Error()) {
			return CauseNoResources, no
		}
	}
	for _, no := range networkless {
		if errors.Is(err, no) || strings.Contains(text, no.Error()) {
			return CauseNoNetwork, no
		}
	}
	return "", nil
}

// transportReason classifies an error between us and the provider.
func transportReason(err error) Reason {
	// A DNS error can be a timeout as well; the name is what failed.
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return DNS
	}
	if n, ok := errors.AsType[net.Error](err); (ok && n.Timeout()) || errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	switch {
	case isTLS(err):
		return TLS
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ConnectionReset
	case startsWith(err, "failed to parse Location header"):
		return Redirect
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return ConnectionRefused
	}
	// These have no type: a connection that the server let go, or that HTTP/2
	// gave up.
	if startsWith(innermost(err), "http: server closed idle connection", "http2: ", "stream error: ") {
		return ConnectionReset
	}
	// What is left is an answer that is not HTTP.
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
	// Alerts and most errors of a handshake have no type; the last two are what
	// net/http says when one side speaks TLS and the other does not.
	return startsWith(innermost(err), "tls: ", "x509: ",
		"http: server gave HTTP response to HTTPS client", `malformed HTTP response "\x15\x03`)
}

// startsWith says whether an error begins with one of some words. Only the
// beginning counts, since a provider can write any words into an answer that is
// then repeated.
func startsWith(err error, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(err.Error(), w) })
}

// innermost is the error at the end of a chain.
func innermost(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// transportText is the innermost useful words of a transport error.
func transportText(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	return err.Error()
}

// certificateExpiry is when the provider's certificate stops to be accepted:
// the earliest end in a chain, and of several chains that lead to a trusted
// root the latest, since a server may send an expired cross-signed root along
// that nobody needs. Without verification it is that of the certificate itself.
// Without TLS it is zero.
func certificateExpiry(state *tls.ConnectionState) time.Time {
	var last time.Time
	if state == nil {
		return last
	}
	for _, chain := range state.VerifiedChains {
		if end := earliestExpiry(chain); end.After(last) {
			last = end
		}
	}
	if last.IsZero() && len(state.PeerCertificates) > 0 {
		last = state.PeerCertificates[0].NotAfter
	}
	return last
}

// earliestExpiry is when the first of some certificates ends, or the zero time.
func earliestExpiry(certificates []*x509.Certificate) time.Time {
	var first time.Time
	for _, c := range certificates {
		if first.IsZero() || c.NotAfter.Before(first) {
			first = c.NotAfter
		}
	}
	return first
}
