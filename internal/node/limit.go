package node

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

// LimitRate answers in the place of a node, which was stopped, as a provider does
// to whom a client owes money or patience: 429 to everything. The end of it frees
// the address for the node; it comes with the end of the test at the latest, and
// may come twice.
func LimitRate(tb testing.TB, place RPC) (end func()) {
	tb.Helper()
	listener, err := net.Listen("tcp", place.address)
	if err != nil {
		tb.Fatalf("rate limit in the place of a node: %v", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"daily request count exceeded, request rate limited"}}`)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	var closed bool
	end = func() {
		if closed {
			return
		}
		closed = true
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			tb.Errorf("rate limit in the place of a node: %v", err)
		}
	}
	tb.Cleanup(end)
	return end
}
