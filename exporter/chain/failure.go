package chain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reason is the class of a failure; its text is the value of the label reason.
type Reason string

// The reasons. Their order is that of Reasons.
const (
	ConnectionRefused Reason = "connection_refused"
	ConnectionReset   Reason = "connection_reset"
	DNS               Reason = "dns"
	TLS               Reason = "tls"
	Timeout           Reason = "timeout"
	HTTP4xx           Reason = "http_4xx"
	HTTP5xx           Reason = "http_5xx"
	Redirect          Reason = "redirect"
	RateLimited       Reason = "rate_limited"
	QuotaExhausted    Reason = "quota_exhausted"
	IPBlocked         Reason = "ip_blocked"
	Unauthorized      Reason = "unauthorized"
	RPCError          Reason = "rpc_error"
	// Busy: the node is overloaded right now.
	Busy Reason = "busy"
	// Starting: the node is up but not ready.
	Starting Reason = "starting"
	Syncing  Reason = "syncing"
	// Behind: the node says so itself.
	Behind Reason = "behind"
	// Missing: null or not found for a height that the provider announced.
	Missing           Reason = "missing"
	MethodUnsupported Reason = "method_unsupported"
	// BadResponse: the answer is not what the protocol allows.
	BadResponse  Reason = "bad_response"
	WrongNetwork Reason = "wrong_network"
)

// Reasons are all reasons, so that each has a series from the start.
var Reasons = []Reason{
	ConnectionRefused, ConnectionReset, DNS, TLS, Timeout, HTTP4xx, HTTP5xx,
	Redirect, RateLimited, QuotaExhausted, IPBlocked, Unauthorized, RPCError,
	Busy, Starting, Syncing, Behind, Missing, MethodUnsupported, BadResponse,
	WrongNetwork,
}

// MaxWait caps how long a provider may ask to be left alone, so that a wrong
// header cannot silence a provider for ever.
const MaxWait = time.Hour

// Failure is a provider's fault, classified. Its text holds no secret of the
// provider's URL.
type Failure struct {
	Reason Reason
	// Request names what was asked: a method, or a verb with a path pattern.
	Request string
	// Status is the HTTP status; 0 if there was no answer.
	Status int
	// Code is the error code in the body, if there was one.
	Code Optional[int64]
	// Text is what the provider or the transport said, shortened.
	Text string
	// Wait is how long the provider asks to be left alone, at most MaxWait;
	// 0 if it does not say.
	Wait time.Duration
}

// Error names the request, the class and the provider's own words.
func (f *Failure) Error() string {
	var b strings.Builder
	if f.Request != "" {
		b.WriteString(f.Request + ": ")
	}
	b.WriteString(string(f.Reason))
	if f.Status != 0 {
		fmt.Fprintf(&b, ", HTTP %d", f.Status)
	}
	if f.Code.Known {
		fmt.Fprintf(&b, ", code %d", f.Code.Value)
	}
	if f.Text != "" {
		b.WriteString(": " + f.Text)
	}
	if f.Wait > 0 {
		fmt.Fprintf(&b, " (asks to wait %s)", f.Wait)
	}
	return b.String()
}

// NoVerdict says that a question ended on our own side: cancelled, no network,
// no file descriptors. It must not move any state of the provider.
type NoVerdict struct {
	// Cause is cancelled, no_network, no_resources or panic.
	Cause string
	Err   error
}

// The causes of a missing verdict.
const (
	CauseCancelled   = "cancelled"
	CauseNoNetwork   = "no_network"
	CauseNoResources = "no_resources"
	CausePanic       = "panic"
)

// Causes are all causes of a missing verdict.
var Causes = []string{CauseCancelled, CauseNoNetwork, CauseNoResources, CausePanic}

// Error names the cause.
func (n *NoVerdict) Error() string { return fmt.Sprintf("no verdict (%s): %v", n.Cause, n.Err) }

// Unwrap is the error behind it.
func (n *NoVerdict) Unwrap() error { return n.Err }

// reasonOf is the reason of an error that is a *Failure, or "".
func reasonOf(err error) Reason {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Reason
	}
	return ""
}
