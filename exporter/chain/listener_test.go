package chain

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// listen starts a server of raw TCP on loopback: each connection is handed over
// and closed when the function returns. The number of the connection begins
// with 1.
func listen(tb testing.TB, talk func(conn *net.TCPConn, number int64)) string {
	tb.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	var talks sync.WaitGroup
	var number atomic.Int64
	ended := make(chan struct{})
	talks.Go(func() {
		for {
			conn, err := on.Accept()
			if err != nil {
				return
			}
			tcp, _ := conn.(*net.TCPConn)
			talks.Go(func() {
				finished := make(chan struct{})
				talks.Go(func() {
					select {
					case <-ended:
					case <-finished:
					}
					_ = conn.Close()
				})
				talk(tcp, number.Add(1))
				close(finished)
			})
		}
	})
	tb.Cleanup(func() {
		close(ended)
		_ = on.Close()
		talks.Wait()
	})
	return "http://" + on.Addr().String()
}

// readRequest reads one request with its body.
func readRequest(r *bufio.Reader) (question, error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return question{}, err
	}
	return readQuestion(req), nil
}

// afterRequest is a server of raw TCP that reads a request and then writes
// something of its own.
func afterRequest(tb testing.TB, then func(conn *net.TCPConn)) string {
	tb.Helper()
	return listen(tb, func(conn *net.TCPConn, _ int64) {
		if _, err := readRequest(bufio.NewReader(conn)); err == nil {
			then(conn)
		}
	})
}

// forever writes a text again and again until the client has gone.
func forever(w io.Writer, start, again string) {
	if _, err := io.WriteString(w, start); err != nil {
		return
	}
	chunk := []byte(strings.Repeat(again, 1+(32<<10)/len(again)))
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// reset ends a connection by an RST.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// ok is a whole answer with status 200.
func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}
