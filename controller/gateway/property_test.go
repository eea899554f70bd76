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
	"pgregory.net/rapid"

	"github.com/understudy-rpc/understudy/internal/config"
)

// faults are what a provider may do.
var faults = map[string]answering{
	"good": goodAnswer, "refuses": refuses, "resets": resets, "hangs": hangs, "500": says(500, ""),
	"429": says(429, "", "Retry-After", "7"), "401": says(401, ""), "html": says(200, "<html>"), "empty": says(200, ""),
	"limit": rpcFails(-32005, "limit"), "missing": rpcFails(-32000, "header not found"), "revert": rpcFails(3, "execution reverted"),
	"wrong id": says(200, `{"id":"other","result":1}`), "no id": says(200, `{"error":{"code":-32000,"message":"x"}}`),
	"half": breaks(200, `{"id":`), "half a list": breaks(200, `[{"id":`), "list": says(200, `[{"id":1,"result":1}]`),
	"null": says(200, `null`), "object": says(200, `{}`), "redirect": says(302, "", "Location", "https://x/"),
	"gzip": says(200, "\x1f\x8b", "Content-Encoding", "gzip"), "short batch": shortBatch,
	"failing items": failingItems, "404 page": says(404, "<html>"), "message": says(200, `{"message":"x"}`),
	"400 message": says(400, `{"message":"x"}`), "busy": says(503, "Work queue depth exceeded"),
}

// shortBatch leaves out every other answer of a batch.
func shortBatch(_ *http.Request, body []byte) (*http.Response, error) {
	var list []wireCall
	if json.Unmarshal(body, &list) != nil {
		return goodAnswer(nil, body)
	}
	out := []string{}
	for i, c := range list {
		if i%2 == 0 && c.ID != nil {
			out = append(out, fmt.Sprintf(`{"id":%s,"result":1}`, c.ID))
		}
	}
	return respond(200, "["+strings.Join(out, ",")+"]"), nil
}

// failingItems refuses every third answer of a batch.
func failingItems(_ *http.Request, body []byte) (*http.Response, error) {
	n := 0
	return answerWith(body, func(wireCall) string {
		if n++; n%3 == 0 {
			return `"error":{"code":429,"message":"too many requests"}`
		}
		return `"result":1`
	}), nil
}

var someIDs = []string{`1`, `"1"`, `"\u0041"`, `null`, `123456789012345678901234567890`, `-1.5e3`, `""`, `"a b"`, `true`, ``}

// Whatever the providers do, the client gets exactly one answer with its own ids,
// in time, and from nobody who is not in the route.
func TestEveryRequestHasOneAnswerWithItsOwnIDs(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(faults))
	for name := range faults {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(r, "providers")
		routed := rapid.IntRange(0, n).Draw(r, "in the route")
		hedge := rapid.Bool().Draw(r, "hedge")
		type step struct {
			faults []string
			ids    []string
			batch  bool
			wait   time.Duration
		}
		var steps []step
		for range rapid.IntRange(1, 5).Draw(r, "requests") {
			s := step{
				ids:   rapid.SliceOfN(rapid.SampledFrom(someIDs), 1, 6).Draw(r, "ids"),
				batch: rapid.Bool().Draw(r, "batch"),
				wait:  time.Duration(rapid.IntRange(0, 40).Draw(r, "wait")) * time.Second,
			}
			for range n {
				s.faults = append(s.faults, rapid.SampledFrom(names).Draw(r, "fault"))
			}
			steps = append(steps, s)
		}
		synctest.Test(t, func(t *testing.T) {
			o := Options{AttemptTimeout: 2 * time.Second, RequestTimeout: 7 * time.Second, FailureThreshold: 2}
			if hedge {
				o.HedgeAfter = 500 * time.Millisecond
			}
			w := newWorld(t, config.EVMRPC, n, o)
			w.router.change(theChain, func(r *Route) { r.Endpoints = r.Endpoints[:routed] })
			for _, s := range steps {
				for i, fault := range s.faults {
					w.providers[i].set(faults[fault])
				}
				begin := time.Now()
				checkStep(t, w, s.ids, s.batch)
				require.LessOrEqual(t, time.Since(begin), 7*time.Second)
				for _, p := range w.providers[routed:] {
					require.Zero(t, p.asked(), "a provider outside of the route was asked")
				}
				if routed > 0 && !s.batch {
					checkBest(t, w, s.faults[:routed])
				}
				time.Sleep(s.wait)
			}
			w.gateway.Close()
			for _, r := range w.gateway.lanes[theChain].records {
				require.False(t, r.trial, "a permit was lost")
			}
		})
	})
}

// checkStep makes one request and looks at its answer.
func checkStep(t *testing.T, w *world, ids []string, batch bool) {
	var calls []string
	var wanted []string
	for _, id := range ids {
		if id == "" {
			calls = append(calls, `{"method":"eth_call"}`)
			continue
		}
		calls = append(calls, `{"id":`+id+`,"method":"eth_call"}`)
		wanted = append(wanted, id)
	}
	if !batch {
		body := w.post(calls[0]).Body.Bytes()
		if ids[0] == "" {
			return
		}
		var one struct{ ID, Result, Error json.RawMessage }
		require.NoError(t, json.Unmarshal(body, &one), string(body))
		require.Equal(t, ids[0], string(one.ID), string(body))
		require.NotEqual(t, one.Result == nil, isNull(one.Error), string(body))
		return
	}
	rec := w.post("[" + strings.Join(calls, ",") + "]")
	if len(wanted) == 0 {
		return
	}
	got, _ := answerBatch(t, rec.Body.Bytes())
	require.Equal(t, wanted, got, rec.Body.String())
}

// checkBest asks once more, after all quarantines: while one provider is good, the
// client sees no error of another one's.
func checkBest(t *testing.T, w *world, doing []string) {
	if !slices.Contains(doing, "good") || slices.Contains(doing, "revert") || slices.Contains(doing, "no id") {
		return
	}
	time.Sleep(time.Minute)
	rec := w.post(`{"id":1,"method":"eth_call"}`)
	require.Equal(t, 200, rec.Code, doing)
	require.Contains(t, rec.Body.String(), "result", doing)
}
