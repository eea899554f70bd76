package chain

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// closedPort is an address on loopback that nobody listens at.
func closedPort(tb testing.TB) string {
	tb.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	require.NoError(tb, on.Close())
	return "http://" + on.Addr().String()
}

func TestWithoutAnAnswerTheTransportDecides(t *testing.T) {
	t.Parallel()
	const promise = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
	hang := func(conn *net.TCPConn) { _, _ = io.Copy(io.Discard, conn) }
	for _, c := range []struct {
		name    string
		address string
		want    Reason
		text    string
	}{
		{"refused", closedPort(t), ConnectionRefused, "connection refused"},
		{"an unknown name", "http://provider.invalid", DNS, "provider.invalid"},
		{"reset before the request is read", listen(t, func(conn *net.TCPConn, _ int64) { reset(conn) }), ConnectionReset, ""},
		{"reset after the request", afterRequest(t, reset), ConnectionReset, ""},
		{"closed after the request", afterRequest(t, func(*net.TCPConn) {}), ConnectionReset, "EOF"},
		{"reset within the body", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, promise+`{"jsonrpc":`)
			reset(conn)
		}), ConnectionReset, ""},
		{"half a body", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, promise+`{"jsonrpc":"2.0"}`)
		}), ConnectionReset, "unexpected EOF"},
		{"half a header", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nServer: x\r\n")
		}), ConnectionReset, "unexpected EOF"},
		{"half a chunk", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc")
		}), ConnectionReset, "unexpected EOF"},
		{"no HTTP", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
		}), BadResponse, "malformed HTTP"},
		{"words of ours in what is no HTTP", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "network is unreachable, too many open files, tls: x509: \r\n")
		}), BadResponse, "malformed HTTP"},
		{"a length that is none", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n")
		}), BadResponse, "bad Content-Length"},
		{"a redirect to nowhere", afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: http://[x\r\nContent-Length: 0\r\n\r\n")
		}), Redirect, ""},
		{"a header without an end", afterRequest(t, func(conn *net.TCPConn) {
			forever(conn, "HTTP/1.1 200 OK\r\n", "X-Padding: "+strings.Repeat("x", 100)+"\r\n")
		}), BadResponse, "headers exceeded"},
		{"a body without an end", afterRequest(t, func(conn *net.TCPConn) {
			forever(conn, "HTTP/1.1 200 OK\r\n\r\n{", " ")
		}), BadResponse, "longer than 1048576 bytes"},
		{"a body without an end in chunks", afterRequest(t, func(conn *net.TCPConn) {
			forever(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nabcd\r\n")
		}), BadResponse, "longer than 1048576 bytes"},
		{"a body that says it is too long", afterRequest(t, func(conn *net.TCPConn) {
			forever(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", " ")
		}), BadResponse, "longer than 1048576 bytes"},
		{"an answer without TLS where TLS was asked for", "https" + strings.TrimPrefix(serve(t, say(200, nil, "")), "http"), TLS, ""},
		{"words without TLS where TLS was asked for", "https" + strings.TrimPrefix(listen(t, func(conn *net.TCPConn, _ int64) {
			_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
			hang(conn)
		}), "http"), TLS, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := evmAt(t, c.address)
			o, err := p.Observe(t.Context(), Ask{})
			f := requireFailure(t, err, c.want)
			require.Contains(t, f.Text, c.text)
			require.Equal(t, "eth_getBlockByNumber", f.Request)
			require.Len(t, o.Exchanges, 1)
			require.Equal(t, c.want, o.Exchanges[0].Reason)
			require.Equal(t, f.Text, o.Exchanges[0].Text)
			require.False(t, o.HasTip)
		})
	}
}

// piped makes the connections of a provider pipes to a server of a test, which
// work in a bubble of synctest. The server's end is closed when it returns.
func piped(tb testing.TB, p *Provider, talk func(conn net.Conn)) {
	tb.Helper()
	p.http.dial = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			talk(server)
			_ = server.Close()
		}()
		return client, nil
	}
}

func TestTimeEndsARequest(t *testing.T) {
	t.Parallel()
	silent := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	// answering reads the request while it answers.
	answering := func(again string, pause time.Duration) func(conn net.Conn) {
		return func(conn net.Conn) {
			if _, err := readRequest(bufio.NewReader(conn)); err != nil {
				return
			}
			_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			for err == nil {
				time.Sleep(pause)
				_, err = io.WriteString(conn, again)
			}
		}
	}
	for _, c := range []struct {
		name, address string
		talk          func(conn net.Conn)
		caller, want  time.Duration
	}{
		{"nothing comes", "http://provider.test", silent, time.Hour, 5 * time.Second},
		{"the handshake does not come", "https://provider.test", silent, time.Hour, 5 * time.Second},
		{"the body does not come", "http://provider.test", answering("", time.Minute), time.Hour, 5 * time.Second},
		{"the body comes in drops", "http://provider.test", answering(" ", time.Millisecond), time.Hour, 5 * time.Second},
		{"the caller's time is up", "http://provider.test", silent, time.Second, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := evmAt(t, c.address, within(5*time.Second))
				piped(t, p, c.talk)
				ctx, cancel := context.WithTimeout(t.Context(), c.caller)
				defer cancel()
				o, err := p.Observe(ctx, Ask{})
				require.Equal(t, "no answer in time", requireFailure(t, err, Timeout).Text)
				require.Equal(t, c.want, o.Latency)
				// Time for the server to notice.
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

// Each request has its own deadline, whatever those before it took.
func TestTheDeadlineIsPerRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, p := scriptedChain(t, config.EVM, config.EVMRPC)
		s := newScripted(t, c, p, func(q question) given {
			time.Sleep(4 * time.Second)
			if q.Name == "eth_chainId" {
				return given{Body: `{"id":"$id","result":"0x1"}`}
			}
			return given{Body: goodBlock}
		})
		o, err := s.Observe(t.Context(), Ask{Identity: true})
		require.NoError(t, err)
		require.Len(t, o.Exchanges, 2)
		require.Equal(t, 4*time.Second, o.Latency, "the latency is that of the height")
		require.Equal(t, 4*time.Second, o.Exchanges[1].Start)
	})
}

func TestOurOwnFaultsAreNoVerdict(t *testing.T) {
	t.Parallel()
	dial := func(no syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", no)}
	}
	for _, c := range []struct {
		name  string
		err   error
		cause string
	}{
		{"no file descriptors", dial(syscall.EMFILE), CauseNoResources},
		{"none in the whole system", dial(syscall.ENFILE), CauseNoResources},
		{"no buffers", dial(syscall.ENOBUFS), CauseNoResources},
		{"no memory", dial(syscall.ENOMEM), CauseNoResources},
		{"no port", dial(syscall.EADDRNOTAVAIL), CauseNoResources},
		{"no network", dial(syscall.ENETUNREACH), CauseNoNetwork},
		{"the network is down", dial(syscall.ENETDOWN), CauseNoNetwork},
		{"no network to the resolver", &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "dial udp 192.0.2.1:53: connect: network is unreachable", Name: "provider.test", IsTemporary: true,
		}}, CauseNoNetwork},
		{"no file descriptor for the resolver", &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "dial udp 192.0.2.1:53: socket: too many open files", Name: "provider.test", IsTemporary: true,
		}}, CauseNoResources},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chainOf, p := scriptedChain(t, config.EVM, config.EVMRPC)
			s := newScripted(t, chainOf, p, func(question) given { return given{Err: c.err} })
			o, err := s.Observe(t.Context(), Ask{})
			var none *NoVerdict
			require.ErrorAs(t, err, &none)
			require.Equal(t, c.cause, none.Cause)
			require.Contains(t, Causes, none.Cause)
			require.Len(t, o.Exchanges, 1)
			require.Empty(t, o.Exchanges[0].Reason, "no reason against the provider")
			require.NotEmpty(t, o.Exchanges[0].Text)
		})
	}
}

func TestFaultsOfTheWayAreTheProviders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		err  error
		want Reason
	}{
		{"a dead neighbour", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, ConnectionRefused},
		{"a local firewall", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.EPERM)}, ConnectionRefused},
		{"a broken pipe", &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}, ConnectionReset},
		{"a name that is gone", &net.DNSError{Err: "no such host", Name: "provider.test", IsNotFound: true}, DNS},
		{"a resolver that does not answer", &net.DNSError{Err: "i/o timeout", Name: "provider.test", IsTimeout: true}, DNS},
		{"a kernel that gave up connecting", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ETIMEDOUT)}, Timeout},
		{"a stream that HTTP/2 ended", errors.New("stream error: stream ID 3; INTERNAL_ERROR; received from peer"), ConnectionReset},
		{"a connection that HTTP/2 ended", fmt.Errorf("wrapped: %w", errors.New("http2: server sent GOAWAY and closed the connection")), ConnectionReset},
		{"an idle connection that was let go", errors.New("http: server closed idle connection"), ConnectionReset},
		{"an alert", &net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, TLS},
		{"a record that is none", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, TLS},
		{"a token that was not given", &url.Error{Op: "Post", URL: "https://SECRET@token.test/SECRET", Err: errors.New("oauth2: cannot fetch token")}, BadResponse},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chainOf, p := scriptedChain(t, config.EVM, config.EVMRPC)
			s := newScripted(t, chainOf, p, func(question) given { return given{Err: c.err} })
			_, err := s.Observe(t.Context(), Ask{})
			f := requireFailure(t, err, c.want)
			require.NotContains(t, f.Error(), "SECRET")
		})
	}
}

func TestACancelledQuestionIsNoVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		talk func(conn *net.TCPConn, cancel func())
	}{
		{"before the answer", func(conn *net.TCPConn, cancel func()) { cancel(); _, _ = io.Copy(io.Discard, conn) }},
		{"within the answer", func(conn *net.TCPConn, cancel func()) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{")
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := func() { cancel(errors.New("the configuration changed")) }
			p := evmAt(t, afterRequest(t, func(conn *net.TCPConn) { c.talk(conn, stop) }))
			o, err := p.Observe(ctx, Ask{})
			var none *NoVerdict
			require.ErrorAs(t, err, &none)
			require.Equal(t, CauseCancelled, none.Cause)
			require.ErrorIs(t, err, context.Canceled)
			require.Empty(t, o.Exchanges[0].Reason)
		})
	}
	t.Run("before it was asked", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := evmAt(t, closedPort(t)).Observe(ctx, Ask{})
		var none *NoVerdict
		require.ErrorAs(t, err, &none)
	})
}
