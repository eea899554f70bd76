package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
)

// overNetwork makes a client and a controller that name real servers.
func overNetwork(t *testing.T, urls map[string]string, active string, fallbacks ...string) (*client.Client, *fakeController, func(index uint64, name string, fallbacks ...string) wire.Active) {
	t.Helper()
	about := func(index uint64, name string, fallbacks ...string) wire.Active {
		a := serves(index, index, name, fallbacks...)
		a.RPCHost = urls[name]
		return a
	}
	var providers []wire.Provider
	for name, u := range urls {
		providers = append(providers, wire.Provider{Name: name, Type: "bitcoin-rpc", RPCHost: u})
	}
	f := newFakeController(about(1, active, fallbacks...), providers...)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	c, err := client.New(client.Options{URL: server.URL})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c, f, about
}

// listen serves each connection by hand.
func listen(t *testing.T, serve func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				serve(conn, bufio.NewReader(conn))
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// read takes one request off a connection.
func read(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// nowhere is an address at which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// untilFallback waits until the transport knows where its fallback is.
func untilFallback(t *testing.T, rt *client.Transport) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := post(t.Context(), rt, "tx")
		return err == nil && text == "b"
	}, 10*time.Second, 10*time.Millisecond)
}

func TestARefusedConnectionOverTheNetworkGoesOn(t *testing.T) {
	t.Parallel()
	b := httptest.NewServer(says("b"))
	t.Cleanup(b.Close)
	c, _, _ := overNetwork(t, map[string]string{"a": nowhere(t), "b": b.URL}, "a", "b")
	rt := c.Transport("btc", client.TransportOptions{NoReplay: true})
	untilFallback(t, rt)
}

func TestAHandshakeThatFailsOverTheNetworkGoesOn(t *testing.T) {
	t.Parallel()
	b := httptest.NewServer(says("b"))
	t.Cleanup(b.Close)
	plain := httptest.NewServer(says("a"))
	t.Cleanup(plain.Close)
	c, _, _ := overNetwork(t, map[string]string{"a": "https" + plain.URL[len("http"):], "b": b.URL}, "a", "b")
	rt := c.Transport("btc", client.TransportOptions{NoReplay: true})
	untilFallback(t, rt)
}

func TestAConnectionThatBreaksOverTheNetworkGoesOnIfItMay(t *testing.T) {
	t.Parallel()
	b := httptest.NewServer(says("b"))
	t.Cleanup(b.Close)
	a := listen(t, func(_ net.Conn, r *bufio.Reader) { read(r) })
	c, _, _ := overNetwork(t, map[string]string{"a": a, "b": b.URL}, "a", "b")
	untilFallback(t, c.Transport("btc", client.TransportOptions{}))
	_, err := post(t.Context(), c.Transport("btc", client.TransportOptions{NoReplay: true}), "tx")
	require.ErrorContains(t, err, `provider "a"`)
}

// A daemon closes connections that lie idle. The call that finds that out must
// not go to another provider, which would then have the next nonce to give.
func TestAnIdleConnectionThatWasClosedIsNoReasonToSwitch(t *testing.T) {
	t.Parallel()
	b := httptest.NewServer(says("b"))
	t.Cleanup(b.Close)
	a := listen(t, func(conn net.Conn, r *bufio.Reader) {
		if !read(r) {
			return
		}
		_, _ = fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
		// The second request on this connection is taken and left without an answer.
		read(r)
	})
	c, _, _ := overNetwork(t, map[string]string{"a": a, "b": b.URL}, "a", "b")
	rt := c.Transport("btc", client.TransportOptions{})
	for range 20 {
		text, err := post(t.Context(), rt, "tx")
		require.NoError(t, err)
		require.Equal(t, "a", text)
	}
}

func TestAnAnswerThatHasBegunIsNeverSwitched(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	release := sync.OnceFunc(func() { close(more) })
	a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "a1 ")
		w.(http.Flusher).Flush()
		<-more
		_, _ = fmt.Fprint(w, "a2")
	}))
	t.Cleanup(a.Close)
	t.Cleanup(release)
	b := httptest.NewServer(says("b"))
	t.Cleanup(b.Close)
	c, f, about := overNetwork(t, map[string]string{"a": a.URL, "b": b.URL}, "a")
	rt := c.Transport("btc", client.TransportOptions{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://btc.invalid/", http.NoBody)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	f.say(about(2, "b"))
	require.Eventually(t, func() bool { return rt.Status().Active.Index == 2 }, time.Minute, 10*time.Millisecond)
	text, err := ask(t.Context(), rt)
	require.NoError(t, err)
	require.Equal(t, "b", text)
	release()
	text, err = body(resp, nil)
	require.NoError(t, err)
	require.Equal(t, "a1 a2", text)
}

func TestWhereNobodyListensAnErrorIsWhatNetHTTPGives(t *testing.T) {
	t.Parallel()
	c, _, _ := overNetwork(t, map[string]string{"a": nowhere(t)}, "a")
	_, err := ask(context.Background(), c.Transport("btc", client.TransportOptions{}))
	require.ErrorContains(t, err, "connect: connection refused", "callers look for these words to try again")
}
