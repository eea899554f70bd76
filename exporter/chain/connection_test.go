package chain

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

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

// A provider that moved to another address must not be held on to for hours.
func TestIdleConnectionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := evmAt(t, "http://provider.test")
		dials := 0
		piped(t, p, func(conn net.Conn) {
			dials++
			r := bufio.NewReader(conn)
			for {
				q, err := readRequest(r)
				if err != nil {
					return
				}
				_, _ = io.WriteString(conn, ok(strings.ReplaceAll(goodBlock, `"$id"`, q.IDs[0])))
			}
		})
		for _, c := range []struct {
			pause time.Duration
			want  int
		}{{0, 1}, {idleTimeout - time.Second, 1}, {idleTimeout - time.Second, 1}, {idleTimeout + time.Second, 2}} {
			time.Sleep(c.pause)
			_, err := p.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			require.Equal(t, c.want, dials)
			synctest.Wait()
		}
		p.Close()
	})
}
