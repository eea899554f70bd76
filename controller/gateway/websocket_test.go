package gateway

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// echoSocket is a provider that takes WebSockets and says every message back.
func echoSocket(rw http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" || r.Header.Get("Sec-WebSocket-Extensions") != "" {
		rw.WriteHeader(http.StatusTeapot)
		return
	}
	conn, buffered, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: accepted\r\nSet-Cookie: a=b\r\n\r\n")
	for {
		f, err := readFrame(buffered.Reader)
		if err != nil {
			return
		}
		payload := make([]byte, f.length)
		if _, err := io.ReadFull(buffered.Reader, payload); err != nil {
			return
		}
		f.unmask(payload)
		if f.opcode == opClose {
			_, _ = conn.Write(closing(1000, ""))
			return
		}
		_, _ = conn.Write(textFrame(payload))
	}
}

// user is a client of a WebSocket.
type user struct {
	t    *testing.T
	conn net.Conn
	from *bufio.Reader
}

func (w *realWorld) dial(t *testing.T, path string) (*user, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a2V5\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\nCookie: a=b\r\n\r\n", path)
	require.NoError(t, err)
	u := &user{t, conn, bufio.NewReader(conn)}
	response, err := http.ReadResponse(u.from, nil)
	require.NoError(t, err)
	return u, response
}

// say sends a message in parts.
func (u *user) say(parts ...string) {
	for i, part := range parts {
		first := byte(0)
		if i == 0 {
			first = opText
		}
		if i == len(parts)-1 {
			first |= 0x80
		}
		out := []byte{first}
		if len(part) < 126 {
			out = append(out, 0x80|byte(len(part)))
		} else {
			out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(len(part)))
		}
		out = append(out, 1, 2, 3, 4)
		for j := range len(part) {
			out = append(out, part[j]^byte(j%4+1))
		}
		_, err := u.conn.Write(out)
		require.NoError(u.t, err)
	}
}

func (u *user) hear() (byte, string) {
	u.t.Helper()
	f, err := readFrame(u.from)
	require.NoError(u.t, err)
	payload := make([]byte, f.length)
	_, err = io.ReadFull(u.from, payload)
	require.NoError(u.t, err)
	return f.opcode, string(payload)
}

func TestWebSocketMessagesGoBothWays(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{}, http.HandlerFunc(echoSocket))
	u, response := w.dial(t, "/rpc/c")
	require.Equal(t, 101, response.StatusCode)
	require.Equal(t, "a", response.Header.Get(ProviderHeader))
	require.Equal(t, "accepted", response.Header.Get("Sec-WebSocket-Accept"))
	require.Empty(t, response.Header.Get("Set-Cookie"))
	for _, message := range []string{`{"id":1,"method":"eth_subscribe","params":["newHeads"]}`, `{"id":2,"method":"x","p":"` + strings.Repeat("y", 5000) + `"}`} {
		u.say(message)
		opcode, heard := u.hear()
		require.Equal(t, byte(opText), opcode)
		require.Equal(t, message, heard)
	}
}

func TestWebSocketMessagesAreUnderThePolicy(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{}, http.HandlerFunc(echoSocket))
	u, _ := w.dial(t, "/rpc/c")
	u.say(`{"id":9,"method":"adm`, `in_peers"}`)
	_, heard := u.hear()
	require.Contains(t, heard, `"id":9`)
	require.Contains(t, heard, "not let through")
	u.say(`not JSON`)
	_, heard = u.hear()
	require.Contains(t, heard, "-32700")
	u.say(`[{"id":1,"method":"eth_chainId"},{"id":2,"method":"debug_x"}]`)
	_, heard = u.hear()
	require.Contains(t, heard, "not let through")
	u.say(`{"id":10,"method":"eth_chainId"}`)
	_, heard = u.hear()
	require.Equal(t, `{"id":10,"method":"eth_chainId"}`, heard)
}

func TestAMessageOfAnUnknownKindIsUnderThePolicyToo(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{}, http.HandlerFunc(echoSocket))
	message := `{"id":9,"method":"admin_peers"}`
	for opcode := range byte(opClose) {
		u, _ := w.dial(t, "/rpc/c")
		_, err := u.conn.Write(append([]byte{0x80 | opcode, byte(len(message))}, message...))
		require.NoError(t, err)
		_, heard := u.hear()
		require.Contains(t, heard, "not let through", opcode)
	}
}

func TestCommandsOfTheLedgerAreUnderThePolicyToo(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.XRPLRPC, Options{}, http.HandlerFunc(echoSocket))
	u, _ := w.dial(t, "/rpc/c")
	for message, passes := range map[string]bool{
		`{"id":1,"command":"ledger"}`:                            true,
		`{"id":1,"command":"stop"}`:                              false,
		`{"id":1,"command":"submit","tx_blob":"12"}`:             true,
		`{"id":1,"command":"submit","tx_json":{},"secret":"s"}`:  false,
		`{"id":1,"method":"ledger","command":"stop"}`:            false,
		`{"id":1,"command":"ledger","command":"wallet_propose"}`: false,
	} {
		u.say(message)
		_, heard := u.hear()
		require.Equal(t, passes, heard == message, message)
	}
}

func TestAWebSocketEndsWhenItsProviderIsLeft(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Route){
		"by a switch":         func(r *Route) { r.Active, r.Generation = "b", 2 },
		"by losing its place": func(r *Route) { r.Endpoints = r.Endpoints[1:] },
		"by another address": func(r *Route) {
			r.Active, r.Endpoints[0].URL = "b", config.URL{}
			r.Endpoints[0], r.Endpoints[1] = r.Endpoints[1], r.Endpoints[0]
		},
		"and not before the end": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRealWorld(t, config.EVMRPC, Options{WebSocketCheck: time.Millisecond}, http.HandlerFunc(echoSocket), http.HandlerFunc(echoSocket))
			u, _ := w.dial(t, "/rpc/c")
			if change == nil {
				w.router.change(theChain, func(r *Route) { r.Generation = 2 })
				time.Sleep(20 * time.Millisecond)
				u.say(`{"id":1,"method":"x"}`)
				_, heard := u.hear()
				require.Equal(t, `{"id":1,"method":"x"}`, heard)
				return
			}
			w.router.change(theChain, change)
			opcode, heard := u.hear()
			require.Equal(t, byte(opClose), opcode)
			require.EqualValues(t, closeRestart, binary.BigEndian.Uint16([]byte(heard)))
			_, err := u.from.ReadByte()
			require.ErrorIs(t, err, io.EOF)
			_, response := w.dial(t, "/rpc/c")
			require.Equal(t, "b", response.Header.Get(ProviderHeader))
		})
	}
}

func TestANewConfigurationHoldsForOpenWebSockets(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{WebSocketCheck: time.Millisecond}, http.HandlerFunc(echoSocket))
	u, _ := w.dial(t, "/rpc/c")
	u.say(`{"id":1,"method":"eth_getLogs"}`)
	_, heard := u.hear()
	require.Equal(t, `{"id":1,"method":"eth_getLogs"}`, heard)
	w.gateway.SetMethods(map[string]Methods{theChain: {Deny: []string{"eth_getLogs"}}})
	u.say(`{"id":2,"method":"eth_getLogs"}`)
	_, heard = u.hear()
	require.Contains(t, heard, "eth_getLogs is not let through")
	w.gateway.SetSettings(map[string]Settings{theChain: {Off: true}})
	opcode, heard := u.hear()
	require.Equal(t, byte(opClose), opcode)
	require.EqualValues(t, closeRestart, binary.BigEndian.Uint16([]byte(heard)))
}

func TestAWebSocketGoesToTheNextProviderThatTakesIt(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{}, http.NotFoundHandler(), http.HandlerFunc(echoSocket))
	_, response := w.dial(t, "/rpc/c")
	require.Equal(t, 101, response.StatusCode)
	require.Equal(t, "b", response.Header.Get(ProviderHeader))
	require.Zero(t, w.state().Endpoints[0].TotalFailures, "it speaks HTTP alone, which is not its fault")
}

func TestCloseEndsWebSockets(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{}, http.HandlerFunc(echoSocket))
	u, _ := w.dial(t, "/rpc/c")
	require.Eventually(t, func() bool { return w.gateway.lanes[theChain].sockets.Load() == 1 }, time.Minute, time.Millisecond)
	w.gateway.Close()
	opcode, _ := u.hear()
	require.Equal(t, byte(opClose), opcode)
	require.Zero(t, w.gateway.lanes[theChain].sockets.Load())
}

func TestAMessageThatIsTooLongEndsTheWebSocket(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{MaxWebSocketMessage: 100}, http.HandlerFunc(echoSocket))
	for name, parts := range map[string][]string{
		"in parts":         {strings.Repeat("x", 60), strings.Repeat("x", 60)},
		"in nothing":       make([]string, 18),
		"in one, by a bit": {strings.Repeat("x", 101)},
	} {
		u, _ := w.dial(t, "/rpc/c")
		u.say(parts...)
		opcode, heard := u.hear()
		require.Equal(t, byte(opClose), opcode, name)
		require.EqualValues(t, closeTooBig, binary.BigEndian.Uint16([]byte(heard)), name)
	}
	u, _ := w.dial(t, "/rpc/c")
	u.say(strings.Repeat(" ", 100))
	_, heard := u.hear()
	require.Contains(t, heard, "-32700", "it is as long as it may be")
}
