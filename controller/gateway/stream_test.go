package gateway

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// realWorld is a gateway on a port before providers on ports.
type realWorld struct {
	*world
	server *httptest.Server
	client *http.Client
}

func newRealWorld(t testing.TB, typ config.Type, o Options, providers ...http.Handler) *realWorld {
	w := newWorld(t, typ, len(providers), o)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	for i, p := range providers {
		server := httptest.NewServer(p)
		t.Cleanup(server.Close)
		u, err := config.ParseURL(server.URL)
		require.NoError(t, err)
		w.router.change(theChain, func(r *Route) { r.Endpoints[i].URL, r.Endpoints[i].Transport = u, transport })
	}
	server := httptest.NewServer(w.handler)
	client := server.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		// Sockets that were given away are the gateway's to close.
		w.gateway.Close()
		server.Close()
	})
	return &realWorld{world: w, server: server, client: client}
}

func (w *realWorld) postReal(body string) (*http.Response, error) {
	return w.client.Post(w.server.URL+"/rpc/"+theChain, "application/json", strings.NewReader(body))
}

const oneCall = `{"jsonrpc":"2.0","id":7,"method":"getblock","params":["00",2]}`

// writeLong writes a result of so many bytes.
func writeLong(w http.ResponseWriter, size int) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"result":"`)
	piece := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for size > 0 {
		n := min(size, len(piece))
		if _, err := w.Write(piece[:n]); err != nil {
			return
		}
		size -= n
	}
	_, _ = io.WriteString(w, `","error":null,"id":7}`)
}

func TestALongAnswerIsNotHeldInMemory(t *testing.T) {
	for _, chunked := range []bool{true, false} {
		t.Run(fmt.Sprintf("chunked %v", chunked), func(t *testing.T) {
			const size = 20 << 20
			w := newRealWorld(t, config.BitcoinRPC, Options{}, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				if !chunked {
					rw.Header().Set("Content-Length", strconv.Itoa(size+len(`{"result":"","error":null,"id":7}`)))
				}
				writeLong(rw, size)
			}))
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			response, err := w.postReal(oneCall)
			require.NoError(t, err)
			sum := crc32.NewIEEE()
			n, err := io.Copy(sum, response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			runtime.ReadMemStats(&after)
			require.EqualValues(t, size+len(`{"result":"","error":null,"id":7}`), n)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "all that client, gateway and provider allocated")
			want := httptest.NewRecorder()
			writeLong(want, size)
			require.Equal(t, crc32.ChecksumIEEE(want.Body.Bytes()), sum.Sum32())
		})
	}
}

func TestAnAnswerThatBreaksAfterItHasBegunBreaksTheConnection(t *testing.T) {
	t.Parallel()
	for _, batch := range []bool{false, true} {
		t.Run(fmt.Sprintf("batch %v", batch), func(t *testing.T) {
			t.Parallel()
			w := newRealWorld(t, config.BitcoinRPC, Options{}, http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				start := `{"id":7,"result":"`
				if batch {
					start = "[" + start
				}
				_, _ = io.WriteString(rw, start+strings.Repeat("0", 1<<20))
				panic(http.ErrAbortHandler)
			}))
			body := oneCall
			if batch {
				body = "[" + body + "]"
			}
			response, err := w.postReal(body)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, response.Body)
			require.Error(t, err, "half an answer was made to look whole")
			require.NoError(t, response.Body.Close())
			require.EqualValues(t, 1, w.state().Endpoints[0].TotalFailures)
			require.Eventually(t, func() bool { return w.gateway.lanes[theChain].results[resultAborted].Load() == 1 }, time.Minute, time.Millisecond)
		})
	}
}

func TestAnswersThatBreakAfterTheyHaveBegunEndInQuarantine(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"a call": oneCall, "a batch": "[" + oneCall + "]"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.BitcoinRPC, 2, Options{FailureThreshold: 2})
			start := `{"id":7,"result":"` + strings.Repeat("0", 1<<20)
			if name == "a batch" {
				start = "[" + start
			}
			w.a().set(breaks(200, start))
			for failures := 1; failures <= 2; failures++ {
				require.PanicsWithValue(t, http.ErrAbortHandler, func() { w.post(body) })
				require.Equal(t, failures, w.state().Endpoints[0].ConsecutiveFailures)
			}
			require.True(t, w.state().Endpoints[0].Unavailable)
			w.b().set(goodAnswer)
			require.Equal(t, "b", w.post(body).Header().Get(ProviderHeader))
		})
	}
}

func TestAGoodAnswerInBetweenEndsTheRowOfThoseThatBreak(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.BitcoinRPC, 2, Options{FailureThreshold: 2})
	for range 3 {
		w.a().set(breaks(200, `{"id":7,"result":"`+strings.Repeat("0", 1<<20)))
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { w.post(oneCall) })
		w.a().set(goodAnswer)
		require.Equal(t, "a", w.call("getblockcount").Header().Get(ProviderHeader))
	}
	require.False(t, w.state().Endpoints[0].Unavailable)
}

func TestAnAnswerThatStopsAfterItHasBegunIsEnded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := newRealWorld(t, config.BitcoinRPC, Options{IdleTimeout: 50 * time.Millisecond}, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, `{"id":7,"result":"`+strings.Repeat("0", 1<<20))
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	t.Cleanup(func() { close(release) })
	response, err := w.postReal(oneCall)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.Error(t, err)
	require.NoError(t, response.Body.Close())
}

func TestConnectionsToProvidersAreKept(t *testing.T) {
	t.Parallel()
	var opened = make(chan struct{}, 1000)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer, _ := goodAnswer(r, body)
		_, _ = io.Copy(rw, answer.Body)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	w := newRealWorld(t, config.BitcoinRPC, Options{}, http.NotFoundHandler())
	u, err := config.ParseURL(server.URL)
	require.NoError(t, err)
	w.router.change(theChain, func(r *Route) { r.Endpoints[0].URL = u })
	for range 50 {
		response, err := w.postReal(oneCall)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, response.Body)
		require.NoError(t, response.Body.Close())
	}
	require.Len(t, opened, 1)
}
