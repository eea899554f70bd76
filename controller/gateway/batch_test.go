package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// numbered is a batch of n calls with the ids 0 to n-1.
func numbered(n int, method string) string {
	var calls []string
	for i := range n {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":[]}`, i, method))
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// answerBatch reads the answer to a batch.
func answerBatch(t testing.TB, body []byte) (ids []string, results []string) {
	t.Helper()
	var out []struct {
		ID     json.RawMessage
		Result json.RawMessage
		Error  json.RawMessage
	}
	require.NoError(t, json.Unmarshal(body, &out), string(body))
	for _, o := range out {
		ids = append(ids, string(o.ID))
		if !isNull(o.Error) {
			results = append(results, "error "+string(o.Error))
		} else {
			results = append(results, string(o.Result))
		}
	}
	return ids, results
}

func TestABatchGoesOutAsItCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	body := ` [ {"jsonrpc":"2.0" , "id": 1,"method":"eth_chainId"}, {"id":"\u0041","method":"eth_blockNumber"} ] `
	rec := w.post(body)
	_, sent := w.a().lastRequest()
	require.Equal(t, body, sent)
	require.Equal(t, `[{"jsonrpc":"2.0","id":1,"result":"eth_chainId"},{"jsonrpc":"2.0","id":"\u0041","result":"eth_blockNumber"}]`, rec.Body.String())
	require.Equal(t, "a", rec.Header().Get(ProviderHeader))
}

func TestABatchIsRetriedItemByItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 3, Options{})
	w.a().set(func(_ *http.Request, body []byte) (*http.Response, error) {
		return answerWith(body, func(c wireCall) string {
			if string(c.ID) == "1" || string(c.ID) == "3" {
				return `"error":{"code":429,"message":"Your app has exceeded its compute units per second capacity."}`
			}
			return `"result":"a"`
		}), nil
	})
	w.b().set(func(_ *http.Request, body []byte) (*http.Response, error) {
		return answerWith(body, func(c wireCall) string {
			if string(c.ID) == "3" {
				return `"error":{"code":-32000,"message":"header not found"}`
			}
			return `"result":"b"`
		}), nil
	})
	w.providers[2].set(func(_ *http.Request, body []byte) (*http.Response, error) {
		return answerWith(body, func(wireCall) string { return `"result":"c"` }), nil
	})
	ids, results := answerBatch(t, w.post(numbered(5, "eth_getBalance")).Body.Bytes())
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, ids)
	require.Equal(t, []string{`"a"`, `"b"`, `"a"`, `"c"`, `"a"`}, results)
	_, sent := w.b().lastRequest()
	require.Equal(t, `[{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[]},{"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":[]}]`, sent)
	require.Equal(t, 1, w.state().Endpoints[0].ConsecutiveFailures)
}

func TestABatchThatFailsAsAWholeGoesToTheNextProvider(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answering{
		"refused":            refuses,
		"500":                says(500, ""),
		"HTML":               says(200, "<html>"),
		"one error":          says(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are disabled"}}`),
		"too large":          says(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}`),
		"a rate limit":       says(429, `{"jsonrpc":"2.0","error":{"code":-32007,"message":"50/second request limit reached"}}`),
		"one answer alone":   says(200, `{"jsonrpc":"2.0","id":0,"result":"x"}`),
		"an empty list":      says(200, `[]`),
		"a list of nothings": says(200, `[null,17,"x"]`),
		"half a list":        breaks(200, `[`),
		"a cut list":         says(200, `[{"jsonrpc":"2.0","id":0,"result":"x`),
		"other ids":          says(200, `[{"jsonrpc":"2.0","id":77,"result":"x"}]`),
		"no ids":             says(200, `[{"jsonrpc":"2.0","result":"x"},{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit"}}]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EVMRPC, 2, Options{})
			w.a().set(first)
			rec := w.post(numbered(3, "eth_chainId"))
			ids, results := answerBatch(t, rec.Body.Bytes())
			require.Equal(t, []string{"0", "1", "2"}, ids)
			require.Equal(t, []string{`"eth_chainId"`, `"eth_chainId"`, `"eth_chainId"`}, results)
			require.Equal(t, "b", rec.Header().Get(ProviderHeader))
		})
	}
}

func TestWhatOneProviderAnsweredBeforeItBrokeIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	w.a().set(breaks(200, `[{"jsonrpc":"2.0","id":1,"result":"a"},{"jsonrpc":"2.0","id":0,"res`))
	ids, results := answerBatch(t, w.post(numbered(3, "m")).Body.Bytes())
	require.Equal(t, []string{"0", "1", "2"}, ids)
	require.NotContains(t, results, `"a"`, "a beginning that broke before it was passed on is not used")
}

func TestTheIDsOfABatchAreThoseOfItsCalls(t *testing.T) {
	t.Parallel()
	ids := []string{`1`, `"1"`, `"a"`, `"\u0061b"`, `12345678901234567890123`, `1.50`, `-7`, `"` + strings.Repeat("x", 2000) + `"`, `1e3`, `true`}
	var calls []string
	for _, id := range ids {
		calls = append(calls, `{"jsonrpc":"2.0","id":`+id+`,"method":"eth_chainId"}`)
	}
	body := "[" + strings.Join(calls, ",") + "]"
	t.Run("echoed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		got, _ := answerBatch(t, w.post(body).Body.Bytes())
		require.Equal(t, ids, got)
	})
	t.Run("written another way", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.a().set(func(_ *http.Request, sent []byte) (*http.Response, error) {
			r := answerWith(sent, func(wireCall) string { return `"result":"x"` })
			text := readAll(t, r)
			for from, to := range map[string]string{`"\u0061b"`: `"ab"`, `12345678901234567890123`: `1.2345678901234568e22`, `1.50`: `1.5`, `1e3`: `1000`} {
				text = strings.Replace(text, `"id":`+from, `"id":`+to, 1)
			}
			return respond(200, text), nil
		})
		got, results := answerBatch(t, w.post(body).Body.Bytes())
		require.Equal(t, ids, got)
		require.NotContains(t, strings.Join(results, " "), "error")
	})
	t.Run("in another order", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.a().set(func(_ *http.Request, sent []byte) (*http.Response, error) {
			var list []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(readAll(t, answerWith(sent, func(wireCall) string { return `"result":"x"` }))), &list))
			slices.Reverse(list)
			out, err := json.Marshal(list)
			return respond(200, string(out)), err
		})
		got, _ := answerBatch(t, w.post(body).Body.Bytes())
		require.Len(t, got, len(ids))
		require.Equal(t, ids[0], got[0])
	})
}

func TestTheSameIDTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{})
	ids, results := answerBatch(t, w.post(`[{"id":1,"method":"x"},{"id":1,"method":"y"},{"id":null,"method":"z"}]`).Body.Bytes())
	require.Equal(t, []string{"1", "1", "null"}, ids)
	require.Equal(t, []string{`"x"`, `"y"`, `"z"`}, results)
}

func TestNotificationsHaveNoAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	ids, _ := answerBatch(t, w.post(`[{"method":"x"},{"id":1,"method":"y"}]`).Body.Bytes())
	require.Equal(t, []string{"1"}, ids)
	require.Zero(t, w.b().asked())
	rec := w.post(`[{"method":"x"}]`)
	require.Equal(t, http.StatusNoContent, rec.Code)
	require.Empty(t, rec.Body.String())
}

func TestWhatNobodyAnswersWellIsAnErrorWithItsOwnID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	missing := func(_ *http.Request, body []byte) (*http.Response, error) {
		return answerWith(body, func(c wireCall) string {
			switch string(c.ID) {
			case "1":
				return `"error":{"code":-32000,"message":"header not found"}`
			case "2":
				return `"error":{"code":429,"message":"Too many requests"}`
			}
			return `"result":1`
		}), nil
	}
	w.a().set(missing)
	w.b().set(missing)
	rec := w.post(numbered(3, "eth_call"))
	require.Equal(t, 200, rec.Code)
	ids, results := answerBatch(t, rec.Body.Bytes())
	require.Equal(t, []string{"0", "1", "2"}, ids)
	require.Contains(t, results[1], "header not found")
	require.Contains(t, results[2], codeExhausted)
}

func TestALongBatchIsPassedOnAsItComes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3000)
	answers := func(suffix bool) answering {
		return func(_ *http.Request, body []byte) (*http.Response, error) {
			var list []wireCall
			require.NoError(t, json.Unmarshal(body, &list))
			var out []string
			for i, c := range list {
				result := fmt.Sprintf(`"%s-%s"`, c.ID, long)
				if i == 4 && len(list) > 5 {
					out = append(out, fmt.Sprintf(`{"id":%s,"error":{"code":429,"message":"too many requests"}}`, c.ID))
					continue
				}
				if suffix {
					out = append(out, fmt.Sprintf(`{"result":%s,"error":null,"id":%s}`, result, c.ID))
				} else {
					out = append(out, fmt.Sprintf(`{"id":%s,"result":%s}`, c.ID, result))
				}
			}
			r := respond(200, "["+strings.Join(out, ",\n ")+"]")
			r.ContentLength = -1
			return r, nil
		}
	}
	for name, suffix := range map[string]bool{"with the id first": false, "with the id last": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, config.EVMRPC, 2, Options{HeadSize: 1024, BatchBuffer: 10_000})
			w.a().set(answers(suffix))
			w.b().set(answers(suffix))
			rec := w.post(numbered(20, "eth_getBlockReceipts"))
			ids, results := answerBatch(t, rec.Body.Bytes())
			require.Len(t, ids, 20)
			seen := map[string]bool{}
			for i, id := range ids {
				require.False(t, seen[id], "twice")
				seen[id] = true
				require.True(t, fmt.Sprintf(`"%s-%s"`, id, long) == results[i], id)
			}
			_, sent := w.b().lastRequest()
			require.Equal(t, 1, strings.Count(sent, "method"), "the one that failed, and no other")
		})
	}
}

func TestABatchThatIsTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 1, Options{MaxBatch: 2})
	require.Equal(t, 400, w.post(numbered(3, "x")).Code)
	require.Equal(t, 200, w.post(numbered(2, "x")).Code)
}

func TestABatchKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, config.EVMRPC, 2, Options{AttemptTimeout: 2 * time.Second})
		w.a().set(hangs)
		begin := time.Now()
		ids, _ := answerBatch(t, w.post(numbered(2, "x")).Body.Bytes())
		require.Len(t, ids, 2)
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}

func TestAListWithoutAnEndIsNotReadWithoutAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, config.EVMRPC, 2, Options{})
	w.a().set(func(*http.Request, []byte) (*http.Response, error) {
		r := respond(200, "")
		r.ContentLength = -1
		r.Body = &endless{start: "[", piece: `{"id":99,"result":1},`}
		return r, nil
	})
	rec := w.post(numbered(2, "x"))
	require.Equal(t, "b", rec.Header().Get(ProviderHeader))
}

// endless is a body without an end.
type endless struct {
	start, piece string
	at           int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.start)
	e.start = e.start[n:]
	for n < len(b) {
		more := copy(b[n:], e.piece[e.at:])
		n += more
		e.at = (e.at + more) % len(e.piece)
	}
	return n, nil
}

func (e *endless) Close() error { return nil }
