package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestRequestsGoToTheProviderThatServes(t *testing.T) {
	t.Parallel()
	basic := "Basic bWU6czNjcmV0" // me:s3cret
	for _, test := range []struct {
		name, host, asks, header string
		want, authorization      string
	}{
		{name: "an address without a path", host: "http://node:8332", asks: "http://btc.invalid", want: "http://node:8332"},
		{name: "its root", host: "http://node:8332", asks: "http://btc.invalid/", want: "http://node:8332"},
		{name: "an address with a key in its path", host: "https://x.example/k3y", asks: "http://btc.invalid/", want: "https://x.example/k3y"},
		{name: "an address whose path ends in a slash", host: "https://x.example/k3y/", asks: "http://btc.invalid", want: "https://x.example/k3y/"},
		{name: "a path below it", host: "https://x.example/k3y/", asks: "http://btc.invalid/wallet/getnowblock", want: "https://x.example/k3y/wallet/getnowblock"},
		{name: "a path of its own", host: "https://x.example", asks: "http://btc.invalid/block?height=5", want: "https://x.example/block?height=5"},
		{name: "a slash at the end of the path", host: "https://x.example/a", asks: "http://btc.invalid/b/", want: "https://x.example/a/b/"},
		{name: "a key in its query", host: "https://x.example/v1?key=k", asks: "http://btc.invalid/block?height=5", want: "https://x.example/v1/block?key=k&height=5"},
		{name: "a key in its query alone", host: "https://x.example/v1?key=k", asks: "http://btc.invalid/", want: "https://x.example/v1?key=k"},
		{name: "escapes in either", host: "https://x.example/a%2Fb", asks: "http://btc.invalid/c%2Fd%20e", want: "https://x.example/a%2Fb/c%2Fd%20e"},
		{name: "credentials in its address", host: "http://me:s3cret@node:8332", asks: "http://btc.invalid/", want: "http://node:8332", authorization: basic},
		{name: "credentials of the caller's own are replaced", host: "http://me:s3cret@node:8332", asks: "http://btc.invalid/", header: "Bearer own", want: "http://node:8332", authorization: basic},
		{name: "credentials for elsewhere are taken off", host: "https://x.example/k3y", asks: "http://node:8332/", header: "Basic own", want: "https://x.example/k3y"},
		{name: "credentials for this very host stay", host: "http://NODE:80/p", asks: "http://node/", header: "Basic own", want: "http://NODE:80/p", authorization: "Basic own"},
		{name: "but not over another scheme", host: "http://node:443", asks: "https://node/", header: "Basic own", want: "http://node:443"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := serves(1, 1, "a")
			a.RPCHost = test.host
			rt, p, c := following(t, newFakeController(a), client.TransportOptions{
				Authorize: func(provider string, h http.Header) { h.Set("X-Key", "of "+provider) },
			})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, test.asks, http.NoBody)
			require.NoError(t, err)
			if test.header != "" {
				req.Header.Set("Authorization", test.header)
			}
			resp, err := rt.RoundTrip(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.NoError(t, c.Close())
			sent := p.sent[0]
			require.Equal(t, test.want, sent.URL.String())
			require.Equal(t, sent.URL.Host, sent.Host)
			require.Equal(t, test.authorization, sent.Header.Get("Authorization"))
			require.Equal(t, "of a", sent.Header.Get("X-Key"))
			require.Same(t, req, resp.Request, "the one that was sent holds secrets")
			require.Equal(t, "a", resp.Header.Get(client.ProviderHeader))
			require.Empty(t, req.Header.Get("X-Key"), "the caller's request is untouched")
		})
	}
}

// silent is an error of a provider that takes too long.
type silent struct{}

func (silent) Error() string   { return "timeout awaiting response headers" }
func (silent) Timeout() bool   { return true }
func (silent) Temporary() bool { return true }

var errReset = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

func TestFailuresOfAProvider(t *testing.T) {
	t.Parallel()
	gone, bad := &dialError{host: "a"}, errors.New("tls: handshake of another kind")
	for _, test := range []struct {
		name     string
		fails    func(*http.Request) (*http.Response, error)
		method   string
		stream   bool
		noReplay bool
		// tried are the providers of this request, next those of one after it.
		tried, next []string
		err         string
	}{
		{name: "no connection: a read goes on", fails: fails(gone, false), method: "GET", tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "no connection: a call goes on", fails: fails(gone, false), method: "POST", tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "no connection: so does one that must not be sent twice", fails: fails(gone, false), method: "POST", noReplay: true, tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "no connection: so does one whose body can be read once", fails: fails(gone, false), method: "POST", stream: true, tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "no name: a call goes on", fails: fails(&net.DNSError{Err: "no such host"}, false), method: "POST", noReplay: true, tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "reset: a call goes on", fails: fails(errReset, true), method: "POST", tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "cut off: a call goes on", fails: fails(io.EOF, true), method: "POST", tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "reset: one that must not be sent twice does not", fails: fails(errReset, true), method: "POST", noReplay: true, tried: []string{"a"}, next: []string{"b"}, err: "connection reset"},
		{name: "reset: a read does all the same", fails: fails(errReset, true), method: "GET", noReplay: true, tried: []string{"a", "b"}, next: []string{"b"}},
		{name: "reset: a body that can be read once is gone", fails: fails(errReset, true), method: "POST", stream: true, tried: []string{"a"}, next: []string{"b"}, err: "connection reset"},
		{name: "a timeout is the caller's", fails: fails(silent{}, true), method: "POST", tried: []string{"a"}, next: []string{"a"}, err: "timeout awaiting"},
		{name: "what is not understood is the caller's", fails: fails(bad, true), method: "POST", tried: []string{"a"}, next: []string{"a"}, err: "another kind"},
		{name: "a status 500 is an answer", fails: func(*http.Request) (*http.Response, error) { return response(500, "broken"), nil }, method: "POST", tried: []string{"a"}, next: []string{"a"}},
		{name: "a status 429 is an answer", fails: func(*http.Request) (*http.Response, error) { return response(429, "slower"), nil }, method: "POST", tried: []string{"a"}, next: []string{"a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rt, p, c := following(t, newFakeController(serves(1, 1, "a", "b"), known("a", "b")...), client.TransportOptions{NoReplay: test.noReplay})
				synctest.Wait()
				p.set("a", test.fails)
				var sent io.Reader = strings.NewReader("tx")
				if test.stream {
					sent = io.MultiReader(sent)
				}
				if test.method == http.MethodGet {
					sent = http.NoBody
				}
				req, err := http.NewRequestWithContext(t.Context(), test.method, "http://btc.invalid/", sent)
				require.NoError(t, err)
				text, err := body(rt.RoundTrip(req))
				require.Equal(t, test.tried, p.hosts())
				if test.err != "" {
					require.ErrorContains(t, err, test.err)
					require.ErrorContains(t, err, `chain "btc": provider "a"`)
				} else {
					require.NoError(t, err)
					require.NotEmpty(t, text)
				}
				if len(test.tried) == 2 && test.method == http.MethodPost {
					require.Equal(t, []string{"tx"}, p.received(), "the whole body, once")
				}
				p.set("a", nil)
				_, err = ask(t.Context(), rt)
				require.NoError(t, err)
				require.Equal(t, test.next, p.hosts())
				time.Sleep(16 * time.Second)
				_, err = ask(t.Context(), rt)
				require.NoError(t, err)
				require.Equal(t, []string{"a"}, p.hosts(), "no provider is passed over for ever")
				require.NoError(t, c.Close())
			})
		})
	}
}

// closed tells whether the caller's body was closed.
type closed struct {
	io.Reader
	times int
}

func (c *closed) Close() error { c.times++; return nil }

func TestTheCallersBodyIsClosedOnceWhateverHappens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		a, b func(*http.Request) (*http.Response, error)
	}{
		{"the first answers", nil, nil},
		{"the second answers", refuses, nil},
		{"nobody answers", refuses, refuses},
		{"the connection breaks", fails(errReset, true), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rt, p, c := following(t, newFakeController(serves(1, 1, "a", "b"), known("a", "b")...), client.TransportOptions{})
				synctest.Wait()
				p.set("a", test.a)
				p.set("b", test.b)
				for _, again := range []bool{false, true} {
					sent := &closed{Reader: strings.NewReader("tx")}
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://btc.invalid/", sent)
					require.NoError(t, err)
					if again {
						req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("tx")), nil }
					}
					_, _ = body(rt.RoundTrip(req))
					require.Equal(t, 1, sent.times)
				}
				require.NoError(t, c.Close())
			})
		})
	}
}

func TestWhatTheCallerDoesIsNoProvidersFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt, p, c := following(t, newFakeController(serves(1, 1, "a", "b"), known("a", "b")...), client.TransportOptions{})
		synctest.Wait()

		p.set("a", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, &dialError{host: "a"}
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		_, err := post(ctx, rt, "tx")
		require.Error(t, err)
		require.Equal(t, []string{"a"}, p.hosts(), "he has gone")

		p.set("a", nil)
		broken := io.MultiReader(strings.NewReader("half"), iotestErr{})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://btc.invalid/", broken)
		require.NoError(t, err)
		_, err = rt.RoundTrip(req) //nolint:bodyclose // there is no response
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, []string{"a"}, p.hosts())

		text, err := ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "a", text)
		require.NoError(t, c.Close())
	})
}

// iotestErr is a body that breaks off.
type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWithNobodyLeftAllAreTriedAndNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rt, p, c := following(t, newFakeController(serves(1, 1, "a", "b", "c"), known("a", "b", "c")...), client.TransportOptions{})
		synctest.Wait()
		for _, n := range []string{"a", "b", "c"} {
			p.set(n, refuses)
		}
		for range 3 {
			_, err := ask(t.Context(), rt)
			for _, n := range []string{"a", "b", "c"} {
				require.ErrorContains(t, err, fmt.Sprintf("provider %q", n))
			}
			require.Equal(t, []string{"a", "b", "c"}, p.hosts(), "in the controller's order")
		}
		p.set("c", nil)
		text, err := ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "c", text)
		require.NoError(t, c.Close())
	})
}

func TestAFailureOfAnOlderGenerationSpeaksAgainstNobodyChosenSince(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a", "b"), known("a", "b")...)
		rt, p, c := following(t, f, client.TransportOptions{})
		synctest.Wait()
		late := make(chan struct{})
		p.set("a", func(r *http.Request) (*http.Response, error) {
			<-late
			return refuses(r)
		})
		old := make(chan string)
		go func() {
			text, _ := ask(t.Context(), rt)
			old <- text
		}()
		synctest.Wait()
		f.say(serves(2, 2, "b", "a"))
		time.Sleep(time.Second)
		f.say(serves(3, 3, "a", "b"))
		time.Sleep(time.Second)
		p.set("a", nil)
		close(late)
		require.Equal(t, "b", <-old, "the request itself goes on as its own answer said")
		text, err := ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "a", text)
		require.NoError(t, c.Close())
	})
}

func TestTheLastAnswerIsKeptWhenTheControllerIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a", "b"), known("a", "b")...)
		rt, _, c := following(t, f, client.TransportOptions{})
		require.Zero(t, rt.Status().Age)
		time.Sleep(45 * time.Second)
		require.LessOrEqual(t, rt.Status().Age, 31*time.Second)
		require.NoError(t, rt.Status().Err)
		f.breaks(down)
		time.Sleep(5 * time.Hour)
		text, err := ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "a", text)
		require.Greater(t, rt.Status().Age, 4*time.Hour)
		require.ErrorContains(t, rt.Status().Err, "502")
		f.breaks(nil)
		f.say(serves(2, 2, "b"))
		time.Sleep(16 * time.Second)
		text, err = ask(t.Context(), rt)
		require.NoError(t, err)
		require.Equal(t, "b", text)
		require.NoError(t, rt.Status().Err)
		require.NoError(t, c.Close())
		text, err = ask(t.Context(), rt)
		require.NoError(t, err, "a closed client still serves")
		require.Equal(t, "b", text)
	})
}

func TestWithNobodyServingTheTransportKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeController(serves(1, 1, "a"))
		keeps, _, c := following(t, f, client.TransportOptions{})
		refuses := c.Transport("btc", client.TransportOptions{Base: &fakeProviders{}, RefuseNone: true})
		for _, rt := range []*client.Transport{keeps, refuses} {
			text, err := ask(t.Context(), rt)
			require.NoError(t, err)
			require.Equal(t, "a", text)
		}
		f.say(nobody(2, 1))
		time.Sleep(time.Second)
		require.Equal(t, wire.StateNone, keeps.Status().Active.State)
		text, err := ask(t.Context(), keeps)
		require.NoError(t, err)
		require.Equal(t, "a", text)
		_, err = ask(t.Context(), refuses)
		var none *client.NoProviderError
		require.ErrorAs(t, err, &none)
		require.Equal(t, "all are down", none.Reason)

		lied := nobody(3, 1)
		lied.LastProvider, lied.LastWrong = "a", true
		f.say(lied)
		time.Sleep(time.Second)
		_, err = ask(t.Context(), keeps)
		require.ErrorAs(t, err, &none, "nobody goes on with a provider that serves wrong data")
		require.NoError(t, c.Close())
	})
}

func TestBeforeTheFirstAnswerThereIsATypedError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		says   http.HandlerFunc
		closed bool
		ends   bool
		reason string
		is     error
	}{
		{name: "nobody serves", says: func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusServiceUnavailable, nobody(1, 0))
		}, reason: "all are down"},
		{name: "the controller is down", says: down},
		{name: "no such chain", says: http.NotFound, is: client.ErrUnknownChain},
		{name: "an address that no request can go to", says: func(w http.ResponseWriter, _ *http.Request) {
			a := serves(1, 1, "a")
			a.RPCHost = "ipc:///s3cret"
			answer(w, http.StatusOK, a)
		}},
		{name: "the client is closed", says: down, closed: true, is: client.ErrClosed},
		{name: "the caller has no time", says: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, ends: true, is: context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFakeController(serves(1, 1, "a"))
				f.breaks(test.says)
				c := newClient(t, f, client.Options{})
				if test.closed {
					require.NoError(t, c.Close())
				}
				rt := c.Transport("btc", client.TransportOptions{Base: &fakeProviders{}})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if !test.ends {
					ctx = t.Context()
				}
				_, err := ask(ctx, rt)
				var none *client.NoProviderError
				require.ErrorAs(t, err, &none)
				require.Equal(t, "btc", none.Chain)
				require.Equal(t, test.reason, none.Reason)
				require.NotContains(t, err.Error(), "s3cret")
				require.Equal(t, test.reason == "", none.Err != nil)
				if test.is != nil {
					require.ErrorIs(t, err, test.is)
				}
				require.NoError(t, c.Close())
			})
		})
	}
}
