package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// post is a request as Alertmanager makes it.
func post(body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/alertmanager", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Alertmanager/0.25.0")
	return r
}

func TestWebhookRefusesWithAProblem(t *testing.T) {
	t.Parallel()
	good := golden(t, "webhook", "0.25-firing.json")
	for name, c := range map[string]struct {
		change func(*http.Request)
		body   io.Reader
		ready  bool
		want   int
	}{
		"a GET":                        {func(r *http.Request) { r.Method = http.MethodGet }, nil, true, 405},
		"no token":                     {func(r *http.Request) { r.Header.Del("Authorization") }, nil, true, 401},
		"a wrong token":                {func(r *http.Request) { r.Header.Set("Authorization", "Bearer hush") }, nil, true, 401},
		"a token by another scheme":    {func(r *http.Request) { r.Header.Set("Authorization", "Basic s3cret") }, nil, true, 401},
		"a wrong token, not ready":     {func(r *http.Request) { r.Header.Set("Authorization", "Bearer hush") }, nil, false, 401},
		"not ready":                    {func(*http.Request) {}, nil, false, 503},
		"no content type":              {func(r *http.Request) { r.Header.Del("Content-Type") }, nil, true, 415},
		"another content type":         {func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, nil, true, 415},
		"a compressed body":            {func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, nil, true, 415},
		"a body that says it is large": {func(r *http.Request) { r.ContentLength = MaxBody + 1 }, nil, true, 413},
		"a body that is large": {func(r *http.Request) { r.ContentLength = -1 },
			strings.NewReader(strings.Repeat(" ", MaxBody+1)), true, 413},
		"a body that does not arrive": {func(*http.Request) {}, iotest.ErrReader(errors.New("reset")), true, 408},
		"a body that is no webhook":   {func(*http.Request) {}, strings.NewReader(`{"version":"5","hush":"hush"}`), true, 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := newTable(Options{})
			handler := NewWebhook(WebhookOptions{
				Table: table, Token: "s3cret", Ready: func() bool { return c.ready },
				Received: func(Receipt) { t.Error("nothing was received") },
			})
			body := c.body
			if body == nil {
				body = bytes.NewReader(good)
			}
			r := post(body)
			r.Header.Set("Authorization", "Bearer s3cret")
			c.change(r)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			require.Equal(t, c.want, w.Code)
			require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
			var p problem
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
			require.Equal(t, problem{"about:blank", http.StatusText(c.want), c.want, p.Detail}, p)
			require.NotEmpty(t, p.Detail)
			for _, secret := range []string{"hush", "s3cret"} {
				require.NotContains(t, w.Body.String(), secret)
			}
			if c.want == http.StatusMethodNotAllowed {
				require.Equal(t, http.MethodPost, w.Header().Get("Allow"))
			}
			if c.want == http.StatusUnauthorized {
				require.Contains(t, w.Header().Get("WWW-Authenticate"), "Bearer")
			}
			stats := table.Stats(time.Now())
			require.EqualValues(t, 1, stats.Requests[c.want])
			require.Zero(t, stats.Facts[Alertmanager])
		})
	}
}

func TestWebhookTakesInAndCounts(t *testing.T) {
	t.Parallel()
	table := New(Options{}, time.Now())
	table.Apply(map[string][]string{"btc": {"local-daemon"}})
	var receipts []Receipt
	handler := NewWebhook(WebhookOptions{
		Table: table, Token: "s3cret",
		Received: func(r Receipt) { receipts = append(receipts, r) },
	})
	send := func(file string) string {
		r := post(bytes.NewReader(golden(t, "webhook", file)))
		r.Header.Set("Authorization", "bearer s3cret")
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"))
		return strings.TrimSpace(w.Body.String())
	}
	require.Equal(t, `{"applied":2,"duplicate":0,"ignored":0}`, send("0.25-firing.json"))
	require.Equal(t, []string{"ProviderDown"}, names(table.All("btc", time.Now())[1:]))
	require.Equal(t, `{"applied":0,"duplicate":2,"ignored":0}`, send("0.35-firing.json"))
	require.Equal(t, `{"applied":1,"duplicate":1,"ignored":0}`, send("0.35-resolved.json"))
	require.Equal(t, `{"applied":1,"duplicate":0,"ignored":0}`, send("0.25-watchdog.json"))
	require.Equal(t, []string{"ChainSplit"}, names(table.All("btc", time.Now())))
	require.Len(t, receipts, 4)
	require.Equal(t, []string{"btc"}, receipts[0].Chains)
	require.Empty(t, receipts[1].Chains)
	stats := table.Stats(time.Now())
	require.EqualValues(t, 4, stats.Requests[200])
	require.Equal(t, map[Outcome]uint64{
		OutcomeApplied: 4, OutcomeDuplicate: 3, OutcomeStale: 0, OutcomeUnknown: 0, OutcomeIrrelevant: 0,
	}, stats.Alerts)
	require.Equal(t, map[Source]int{Alertmanager: 1, Local: 0}, stats.Facts)
}

func TestWebhookSaysWhenThereIsNoRoom(t *testing.T) {
	t.Parallel()
	table := newTable(Options{})
	now := time.Now()
	for i := range maxRecords {
		receive(t, table, now, down("a", 0).with("instance", strings.Repeat("x", i%100)+string(rune('a'+i/100))))
	}
	handler := NewWebhook(WebhookOptions{Table: table})
	send := func(instance string) int {
		body, err := json.Marshal(map[string]any{"version": "4", "alerts": []any{map[string]any{
			"status": "firing", "startsAt": at(0), "labels": down("a", 0).with("instance", instance).Labels,
		}}})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, post(bytes.NewReader(body)))
		return w.Code
	}
	require.Equal(t, http.StatusServiceUnavailable, send("one more"))
	require.Equal(t, http.StatusOK, send("a"), "what is known is confirmed")
}
