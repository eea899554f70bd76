package simulator_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// started is when the chains of the tests begin.
var started = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newChain is a chain that moves by hand, at height 1000. Its clock stands.
func newChain(kind config.Kind) *simulator.Chain {
	return simulator.NewChain(simulator.ChainOptions{
		Name: string(kind), Kind: kind, Now: func() time.Time { return started },
	})
}

// newProvider is one of a chain of its own.
func newProvider(typ config.Type, b simulator.Behaviour) *simulator.Provider {
	kind := typ.Kind()
	if kind == "" {
		kind = config.Bitcoin
	}
	return simulator.NewProvider(newChain(kind), simulator.ProviderOptions{Name: "a", Type: typ, Behaviour: b})
}

// answer is what a request got.
type answer struct {
	status int
	header http.Header
	body   string
}

// get asks for a path.
func get(p http.Handler, path string) answer {
	return send(p, httptest.NewRequest(http.MethodGet, path, nil))
}

// postTo posts a body.
func postTo(p http.Handler, path, body string) answer {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return send(p, r)
}

// sendTo asks by any verb for a path that may hold anything.
func sendTo(p http.Handler, verb, path, body string) answer {
	r := httptest.NewRequest(verb, "/", strings.NewReader(body))
	r.URL.Path = path
	return send(p, r)
}

func send(p http.Handler, r *http.Request) answer {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return answer{status: w.Code, header: w.Header(), body: w.Body.String()}
}

// decode reads the whole body as JSON into a value, whose fields must all be
// of the right type.
func (a answer) decode(t *testing.T, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(a.body)))
	require.NoError(t, d.Decode(into), a.body)
	require.False(t, d.More(), "something follows the JSON: %s", a.body)
}

// rpcAnswer is an answer of JSON-RPC.
type rpcAnswer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// rpc calls a method and returns its answer. The parameters are the JSON of an
// array or an object.
func rpc(t *testing.T, p http.Handler, method, params string) rpcAnswer {
	t.Helper()
	a, _ := rpcStatus(t, p, method, params)
	return a
}

func rpcStatus(t *testing.T, p http.Handler, method, params string) (rpcAnswer, int) {
	t.Helper()
	got := postTo(p, "/", `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`)
	var out rpcAnswer
	got.decode(t, &out)
	require.Equal(t, "7", string(out.ID))
	return out, got.status
}

// result calls a method that has to succeed and decodes its result.
func result[T any](t *testing.T, p http.Handler, method, params string) (out T) {
	t.Helper()
	a := rpc(t, p, method, params)
	require.Nil(t, a.Error)
	require.NoError(t, json.Unmarshal(a.Result, &out), string(a.Result))
	return out
}

// failure calls a method that has to fail and returns its code and message.
func failure(t *testing.T, p http.Handler, method, params string) (int, string) {
	t.Helper()
	a := rpc(t, p, method, params)
	require.NotNil(t, a.Error, "result %s", a.Result)
	return a.Error.Code, a.Error.Message
}
