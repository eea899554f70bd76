package chain

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
			raw, err := talk(t, p).CallRaw(t.Context(), "eth_chainId", nil)
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
	const promise = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n"
	for name, end := range map[string]func(conn *net.TCPConn){"closed": func(*net.TCPConn) {}, "reset": reset} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := evmAt(t, afterRequest(t, func(conn *net.TCPConn) {
				_, _ = io.WriteString(conn, promise+zipped("{}")[:15])
				end(conn)
			}))
			_, err := p.Observe(t.Context(), Ask{})
			requireFailure(t, err, ConnectionReset)
		})
	}
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
