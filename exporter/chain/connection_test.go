package chain

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// ways are those in which connections are made: by a transport of each talk, and
// by the client of an http block.
var ways = map[string]func(*config.Chain, *config.Provider){
	"without an http block": func(*config.Chain, *config.Provider) {},
	"with an http block":    func(_ *config.Chain, p *config.Provider) { p.HTTP.BearerToken = "token" },
}

// states are what a server says of its connections.
type states struct {
	mu     sync.Mutex
	of     map[net.Conn]http.ConnState
	change chan struct{}
}

func newStates() *states {
	return &states{of: map[net.Conn]http.ConnState{}, change: make(chan struct{})}
}

// note is for http.Server.ConnState.
func (s *states) note(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[conn] = state
	close(s.change)
	s.change = make(chan struct{})
}

// accepted is how many connections there were.
func (s *states) accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.of)
}

// requireClosed waits until no connection is open.
func (s *states) requireClosed(t *testing.T) {
	t.Helper()
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		s.mu.Lock()
		open := 0
		for _, state := range s.of {
			if state != http.StateClosed {
				open++
			}
		}
		change := s.change
		s.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-change:
		case <-patient.Done():
			t.Fatalf("%d connections are still open", open)
		}
	}
}

// watched is a server on loopback that tells of its connections.
func watched(tb testing.TB, handler http.HandlerFunc) (string, *states) {
	tb.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	seen := newStates()
	server := &http.Server{Handler: handler, ConnState: seen.note}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(on) })
	tb.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	return "http://" + on.Addr().String(), seen
}

func TestEachTalkHasOneConnectionThatEndsWithIt(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"good answers":     say(200, nil, goodBlock),
		"compressed ones":  func(w http.ResponseWriter, r *http.Request) { compressed(w, r, goodBlock) },
		"limits":           say(429, nil, ""),
		"missing blocks":   say(200, nil, `{"id":"$id","result":null}`),
		"refused keys":     say(401, nil, ""),
		"errors of a call": say(200, nil, `{"id":"$id","error":{"code":-32000,"message":"no"}}`),
		"server errors":    say(502, nil, ""),
		"pages of HTML":    say(200, nil, "<html></html>"),
	}
	for name, handler := range answers {
		for way, change := range ways {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				address, seen := watched(t, handler)
				p := evmAt(t, address, change)
				for n := range 3 {
					_, _ = p.Observe(t.Context(), Ask{})
					require.Equal(t, 2*n+1, seen.accepted())
					_, _ = p.Block(t.Context(), 16, false)
					require.Equal(t, 2*n+2, seen.accepted())
					seen.requireClosed(t)
				}
			})
		}
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

// everythingOfEVM answers all questions of a probe well.
func everythingOfEVM(w http.ResponseWriter, r *http.Request) {
	q := readQuestion(r)
	body := map[string]string{
		"eth_chainId": `{"id":"$id","result":"0x1"}`, "eth_syncing": `{"id":"$id","result":false}`,
		"net_peerCount": `{"id":"$id","result":"0x1"}`,
	}[q.Name]
	if body == "" {
		body = goodBlock
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(body, `"$id"`, q.IDs[0]))
}

func TestTheRequestsOfATalkShareAConnection(t *testing.T) {
	t.Parallel()
	for way, change := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			address, seen := watched(t, everythingOfEVM)
			o, err := evmAt(t, address, change).Observe(t.Context(), Ask{Identity: true, Hints: true})
			require.NoError(t, err)
			require.Len(t, o.Exchanges, 4)
			require.Equal(t, 1, seen.accepted())
			seen.requireClosed(t)
		})
	}
}

// A process that no longer listens serves whom it served before, and refuses
// everybody else.
func TestAServerThatNoLongerListensIsSeenToBeDown(t *testing.T) {
	t.Parallel()
	for way, change := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			on, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			server := &http.Server{Handler: say(200, nil, goodBlock)}
			var serving sync.WaitGroup
			serving.Go(func() { _ = server.Serve(on) })
			t.Cleanup(func() {
				_ = server.Close()
				serving.Wait()
			})
			p := evmAt(t, "http://"+on.Addr().String(), change)
			_, err = p.Observe(t.Context(), Ask{})
			require.NoError(t, err)

			// Somebody who was there before is served on.
			old, err := net.Dial("tcp", on.Addr().String())
			require.NoError(t, err)
			t.Cleanup(func() { _ = old.Close() })
			answers := bufio.NewReader(old)
			require.NoError(t, askOver(old, answers))
			require.NoError(t, on.Close())
			require.NoError(t, askOver(old, answers))

			_, err = p.Observe(t.Context(), Ask{})
			requireFailure(t, err, ConnectionRefused)
		})
	}
}

// askOver asks over a connection for a block.
func askOver(conn net.Conn, answers *bufio.Reader) error {
	request, err := http.NewRequest(http.MethodPost, "http://provider.test", strings.NewReader(`{"id":1,"method":"eth_getBlockByNumber"}`))
	if err != nil {
		return err
	}
	if err := request.Write(conn); err != nil {
		return err
	}
	res, err := http.ReadResponse(answers, request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

func TestAnotherAddressBehindTheNameIsFollowed(t *testing.T) {
	t.Parallel()
	for way, change := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			before, seenBefore := watched(t, say(200, nil, goodBlock))
			after, seenAfter := watched(t, say(200, nil, goodBlock))
			p := evmAt(t, "http://provider.test", change)
			var records atomic.Value
			records.Store(before)
			p.http.dial = func(ctx context.Context, network, name string) (net.Conn, error) {
				require.Equal(t, "provider.test:80", name)
				var d net.Dialer
				return d.DialContext(ctx, network, strings.TrimPrefix(records.Load().(string), "http://"))
			}
			for range 2 {
				_, err := p.Observe(t.Context(), Ask{})
				require.NoError(t, err)
			}
			records.Store(after)
			_, err := p.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			require.Equal(t, []int{2, 1}, []int{seenBefore.accepted(), seenAfter.accepted()})
		})
	}
}

// A server ends an idle connection when it likes, which may be while the next
// request of a talk is on its way. That is nobody's failure.
func TestAnIdleConnectionThatTheServerEndedIsNoFailure(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	address := listen(t, func(conn *net.TCPConn, number int64) {
		connections.Store(number)
		r := bufio.NewReader(conn)
		q, err := readRequest(r)
		if err != nil {
			return
		}
		body := goodBlock
		if number > 1 {
			body = `{"id":"$id","result":"0x1"}`
		}
		_, _ = io.WriteString(conn, ok(strings.ReplaceAll(body, `"$id"`, q.IDs[0])))
		// The second request on a connection is read and not answered.
		_, _ = readRequest(r)
	})
	o, err := evmAt(t, address).Observe(t.Context(), Ask{Identity: true})
	require.NoError(t, err)
	require.Len(t, o.Exchanges, 2)
	require.EqualValues(t, 2, connections.Load())
}

// What it takes to connect is another thing than how fast a provider answers.
func TestLatencyLeavesOutWhatItTakesToConnect(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2.0 over TLS"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, seen := overPipes(t, protocol, 2*time.Second, func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(200 * time.Millisecond)
					everythingOfEVM(w, r)
				})
				for range 2 {
					began := time.Now()
					o, err := p.Observe(t.Context(), Ask{Identity: true})
					require.NoError(t, err)
					require.Equal(t, 200*time.Millisecond, o.Latency)
					require.Equal(t, 200*time.Millisecond, o.Exchanges[1].Latency)
					require.Equal(t, 2200*time.Millisecond, o.Exchanges[1].Start)
					require.Equal(t, 2400*time.Millisecond, time.Since(began), "connecting and two answers")
				}
				require.Equal(t, 2, seen.accepted())
				seen.requireClosed(t)
			})
		})
	}
}

func TestConnectingIsWithinTheTimeOfTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, seen := overPipes(t, "HTTP/1.1", 4*time.Second, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			everythingOfEVM(w, r)
		}, within(5*time.Second))
		began := time.Now()
		o, err := p.Observe(t.Context(), Ask{})
		requireFailure(t, err, Timeout)
		require.Equal(t, 5*time.Second, time.Since(began))
		require.Equal(t, time.Second, o.Latency)
		seen.requireClosed(t)
	})
}

// A dial that comes about after the question for which it was made gave up leaves
// nothing open.
func TestAConnectionThatComesTooLateIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := evmAt(t, "http://provider.test", within(5*time.Second))
		ended := make(chan error, 1)
		p.http.dial = func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(6 * time.Second)
			client, server := net.Pipe()
			go func() {
				_, err := server.Read(make([]byte, 1))
				ended <- err
			}()
			return client, nil
		}
		_, err := p.Observe(t.Context(), Ask{})
		requireFailure(t, err, Timeout)
		require.ErrorIs(t, <-ended, io.EOF)
	})
}
