package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// listener reads a stream in the background.
type listener struct {
	*httptest.ResponseRecorder
	mu     sync.Mutex
	text   strings.Builder
	cancel context.CancelFunc
	done   chan struct{}
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take is what has come since the last call.
func (l *listener) take() string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// leave ends the stream as a caller does who goes.
func (l *listener) leave() {
	l.cancel()
	<-l.done
}

// listen opens a stream.
func listen(t *testing.T, a http.Handler, path string, headers ...string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &listener{ResponseRecorder: httptest.NewRecorder(), cancel: cancel, done: make(chan struct{})}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	r.Host = "localhost"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		defer close(l.done)
		a.ServeHTTP(l, r)
	}()
	synctest.Wait()
	return l
}

// told is one event of a stream.
type told struct{ id, kind, data string }

// events are what has come since the last call.
func (l *listener) events(t *testing.T) []told {
	t.Helper()
	return l.parsed(t, l.take())
}

// parsed are the events of a text.
func (l *listener) parsed(t *testing.T, text string) []told {
	t.Helper()
	var events []told
	for block := range strings.SplitSeq(text, "\n\n") {
		var e told
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				e.data = value
			case "retry", "":
			default:
				require.Fail(t, "unknown line", line)
			}
		}
		if e != (told{}) {
			events = append(events, e)
		}
	}
	return events
}

// dataOf is the data of an event of a kind.
func dataOf[T any](t *testing.T, e told, kind string) T {
	t.Helper()
	require.Equal(t, kind, e.kind, e.data)
	var v T
	d := json.NewDecoder(strings.NewReader(e.data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v))
	return v
}

func TestAStreamBeginsWithWhoServesAndGoesOnWithChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		s := listen(t, a, "/events")
		require.Equal(t, "text/event-stream", s.Header().Get("Content-Type"))
		require.True(t, s.Flushed)
		first := s.events(t)
		require.Len(t, first, 2)
		require.Equal(t, "eth", dataOf[wire.Active](t, first[0], EventActive).Chain, "in the order of the indexes")
		require.Equal(t, "btc", dataOf[wire.Active](t, first[1], EventActive).Chain)
		require.Equal(t, []string{"41", "42"}, []string{first[0].id, first[1].id})

		v.grow("btc", 884214)
		require.Empty(t, s.events(t), "a height is no news")

		v.set(active("btc", "blockchair"))
		next := s.events(t)
		require.Len(t, next, 1)
		require.Equal(t, "43", next[0].id)
		require.Equal(t, "blockchair", *dataOf[wire.Active](t, next[0], EventActive).Provider)
		s.leave()
	})
}

func TestAStreamTellsOfStatusesAndAlerts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		s := listen(t, newAPI(t, v, Options{}), "/events?chain=btc")
		require.Len(t, s.events(t), 1, "of one chain only")

		v.edit("btc", func(c *wire.Chain) { c.Providers[1].Status, c.Providers[1].Alerts = wire.StatusRecovering, nil })
		events := s.events(t)
		require.Len(t, events, 2)
		change := dataOf[StatusChange](t, events[0], EventStatus)
		require.Equal(t, "btc", change.Chain)
		require.Equal(t, wire.StatusRecovering, change.Provider.Status)
		require.Equal(t, "42", events[0].id)
		ended := dataOf[AlertChange](t, events[1], EventAlert)
		require.Equal(t, AlertChange{"btc", "quicknode", AlertResolved, details(active("btc", "x")).Providers[1].Alerts[0]}, ended)

		stalled := wire.Alert{Name: "ChainTipStalled", Source: "local", Since: dawn, Summary: "btc stands still"}
		v.edit("btc", func(c *wire.Chain) { c.Alerts = []wire.Alert{stalled} })
		events = s.events(t)
		require.Len(t, events, 1)
		require.Equal(t, AlertChange{"btc", "", AlertFiring, stalled}, dataOf[AlertChange](t, events[0], EventAlert))

		v.edit("btc", func(c *wire.Chain) {
			height := uint64(1)
			c.Providers[0].BlockHeight, c.Providers[0].ErrorsTotal, c.Alerts[0].Description = &height, 12, "another number"
		})
		require.Empty(t, s.events(t), "what changes from probe to probe is no news")

		v.edit("btc", func(c *wire.Chain) { c.Alerts[0].Counts = true })
		require.True(t, dataOf[AlertChange](t, s.events(t)[0], EventAlert).Alert.Counts)

		v.edit("eth", func(c *wire.Chain) { c.Providers[0].Status = wire.StatusUnhealthy })
		v.set(active("eth", "alchemy"))
		require.Empty(t, s.events(t))
		v.remove("btc")
		gone := s.events(t)
		last := dataOf[wire.Active](t, gone[len(gone)-1], EventActive)
		require.Equal(t, wire.StateNone, last.State)
		require.Equal(t, "local-daemon", last.LastProvider)
		s.leave()
	})
}

func TestAStreamGoesOnWhereItsReaderWas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		s := listen(t, a, "/events", "Last-Event-ID", "42")
		require.Empty(t, s.events(t), "nothing has changed since")
		s.leave()

		v.set(active("eth", "alchemy"))
		for _, s := range []*listener{listen(t, a, "/events", "Last-Event-ID", "42"), listen(t, a, "/events?index=42")} {
			var kinds []string
			events := s.events(t)
			for _, e := range events {
				kinds = append(kinds, e.kind)
				require.Contains(t, e.data, `"chain":"eth"`)
			}
			require.Equal(t, []string{EventStatus, EventStatus, EventAlert, EventActive}, kinds)
			require.Equal(t, []string{"42", "43"}, []string{events[0].id, events[3].id}, "who breaks off before the last one is told again")
			s.leave()
		}
		for _, id := range []string{"0", "999", "-1", "x"} {
			s := listen(t, a, "/events", "Last-Event-ID", id)
			require.Len(t, s.events(t), 2, "%s is no index of ours", id)
			s.leave()
		}
	})
}

func TestWhoComesBackIsToldWhichChainsHaveLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		s := listen(t, a, "/events")
		s.leave()
		v.remove("eth")
		s = listen(t, a, "/events", "Last-Event-ID", "42")
		events := s.events(t)
		require.Len(t, events, 1)
		gone := dataOf[wire.Active](t, events[0], EventActive)
		require.Equal(t, "eth", gone.Chain)
		require.Equal(t, wire.StateNone, gone.State)
		require.Equal(t, "infura", gone.LastProvider)
		require.Equal(t, "43", events[0].id)
		s.leave()
		s = listen(t, a, "/events")
		require.Len(t, s.events(t), 1, "a new caller is told of the chains that there are")
		s.leave()
		s = listen(t, a, "/events", "Last-Event-ID", "43")
		require.Empty(t, s.events(t), "who has been told is not told again")
		v.set(active("eth", "alchemy"))
		require.NotEmpty(t, s.events(t))
		s.leave()
		s = listen(t, a, "/events", "Last-Event-ID", "42")
		require.NotContains(t, s.take(), wire.StateNone, "it is there again")
		s.leave()
	})
}

func TestASilentStreamShowsThatItLives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := listen(t, newAPI(t, newFakeView(), Options{}), "/events")
		s.events(t)
		for range 3 {
			time.Sleep(heartbeat - time.Millisecond)
			require.Empty(t, s.take())
			time.Sleep(time.Millisecond)
			require.Equal(t, ": still here\n\n", s.take())
		}
		s.leave()
	})
}

func TestStopEndsStreamsWithALastEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t, newFakeView(), Options{})
		s := listen(t, a, "/events")
		s.events(t)
		begin := time.Now()
		a.Stop()
		<-s.done
		require.Equal(t, begin, time.Now())
		events := s.events(t)
		require.Len(t, events, 1)
		require.Equal(t, EventEnd, events[0].kind)
	})
}

func TestOneFollowsTheViewForAllStreamsAndNobodyForNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		followers := func() int {
			synctest.Wait()
			v.mu.Lock()
			defer v.mu.Unlock()
			return len(v.watchers)
		}
		require.Zero(t, followers())
		one, two := listen(t, a, "/events"), listen(t, a, "/events")
		require.Equal(t, 1, followers())
		one.leave()
		require.Equal(t, 1, followers())
		v.set(active("btc", "blockchair"))
		require.Len(t, two.events(t), 3)
		two.leave()
		require.Zero(t, followers())
		three := listen(t, a, "/events")
		require.Contains(t, three.events(t)[1].data, "blockchair")
		three.leave()
	})
}

func TestUnknownChainsHaveNoStream(t *testing.T) {
	t.Parallel()
	problemOf(t, get(newAPI(t, newFakeView(), Options{}), "/events?chain=nope"), http.StatusNotFound)
}

func TestAReaderWhoDoesNotReadIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := newFakeView()
		a := newAPI(t, v, Options{})
		client, close := dial(t, a)
		defer close()
		_, err := client.Write([]byte("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		require.NoError(t, err)
		_, err = bufio.NewReader(client).ReadString('\n')
		require.NoError(t, err)
		synctest.Wait()
		require.EqualValues(t, 1, a.watchers.now.Load())
		time.Sleep(heartbeat + writeTimeout)
		synctest.Wait()
		require.Zero(t, a.watchers.now.Load())
		require.InDelta(t, 1, valueOf(t, a.metrics.dropped), 0)
	})
}

// dial serves one connection that has no buffer: what one side does not read, the
// other does not get rid of.
func dial(t *testing.T, h http.Handler) (net.Conn, func()) {
	t.Helper()
	client, server := net.Pipe()
	l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.conns <- server
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	return client, func() {
		_ = client.Close()
		_ = s.Close()
		serving.Wait()
	}
}

// pipeListener accepts what a test puts in.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// newServer serves on loopback.
func newServer(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}
