package client_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
)

// dialError is what a host that nobody listens at gives.
type dialError struct{ host string }

func (e *dialError) Error() string { return "dial " + e.host + ": connection refused" }

func (e *dialError) Unwrap() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// body reads what a request brought.
func body(resp *http.Response, err error) (string, error) {
	if err != nil {
		return "", err
	}
	all, err := io.ReadAll(resp.Body)
	return string(all), errors.Join(err, resp.Body.Close())
}
