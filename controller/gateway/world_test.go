package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fakeProvider is a provider as a transport: no socket, no goroutine.
type fakeProvider struct {
	name string
	// answer is what it does; it may be replaced under the lock.
	mu       sync.Mutex
	answer   func(r *http.Request, body []byte) (*http.Response, error)
	requests []*http.Request
	bodies   []string
}

func (p *fakeProvider) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	p.mu.Lock()
	p.requests = append(p.requests, r)
	p.bodies = append(p.bodies, string(body))
	answer := p.answer
	p.mu.Unlock()
	return answer(r, body)
}

func (p *fakeProvider) set(answer func(*http.Request, []byte) (*http.Response, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

func (p *fakeProvider) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}

func (p *fakeProvider) lastRequest() (*http.Request, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[len(p.requests)-1], p.bodies[len(p.bodies)-1]
}

// fakeRouter has one route for each chain.
type fakeRouter struct {
	mu     sync.Mutex
	routes map[string]Route
}

func (f *fakeRouter) Route(chain string) (Route, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, ok := f.routes[chain]
	return r, ok
}

func (f *fakeRouter) change(chain string, how func(*Route)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.routes[chain]
	r.Endpoints = append([]Endpoint(nil), r.Endpoints...)
	how(&r)
	f.routes[chain] = r
}

// world is a gateway before some fake providers of one chain.
type world struct {
	t         testing.TB
	router    *fakeRouter
	providers []*fakeProvider
	gateway   *Gateway
	handler   http.Handler
}

const theChain = "c"

// newWorld makes providers a, b, c … of a type; the first one is active.
func newWorld(t testing.TB, typ config.Type, n int, o Options) *world {
	w := &world{t: t, router: &fakeRouter{routes: map[string]Route{}}}
	route := Route{Chain: theChain, Kind: typ.Kind(), Generation: 1, Active: "a", Total: n}
	for i := range n {
		name := string(rune('a' + i))
		p := &fakeProvider{name: name, answer: goodAnswer}
		w.providers = append(w.providers, p)
		u, err := config.ParseURL(fmt.Sprintf("https://%s.example/key-%s", name, name))
		require.NoError(t, err)
		route.Endpoints = append(route.Endpoints, Endpoint{Provider: name, Type: typ, URL: u, Transport: p, Healthy: true})
		route.Order = append(route.Order, name)
	}
	w.router.routes[theChain] = route
	o.Router = w.router
	var err error
	w.gateway, err = New(o)
	require.NoError(t, err)
	t.Cleanup(w.gateway.Close)
	w.handler = mount(w.gateway)
	return w
}

// mount puts a gateway where the controller does.
func mount(g http.Handler) http.Handler {
	r := chi.NewRouter()
	r.Handle("/rpc/{chain}", g)
	r.Handle("/rpc/{chain}/*", g)
	return r
}

func (w *world) a() *fakeProvider { return w.providers[0] }
func (w *world) b() *fakeProvider { return w.providers[1] }

func (w *world) do(verb, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(verb, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	return rec
}

func (w *world) post(body string, header ...string) *httptest.ResponseRecorder {
	return w.do(http.MethodPost, "/rpc/"+theChain, body, header...)
}

// call makes a call by a method and returns the answer.
func (w *world) call(method string) *httptest.ResponseRecorder {
	return w.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":[]}`, method))
}

func (w *world) state() State {
	s, ok := w.gateway.State(theChain)
	require.True(w.t, ok)
	return s
}

// wireCall is a call as a provider reads it.
type wireCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// respond makes a response out of a status, a body and headers.
func respond(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": []string{"application/json"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
}

// goodAnswer answers calls and batches with their method.
func goodAnswer(_ *http.Request, body []byte) (*http.Response, error) {
	return answerWith(body, func(c wireCall) string { return fmt.Sprintf(`"result":%q`, c.Method) }), nil
}

// answerWith answers calls and batches with members, such as a result.
func answerWith(body []byte, members func(wireCall) string) *http.Response {
	one := func(c wireCall) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, c.ID, members(c))
	}
	var list []wireCall
	if json.Unmarshal(body, &list) == nil {
		var out []string
		for _, c := range list {
			if c.ID != nil {
				out = append(out, one(c))
			}
		}
		return respond(200, "["+strings.Join(out, ",")+"]")
	}
	var c wireCall
	if json.Unmarshal(body, &c) != nil || c.Method == "" {
		return respond(200, `{"plain":true}`)
	}
	return respond(200, one(c))
}

// says answers everything alike. "$id" stands for the id of a call.
func says(status int, body string, header ...string) func(*http.Request, []byte) (*http.Response, error) {
	return func(_ *http.Request, sent []byte) (*http.Response, error) {
		var c wireCall
		_ = json.Unmarshal(sent, &c)
		if c.ID == nil {
			c.ID = json.RawMessage("null")
		}
		return respond(status, strings.ReplaceAll(body, "$id", string(c.ID)), header...), nil
	}
}

func rpcFails(code int, message string) func(*http.Request, []byte) (*http.Response, error) {
	return says(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"error":{"code":%d,"message":%q}}`, code, message))
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

func refuses(*http.Request, []byte) (*http.Response, error) { return nil, errRefused }

func resets(*http.Request, []byte) (*http.Response, error) { return nil, syscall.ECONNRESET }

// hangs answers when nobody waits any more.
func hangs(r *http.Request, _ []byte) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// breaks sends the beginning of a body and then breaks.
func breaks(status int, beginning string) func(*http.Request, []byte) (*http.Response, error) {
	return func(*http.Request, []byte) (*http.Response, error) {
		r := respond(status, "")
		r.ContentLength = int64(len(beginning)) + 100
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader(beginning), errorReader{io.ErrUnexpectedEOF}))
		return r, nil
	}
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

var errTest = errors.New("a fault of the test")

// decode reads a JSON answer.
func decode(t testing.TB, rec *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(rec.Body.Bytes()))
	d.UseNumber()
	require.NoError(t, d.Decode(&out), rec.Body.String())
	return out
}

func contextWithCancel(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

// serve makes a call whose context the test ends.
func (w *world) serve(ctx context.Context, body string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/rpc/"+theChain, strings.NewReader(body))
	w.handler.ServeHTTP(rec, r)
	return rec
}

func itoa(n int) string { return strconv.Itoa(n) }
