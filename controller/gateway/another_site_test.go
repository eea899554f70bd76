package gateway

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestNoPageOfAnotherSiteUsesTheKeysOfANode(t *testing.T) {
	t.Parallel()
	allowed := Options{Methods: map[string]Methods{"": {Allow: []string{"sendtoaddress", "/wallet/easytransfer"}}}}
	for name, c := range map[string]struct {
		header []string
		passes bool
	}{
		"a program":                     {nil, true},
		"a page of the same site":       {[]string{"Origin", "http://example.com", "Sec-Fetch-Site", "same-origin"}, true},
		"a page of another site":        {[]string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"}, false},
		"an old browser's":              {[]string{"Origin", "https://evil.example", "Content-Type", "text/plain"}, false},
		"a page without an origin":      {[]string{"Origin", "null"}, false},
		"a page of a neighbouring site": {[]string{"Sec-Fetch-Site", "same-site"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.BitcoinRPC, 1, allowed)
			w.post(`{"id":7,"method":"sendtoaddress"}`, c.header...)
			require.Equal(t, c.passes, w.a().asked() == 1)
			w.post(`[{"id":7,"method":"sendtoaddress"}]`, c.header...)
			require.Equal(t, c.passes, w.a().asked() == 2)
			asked := w.a().asked()
			require.Equal(t, 200, w.post(`{"id":7,"method":"getblockcount"}`, c.header...).Code)
			require.Equal(t, asked+1, w.a().asked(), "what is public anyway")
			tron := newWorld(t, config.TronHTTP, 1, allowed)
			tron.do("POST", "/rpc/c/wallet/easytransfer", "{}", c.header...)
			require.Equal(t, c.passes, tron.a().asked() == 1)
		})
	}
}

func TestNoPageOfAnotherSiteUsesTheKeysOfANodeOverAWebSocket(t *testing.T) {
	t.Parallel()
	w := newRealWorld(t, config.EVMRPC, Options{Methods: map[string]Methods{"": {Allow: []string{"eth_sendTransaction"}}}}, http.HandlerFunc(echoSocket))
	conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = fmt.Fprintf(conn, "GET /rpc/c HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a2V5\r\nSec-WebSocket-Version: 13\r\n\r\n")
	require.NoError(t, err)
	u := &user{t, conn, bufio.NewReader(conn)}
	response, err := http.ReadResponse(u.from, nil)
	require.NoError(t, err)
	require.Equal(t, 101, response.StatusCode)
	u.say(`{"id":1,"method":"eth_sendTransaction"}`)
	_, heard := u.hear()
	require.Contains(t, heard, "from a page of another site")
	u.say(`{"id":2,"method":"eth_chainId"}`)
	_, heard = u.hear()
	require.Equal(t, `{"id":2,"method":"eth_chainId"}`, heard)
}
