package chain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
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

func TestTimeEndsARequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		talk func(conn *net.TCPConn)
	}{
		{"nothing comes", func(conn *net.TCPConn) { _, _ = io.Copy(io.Discard, conn) }},
		{"the body does not come", func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
			_, _ = io.Copy(io.Discard, conn)
		}},
		{"the body comes in drops", func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			for {
				if _, err := io.WriteString(conn, " "); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := evmAt(t, afterRequest(t, c.talk), within(50*time.Millisecond))
			_, err := p.Observe(t.Context(), Ask{})
			require.Equal(t, "no answer in time", requireFailure(t, err, Timeout).Text)
		})
	}
	t.Run("the handshake does not come", func(t *testing.T) {
		t.Parallel()
		address := listen(t, func(conn *net.TCPConn, _ int64) { _, _ = io.Copy(io.Discard, conn) })
		p := evmAt(t, "https"+strings.TrimPrefix(address, "http"), within(50*time.Millisecond))
		_, err := p.Observe(t.Context(), Ask{})
		requireFailure(t, err, Timeout)
	})
	t.Run("the caller's time is up", func(t *testing.T) {
		t.Parallel()
		p := evmAt(t, afterRequest(t, func(conn *net.TCPConn) { _, _ = io.Copy(io.Discard, conn) }))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := p.Observe(ctx, Ask{})
		requireFailure(t, err, Timeout)
	})
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

// zipped is a text compressed.
func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

func TestCompressedAnswers(t *testing.T) {
	t.Parallel()
	bomb := zipped(strings.Repeat(" ", 1<<20))
	empty := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // the header of a stream
	block := "\x00\x00\x00\xff\xff"                     // a block of no bytes
	const body = `{"id":"$id","result":"0x1"}`
	for _, c := range []struct {
		name, encoding string
		body           func(string) string
		want           Reason
		text           string
	}{
		{"plain", "", func(s string) string { return s }, "", ""},
		{"identity", "identity", func(s string) string { return s }, "", ""},
		{"gzip", "gzip", zipped, "", ""},
		{"gzip in large letters", "GZIP", zipped, "", ""},
		{"gzip in two members", "gzip", func(s string) string { return zipped(s[:5]) + zipped(s[5:]) }, "", ""},
		{"a bomb", "gzip", func(string) string { return strings.Repeat(bomb, 500) }, BadResponse, "longer than 1048576 bytes"},
		{"blocks of no bytes without an end", "gzip", func(string) string { return empty + strings.Repeat(block, 1<<18) }, BadResponse, "longer than 1048576 bytes"},
		{"members of no bytes without an end", "gzip", func(string) string { return strings.Repeat(zipped(""), 1<<16) }, BadResponse, "longer than 1048576 bytes"},
		{"no gzip", "gzip", func(s string) string { return s }, BadResponse, "gzip: invalid header"},
		{"damage", "gzip", func(s string) string { z := []byte(zipped(s)); z[12] ^= 0xff; return string(z) }, BadResponse, "broken"},
		{"a wrong checksum", "gzip", func(s string) string { z := []byte(zipped(s)); z[len(z)-6] ^= 0xff; return string(z) }, BadResponse, "gzip: invalid checksum"},
		{"half of it, whole on the way", "gzip", func(s string) string { return zipped(s)[:20] }, BadResponse, "broken"},
		{"half a header of it", "gzip", func(string) string { return empty[:5] }, BadResponse, "broken"},
		{"nothing", "gzip", func(string) string { return "" }, BadResponse, "empty body"},
		{"an encoding that was not asked for", "br", func(s string) string { return s }, BadResponse, "not asked for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := evmAt(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				require.Equal(t, []string{"gzip"}, r.Header["Accept-Encoding"])
				if c.encoding != "" {
					w.Header().Set("Content-Encoding", c.encoding)
				}
				_, _ = io.WriteString(w, c.body(strings.ReplaceAll(body, `"$id"`, readQuestion(r).IDs[0])))
			}))
			raw, err := p.session().CallRaw(t.Context(), "eth_chainId", nil)
			if c.want == "" {
				require.NoError(t, err)
				require.Equal(t, `"0x1"`, string(raw))
				return
			}
			require.Contains(t, requireFailure(t, err, c.want).Text, c.text)
		})
	}
}

func TestACompressedBodyThatEndsOnTheWayIsAReset(t *testing.T) {
	t.Parallel()
	p := evmAt(t, afterRequest(t, func(conn *net.TCPConn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n"+zipped("{}")[:15])
	}))
	_, err := p.Observe(t.Context(), Ask{})
	requireFailure(t, err, ConnectionReset)
}

// A whole block may be longer than other answers.
func TestTheBoundForBlocksIsHigher(t *testing.T) {
	t.Parallel()
	padding := strings.Repeat(" ", 2*maxBody)
	p := evmAt(t, serve(t, say(200, nil, goodBlock+padding)))
	_, err := p.Observe(t.Context(), Ask{})
	requireFailure(t, err, BadResponse)
	_, err = p.Block(t.Context(), 16, true)
	require.NoError(t, err)

	p = evmAt(t, serve(t, say(200, nil, goodBlock+strings.Repeat(" ", maxBlockBody))))
	_, err = p.Block(t.Context(), 16, true)
	require.Contains(t, requireFailure(t, err, BadResponse).Text, "longer than 8388608 bytes")
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

func TestConnectionsAreKeptAfterAnswers(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"good answers":     say(200, nil, goodBlock),
		"compressed ones":  func(w http.ResponseWriter, r *http.Request) { compressed(w, r, goodBlock) },
		"limits":           say(429, nil, ""),
		"missing blocks":   say(200, nil, `{"id":"$id","result":null}`),
		"unknown methods":  say(404, nil, `{"id":"$id","error":{"code":-32601,"message":"no"}}`),
		"refused keys":     say(401, nil, ""),
		"spent quotas":     say(402, nil, ""),
		"errors of a call": say(200, nil, `{"id":"$id","error":{"code":-32000,"message":"no"}}`),
	}
	for name, handler := range answers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, accepted := counted(t, handler)
			p := evmAt(t, address)
			for range 3 {
				_, _ = p.Observe(t.Context(), Ask{})
			}
			require.EqualValues(t, 1, accepted.Load())
		})
	}
}

// compressed answers with a body in gzip.
func compressed(w http.ResponseWriter, r *http.Request, body string) {
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = io.WriteString(w, zipped(strings.ReplaceAll(body, `"$id"`, readQuestion(r).IDs[0])))
}

// hangs reads a request and never answers.
func hangs(_ http.ResponseWriter, r *http.Request) {
	_ = readQuestion(r)
	<-r.Context().Done()
}

func TestAfterAFailureTheNextRequestDialsAnew(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		bad  http.HandlerFunc
		want Reason
	}{
		{"an error of the server", say(502, nil, ""), HTTP5xx},
		{"a page of HTML", say(200, nil, "<html></html>"), BadResponse},
		{"an address that is not there", say(404, nil, ""), HTTP4xx},
		{"a redirect", say(302, map[string]string{"Location": "http://elsewhere.invalid"}, ""), Redirect},
		{"no answer in time", hangs, Timeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			good := say(200, nil, goodBlock)
			var handler atomic.Pointer[http.HandlerFunc]
			handler.Store(&good)
			address, accepted := counted(t, func(w http.ResponseWriter, r *http.Request) { (*handler.Load())(w, r) })
			var change []func(*config.Chain, *config.Provider)
			if c.want == Timeout {
				change = append(change, within(200*time.Millisecond))
			}
			p := evmAt(t, address, change...)
			ask := func() error { _, err := p.Observe(t.Context(), Ask{}); return err }
			require.NoError(t, ask())
			require.NoError(t, ask())
			require.EqualValues(t, 1, accepted.Load())
			handler.Store(&c.bad)
			requireFailure(t, ask(), c.want)
			handler.Store(&good)
			require.NoError(t, ask())
			require.EqualValues(t, 2, accepted.Load(), "the connection of before is not used again")
			require.NoError(t, ask())
			require.EqualValues(t, 2, accepted.Load())
		})
	}
}

// A server ends an idle connection when it likes, which may be while the next
// request is on its way. That is nobody's failure.
func TestAnIdleConnectionThatTheServerEndedIsNoFailure(t *testing.T) {
	t.Parallel()
	address := listen(t, func(conn *net.TCPConn, number int64) {
		r := bufio.NewReader(conn)
		q, err := readRequest(r)
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, ok(strings.ReplaceAll(goodBlock, `"$id"`, q.IDs[0])))
		if number > 1 {
			_, _ = io.Copy(io.Discard, conn)
			return
		}
		// The second request on the first connection is read and not answered.
		_, _ = readRequest(r)
	})
	p := evmAt(t, address)
	for range 2 {
		o, err := p.Observe(t.Context(), Ask{})
		require.NoError(t, err)
		require.Len(t, o.Exchanges, 1)
	}
}
