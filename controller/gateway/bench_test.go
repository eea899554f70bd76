package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fakeNode answers a call at once.
func fakeNode(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	_, id, _ := bytes.Cut(body, []byte(`"id":`))
	id, _, _ = bytes.Cut(id, []byte(","))
	w.Header()["Content-Type"] = jsonType
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x1b1ae4d6e2ef500000"}`, id)
}

// BenchmarkGateway sends the same load directly, through a bare reverse proxy and
// through the gateway. What counts is the ratio between them, in one run. Load,
// proxy and node share the processors.
func BenchmarkGateway(b *testing.B) {
	node := httptest.NewServer(http.HandlerFunc(fakeNode))
	defer node.Close()
	u, err := config.ParseURL(node.URL)
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	defer transport.CloseIdleConnections()
	w := newWorld(b, config.EVMRPC, 3, Options{})
	w.router.change(theChain, func(r *Route) {
		for i := range r.Endpoints {
			r.Endpoints[i].URL, r.Endpoints[i].Transport = u, transport
		}
	})
	gateway := httptest.NewServer(w.handler)
	defer gateway.Close()
	bare := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u.Reveal()) }, Transport: transport})
	defer bare.Close()
	for _, clients := range []int{1, 16} {
		for name, url := range map[string]string{"direct": node.URL, "reverse-proxy": bare.URL, "gateway": gateway.URL + "/rpc/" + theChain} {
			b.Run(name+"/clients="+strconv.Itoa(clients), func(b *testing.B) { load(b, url, clients) })
		}
	}
}

// load makes b.N requests with parameters that differ.
func load(b *testing.B, url string, clients int) {
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var next, bad atomic.Int64
	b.ReportAllocs()
	done := make(chan struct{})
	b.ResetTimer()
	for range clients {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"eth_getBalance","params":["0x%040x","latest"]}`, i, i)
				response, err := client.Post(url, "application/json", strings.NewReader(body))
				if err != nil {
					bad.Add(1)
					continue
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
					bad.Add(1)
				}
				_ = response.Body.Close()
			}
		}()
	}
	for range clients {
		<-done
	}
	if bad.Load() > 0 {
		b.Fatalf("%d bad answers", bad.Load())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkServe is what the gateway itself takes for a request, without sockets.
func BenchmarkServe(b *testing.B) {
	w := newWorld(b, config.EVMRPC, 3, Options{})
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":"0x1b1ae4d6e2ef500000"}`)
	header := http.Header{"Content-Type": jsonType}
	w.router.change(theChain, func(r *Route) {
		for i := range r.Endpoints {
			r.Endpoints[i].Transport = roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: header, ContentLength: int64(len(answer)), Body: io.NopCloser(bytes.NewReader(answer))}, nil
			})
		}
	})
	body := `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/rpc/"+theChain, strings.NewReader(body))
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != 200 {
			b.Fatal(rec.Code)
		}
	}
}

// BenchmarkBatch is a batch of 500.
func BenchmarkBatch(b *testing.B) {
	w := newWorld(b, config.EVMRPC, 1, Options{})
	body := numbered(500, "eth_getTransactionReceipt")
	answer := []byte(strings.ReplaceAll(strings.ReplaceAll(body, `"method":"eth_getTransactionReceipt"`, `"result":{"status":"0x1"}`), `,"params":[]`, ""))
	w.router.change(theChain, func(r *Route) {
		r.Endpoints[0].Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(answer)), Body: io.NopCloser(bytes.NewReader(answer))}, nil
		})
	})
	b.SetBytes(int64(len(answer)))
	b.ReportAllocs()
	for b.Loop() {
		if rec := w.post(body); rec.Code != 200 {
			b.Fatal(rec.Code)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
