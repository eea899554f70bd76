package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"eth_chainId"}`, `[{"id":1,"method":"a"},{"id":2,"method":"admin_x"}]`, `{"id":"\u0041","method":"x","params":[{"a":"}"}]}`,
		`[]`, `{}`, `[1]`, `"x"`, `{"method":1}`, `{"id":{},"method":"x"}`, `{"\u006dethod":"stop"}`, `{"a":"\\","method":"x"}`, "\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		w := newWorld(t, config.EVMRPC, 1, Options{})
		rec := w.post(string(body))
		require.NotZero(t, rec.Code)
		if w.a().asked() == 0 {
			return
		}
		// What went out is what a decoder reads, and nothing of it is denied.
		_, sent := w.a().lastRequest()
		var calls []wireCall
		var one wireCall
		if json.Unmarshal([]byte(sent), &one) == nil {
			calls = []wireCall{one}
		} else {
			require.NoError(t, json.Unmarshal([]byte(sent), &calls))
		}
		for _, c := range calls {
			_, denied := newPolicy(config.EVM, Methods{}).look(config.EVM, c.Method)
			require.False(t, denied, c.Method)
			require.NotEmpty(t, c.Method)
		}
	})
}

func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		`{"id":7,"result":1}`, `{"id":7,"error":{"code":-32005,"message":"x"}}`, `{"result":`, `<html>`, ``, `[]`, `{"id":7,"result":null}`,
		`{"error":"text"}`, `{"Error":"suspended for 5 s"}`, `{"context":{"code":430,"error":"x"}}`, `{"result":{"status":"error","error":"slowDown"}}`,
	} {
		for kind := range config.Types {
			f.Add(200, []byte(seed), uint8(kind))
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, which uint8) {
		typ := config.Types[int(which)%len(config.Types)]
		if status < 200 || status > 599 {
			status = 200
		}
		q := question{kind: typ.Kind(), typ: typ, rpc: which%2 == 0, method: "eth_call", id: []byte("7")}
		j := judge(q, status, body, true)
		require.Less(t, j.outcome, outcomeCount)
		if q.rpc && j.outcome == OK {
			require.True(t, json.Valid(body) && bytes.Contains(body, []byte("result")), string(body))
		}
		// The beginning of an answer never panics.
		for _, n := range []int{0, 1, len(body) / 2, max(0, len(body)-1)} {
			judge(q, status, body[:min(n, len(body))], false)
		}
	})
}

func FuzzItems(f *testing.F) {
	for _, seed := range []string{`[{"id":1,"result":"}"}, {"id":2}]`, `[`, `[]`, `[{"a":"\\\""}]`, `[{}{}]`, `[{"id":1},`, `{}`, `[[1]]`} {
		f.Add([]byte(seed), uint16(16))
	}
	f.Fuzz(func(t *testing.T, body []byte, size uint16) {
		var whole []json.RawMessage
		valid := json.Unmarshal(body, &whole) == nil && bytes.HasPrefix(bytes.TrimSpace(body), []byte("["))
		for _, item := range whole {
			valid = valid && item[0] == '{'
		}
		in := newItems(nil, iotest.OneByteReader(bytes.NewReader(body)), int(size%64)+1)
		var got []string
		var err error
		for range len(body) + 1 {
			var item []byte
			var complete bool
			item, complete, err = in.next()
			if err != nil {
				break
			}
			text := string(item)
			if !complete {
				var all bytes.Buffer
				if err = in.rest(&all); err != nil {
					break
				}
				text = all.String()
			}
			got = append(got, text)
		}
		if !valid {
			return
		}
		require.ErrorIs(t, err, io.EOF)
		require.Len(t, got, len(whole))
		for i := range got {
			require.Equal(t, string(whole[i]), got[i])
		}
	})
}

func FuzzReplaceID(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"id":2}}`), []byte(`"x"`))
	f.Add([]byte(`{"result":{"id":2},"id":null}`), []byte(`17`))
	f.Add([]byte(` {"error":{}}`), []byte(`17`))
	f.Fuzz(func(t *testing.T, object, id []byte) {
		var before, after map[string]json.RawMessage
		if json.Unmarshal(object, &before) != nil || before == nil || !json.Valid(id) || bytes.Contains(object, []byte(`\u`)) {
			return
		}
		for key := range before {
			if key != "id" && strings.EqualFold(key, "id") {
				return
			}
		}
		if strings.Count(string(object), `"id"`) > 1 {
			return
		}
		out := replaceID(object, bytes.TrimSpace(id))
		if len(before) == 0 {
			return
		}
		require.NoError(t, json.Unmarshal(out, &after), string(out))
		require.Equal(t, string(bytes.TrimSpace(id)), string(after["id"]))
		delete(before, "id")
		delete(after, "id")
		require.Equal(t, before, after)
	})
}

func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/a", "/..", "/%2e%2e/x", "/a%2f..", "//x", "/a?min_height=1", "/a%00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		w := newWorld(t, config.EsploraREST, 1, Options{})
		r := httptest.NewRequest(http.MethodGet, "/rpc/c/x", nil)
		u, err := r.URL.Parse("/rpc/c/" + strings.TrimPrefix(path, "/"))
		if err != nil {
			return
		}
		r.URL = u
		w.handler.ServeHTTP(httptest.NewRecorder(), r)
		if w.a().asked() == 0 {
			return
		}
		out, _ := w.a().lastRequest()
		require.Equal(t, "a.example", out.URL.Host)
		require.True(t, strings.HasPrefix(out.URL.Path+"/", "/key-a/"), out.URL.Path)
		require.NotContains(t, out.URL.Path+"/", "/../")
	})
}
