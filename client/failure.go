package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"syscall"
)

// failure is what an attempt without an answer says about the provider.
type failure int

const (
	// failureOther says nothing about the connection: the caller gave up, his body
	// failed, or the provider took too long. It is the caller's to deal with.
	failureOther failure = iota
	// failureUnsent: there was no connection, so nothing was sent.
	failureUnsent
	// failureBroken: the connection broke before there was an answer. The request
	// may have been carried out.
	failureBroken
	// failureIdle: so did one that had been used before, which says no more than
	// that the provider closes connections that lie idle.
	failureIdle
)

// trace learns how far an attempt got.
type trace struct{ sought, got, reused atomic.Bool }

func (t *trace) into(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { t.sought.Store(true) },
		GotConn: func(i httptrace.GotConnInfo) {
			t.got.Store(true)
			t.reused.Store(i.Reused)
		},
	})
}

// classify says what an error of an attempt means. A timeout of a provider that
// took the request is no matter of connections: whether it is unfit is for the
// controller to say, and the request may well be under way.
func classify(ctx context.Context, t *trace, err error) failure {
	var dial *net.OpError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case ctx.Err() != nil:
		return failureOther
	case errors.As(err, &dial) && dial.Op == "dial", errors.As(err, &dns), t.sought.Load() && !t.got.Load():
		return failureUnsent
	case errors.As(err, &timeout) && timeout.Timeout():
		return failureOther
	case !broken(err):
		return failureOther
	case t.reused.Load():
		return failureIdle
	}
	return failureBroken
}

// broken says whether an error is that of a connection which ended. Two of them
// have no type outside net/http.
func broken(err error) bool {
	var op *net.OpError
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return errors.As(err, &op) ||
		strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "server sent GOAWAY")
}

// idempotent says whether a request may be carried out twice by HTTP's own
// rules.
func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return req.Header.Get("Idempotency-Key") != "" || req.Header.Get("X-Idempotency-Key") != ""
}
