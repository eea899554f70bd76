package chain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// busyBlock is an answer with a block of a busy chain: 250 transactions and the
// bloom filter. "$id" is the id of the request.
func busyBlock() string {
	hash := "0x" + strings.Repeat("d4e56740", 8)
	hashes := make([]string, 250)
	for i := range hashes {
		hashes[i] = fmt.Sprintf(`"0x%064x"`, i)
	}
	return `{"jsonrpc":"2.0","id":"$id","result":{"baseFeePerGas":"0x7","difficulty":"0x0","extraData":"0x","gasLimit":"0x1c9c380","gasUsed":"0x9a2b3c",` +
		`"hash":"` + hash + `","logsBloom":"0x` + strings.Repeat("0", 512) + `","miner":"0x` + strings.Repeat("ab", 20) + `","mixHash":"` + hash +
		`","nonce":"0x0000000000000000","number":"0x1312d00","parentHash":"` + hash + `","receiptsRoot":"` + hash + `","sha3Uncles":"` + hash +
		`","size":"0x2b3c4","stateRoot":"` + hash + `","timestamp":"0x65920080","transactionsRoot":"` + hash + `","transactions":[` + strings.Join(hashes, ",") + `],"uncles":[],"withdrawals":[]}}`
}

// canned is the answer to every request, without sockets. It reads only the id.
type canned struct{ before, after string }

func newCanned(body string) canned {
	before, after, _ := strings.Cut(body, `"$id"`)
	return canned{before, after}
}

// to is the body of the answer to a request.
func (c canned) to(request []byte) string {
	_, rest, _ := bytes.Cut(request, []byte(`"id":`))
	id, _, _ := bytes.Cut(rest, []byte(`,`))
	return c.before + string(id) + c.after
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	var request [512]byte
	n, _ := io.ReadFull(r.Body, request[:])
	body := c.to(request[:n])
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// cannedConn is a connection to a server that answers at once. It takes no
// goroutine, so that what is measured is the client's.
type cannedConn struct {
	net.Conn
	answer canned

	mu     sync.Mutex
	ready  *sync.Cond
	output []byte
	closed bool
}

func newCannedConn(answer canned) *cannedConn {
	c := &cannedConn{answer: answer}
	c.ready = sync.NewCond(&c.mu)
	return c
}

// Write takes one whole request, as net/http writes a short one.
func (c *cannedConn) Write(b []byte) (int, error) {
	body := c.answer.to(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.output = append(c.output, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body...)
	c.ready.Broadcast()
	return len(b), nil
}

func (c *cannedConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.output) == 0 {
		if c.closed {
			return 0, io.EOF
		}
		c.ready.Wait()
	}
	n := copy(b, c.output)
	if c.output = c.output[n:]; len(c.output) == 0 {
		c.output = nil
	}
	return n, nil
}

func (c *cannedConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.ready.Broadcast()
	return nil
}

func (c *cannedConn) LocalAddr() net.Addr  { return &net.TCPAddr{} }
func (c *cannedConn) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// dialCanned makes the connections of a provider canned ones.
func dialCanned(tb testing.TB, p *Provider, answer canned) {
	tb.Helper()
	p.http.dial = func(context.Context, string, string) (net.Conn, error) { return newCannedConn(answer), nil }
}

// One probe of an EVM provider. "small" and "busy" are the block; "alone" is
// without net/http, "whole" with all but sockets.
func BenchmarkObserveEVM(b *testing.B) {
	for name, body := range map[string]string{"small": goodBlock, "busy": busyBlock()} {
		answer := newCanned(body)
		b.Run(name+"/alone", func(b *testing.B) {
			p := evmAt(b, "http://provider.test")
			answeredBy(p, answer)
			observeAll(b, p, len(body))
		})
		b.Run(name+"/whole", func(b *testing.B) {
			p := evmAt(b, "http://provider.test")
			dialCanned(b, p, answer)
			observeAll(b, p, len(body))
		})
	}
}

// observeAll is the loop of a benchmark.
func observeAll(b *testing.B, p *Provider, bytes int) {
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Observe(b.Context(), Ask{}); err != nil {
			b.Fatal(err)
		}
	}
}

// The memory of a provider that waits for its next probe: before the first one,
// after it, and with the Prometheus client, which is what an http block leads to.
func BenchmarkProviderMemory(b *testing.B) {
	answer := newCanned(goodBlock)
	network, template := scriptedChain(b, config.EVM, config.EVMRPC)
	var err error
	template.RPCHost, err = config.ParseURL("http://provider.test")
	require.NoError(b, err)
	withBlock := template
	withBlock.HTTP.BearerToken = "token"
	asked := func(b *testing.B, p *Provider) {
		dialCanned(b, p, answer)
		_, err := p.Observe(b.Context(), Ask{})
		require.NoError(b, err)
	}
	for _, c := range []struct {
		name     string
		template config.Provider
		prepare  func(b *testing.B, p *Provider)
	}{
		{"new", template, func(*testing.B, *Provider) {}},
		{"asked", template, asked},
		{"asked by the Prometheus client", withBlock, asked},
	} {
		b.Run(c.name, func(b *testing.B) {
			heap, stacks := memory()
			var providers []*Provider
			for b.Loop() {
				p, err := New(network, c.template)
				require.NoError(b, err)
				c.prepare(b, p)
				providers = append(providers, p)
			}
			heapAfter, stacksAfter := memory()
			b.ReportMetric(float64(heapAfter-heap)/float64(len(providers)), "heap-bytes/provider")
			b.ReportMetric(float64(stacksAfter)/float64(len(providers))-float64(stacks)/float64(len(providers)), "stack-bytes/provider")
			runtime.KeepAlive(providers)
		})
	}
}

// memory is what is in use after a collection: heap and stacks.
func memory() (heap, stacks uint64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.StackInuse
}

// The classification of an answer that no row knows looks at every row.
func BenchmarkClassify(b *testing.B) {
	a := answer{kind: config.EVM, typ: config.EVMRPC, status: 200, code: Some[int64](-32000), text: strings.Repeat("something else ", 20)}
	b.ReportAllocs()
	for b.Loop() {
		classify(a)
	}
}
