package remote

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is a request as it came in.
type seen struct {
	method, uri, body string
	header            http.Header
}

// controller answers every request with handle, and remembers the last.
func controller(t *testing.T, handle http.HandlerFunc) (*httptest.Server, *seen) {
	t.Helper()
	last := &seen{}
	// The client may send a request again, so that two are under way.
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		*last = seen{r.Method, r.RequestURI, string(body), r.Header}
		mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	return server, last
}

// answers writes a value as JSON.
func answers(status int, mediaType string, value any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
}

// client makes a client that the test closes.
func client(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// file writes a file of the test's own.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestWhatEachMethodAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		ask            func(context.Context, *Client) error
		method, uri    string
		body, mimeType string
	}{
		{"who serves", func(ctx context.Context, c *Client) error { _, err := c.Active(ctx); return err }, "GET", "/prefix/active", "", ""},
		{"who serves after a change", func(ctx context.Context, c *Client) error { _, err := c.Wait(ctx, 42, 30*time.Second); return err }, "GET", "/prefix/active?index=42&wait=30s", "", ""},
		{"all chains", func(ctx context.Context, c *Client) error { _, err := c.Chains(ctx); return err }, "GET", "/prefix/thorchain/providers", "", ""},
		{"a chain", func(ctx context.Context, c *Client) error { _, err := c.Chain(ctx, "btc"); return err }, "GET", "/prefix/thorchain/providers/btc", "", ""},
		{"a chain with a strange name", func(ctx context.Context, c *Client) error { _, err := c.Chain(ctx, "a/b c?d"); return err }, "GET", "/prefix/thorchain/providers/a%2Fb%20c%3Fd", "", ""},
		{"a drain", func(ctx context.Context, c *Client) error {
			_, err := c.Drain(ctx, "btc", "a", Order{Reason: "ticket 1", For: 150 * time.Minute})
			return err
		}, "PUT", "/prefix/thorchain/providers/btc/a/drain", `{"reason":"ticket 1","for":"2h30m"}`, "application/json"},
		{"a drain without end", func(ctx context.Context, c *Client) error { _, err := c.Drain(ctx, "btc", "a", Order{}); return err }, "PUT", "/prefix/thorchain/providers/btc/a/drain", `{}`, "application/json"},
		{"its end", func(ctx context.Context, c *Client) error { _, err := c.Undrain(ctx, "btc", "a"); return err }, "DELETE", "/prefix/thorchain/providers/btc/a/drain", "", ""},
		{"a pin", func(ctx context.Context, c *Client) error {
			_, err := c.Pin(ctx, "btc", "a", Order{For: 24 * time.Hour})
			return err
		}, "PUT", "/prefix/thorchain/providers/btc/pin", `{"provider":"a","for":"1d"}`, "application/json"},
		{"its end", func(ctx context.Context, c *Client) error { _, err := c.Unpin(ctx, "btc"); return err }, "DELETE", "/prefix/thorchain/providers/btc/pin", "", ""},
		{"agreement to a failback", func(ctx context.Context, c *Client) error { _, err := c.Failback(ctx, "btc"); return err }, "POST", "/prefix/thorchain/providers/btc/failback", "", ""},
	} {
		t.Run(c.name+" "+c.method, func(t *testing.T) {
			t.Parallel()
			server, last := controller(t, answers(http.StatusOK, "application/json; charset=utf-8", map[string]any{"unknown": "members are passed over"}))
			require.NoError(t, c.ask(t.Context(), client(t, Options{URL: server.URL + "/prefix/"})))
			require.Equal(t, c.method, last.method)
			require.Equal(t, c.uri, last.uri)
			require.Equal(t, c.body, last.body)
			require.Equal(t, c.mimeType, last.header.Get("Content-Type"))
			require.Contains(t, last.header.Get("User-Agent"), "understudy/")
		})
	}
}

func TestNamesThatWouldLeadElsewhereAreNotSent(t *testing.T) {
	t.Parallel()
	server, last := controller(t, answers(http.StatusOK, "application/json", nil))
	for _, name := range []string{"", ".", ".."} {
		_, err := client(t, Options{URL: server.URL}).Chain(t.Context(), name)
		require.ErrorContains(t, err, "is not a name")
	}
	require.Empty(t, last.method)
}

func TestAnswersAreDecoded(t *testing.T) {
	t.Parallel()
	server, _ := controller(t, answers(http.StatusOK, "application/json", wire.Chain{Chain: "btc", Generation: 7}))
	got, err := client(t, Options{URL: server.URL}).Unpin(t.Context(), "btc")
	require.NoError(t, err)
	require.Equal(t, uint64(7), got.Generation)
}

func TestErrorsSayWhatTheControllerSays(t *testing.T) {
	t.Parallel()
	problem := wire.Problem{Type: "about:blank", Title: "Not Found", Status: 404, Detail: `Chain "x" is not configured.`}
	for _, c := range []struct {
		name              string
		handle            http.HandlerFunc
		says              string
		own, unauthorized bool
		unintelligible    bool
	}{
		{"a problem", answers(404, "application/problem+json", problem), `Not Found: Chain "x" is not configured.`, true, false, false},
		{"a problem without detail", answers(500, "application/problem+json", wire.Problem{Title: "Broken"}), "answers 500 Broken", true, false, false},
		{"a problem that is no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadGateway)
		}, "answers 502 Bad Gateway", false, false, false},
		{"no credentials", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Unauthorized", http.StatusUnauthorized) }, "answers 401 Unauthorized", false, true, false},
		{"not allowed", answers(403, "application/problem+json", wire.Problem{Title: "Forbidden", Detail: "Orders need a token."}), "Forbidden: Orders need a token.", true, true, false},
		{"a status without a name", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(599) }, "answers 599", false, false, false},
		{"a page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello</html>") }, "its answer is text/html, not JSON", false, false, true},
		{"no type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			w.WriteHeader(http.StatusNoContent)
		}, "of no type", false, false, true},
		{"another shape", answers(200, "application/json", []int{1}), "its JSON has another shape", false, false, true},
		{"a redirect", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://other.example/PATHSECRET?QUERYSECRET")
			w.WriteHeader(http.StatusFound)
		}, "it redirects to https://other.example", false, false, true},
		{"a redirect to nowhere", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) }, "it redirects", false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, _ := controller(t, c.handle)
			_, err := client(t, Options{URL: strings.Replace(server.URL, "//", "//u:PASSSECRET@", 1) + "/PATHSECRET"}).Chains(t.Context())
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "SECRET")
			if c.unintelligible {
				require.ErrorAs(t, err, new(*Unintelligible))
				return
			}
			var r *Refusal
			require.ErrorAs(t, err, &r)
			require.Equal(t, c.own, r.Own)
			require.Equal(t, c.unauthorized, r.Unauthorized())
		})
	}
}

func TestNoAnswerIsUnreachable(t *testing.T) {
	t.Parallel()
	server, _ := controller(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, c := range []struct{ name, url, says string }{
		{"nobody listens", "http://u:PASSSECRET@127.0.0.1:1/PATHSECRET", "http://127.0.0.1:1 does not answer: dial tcp 127.0.0.1:1: connect: connection refused"},
		{"the connection breaks", server.URL, "does not answer: EOF"},
		{"TLS where there is none", strings.Replace(server.URL, "http://", "https://", 1), "server gave HTTP response to HTTPS client"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, Options{URL: c.url}).Active(t.Context())
			require.ErrorAs(t, err, new(*Unreachable))
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
}

func TestTheTimeoutLeavesRoomForTheWait(t *testing.T) {
	t.Parallel()
	server, _ := controller(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := client(t, Options{URL: server.URL, Timeout: 10 * time.Millisecond}).Wait(t.Context(), 1, time.Millisecond)
	require.ErrorAs(t, err, new(*Unreachable))
	require.ErrorContains(t, err, "nothing came within 10ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client(t, Options{URL: server.URL}).Active(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestHealthIsWhatTheProcessSays(t *testing.T) {
	t.Parallel()
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, body) }
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		ready  bool
		uri    string
		want   Health
	}{
		{"well", text(200, "Understudy is healthy.\n"), false, "/-/healthy", Health{true, []string{"Understudy is healthy."}}},
		{"not ready, for two reasons", text(503, "Not ready: a.\n\nNot ready: b.\n"), true, "/-/ready", Health{false, []string{"Not ready: a.", "Not ready: b."}}},
		{"not ready, as a problem", answers(503, "application/problem+json", wire.Problem{Title: "Service Unavailable", Detail: "Stopping."}), true, "/-/ready", Health{false, []string{"Service Unavailable: Stopping."}}},
		{"not ready, without a word", text(503, ""), true, "/-/ready", Health{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, last := controller(t, c.handle)
			got, err := client(t, Options{URL: server.URL}).Health(t.Context(), c.ready)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.uri, last.uri)
		})
	}
	server, _ := controller(t, text(404, ""))
	_, err := client(t, Options{URL: server.URL}).Health(t.Context(), false)
	require.ErrorAs(t, err, new(*Refusal), "what is no process of ours is an error")
}

func TestDurationsOfOrders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 0, "30m": 30 * time.Minute, "2h30m": 150 * time.Minute, "1d": 24 * time.Hour, "1w": 168 * time.Hour, "1.5h": 90 * time.Minute, "90s": 90 * time.Second,
	} {
		d, err := ParseFor(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d, text)
	}
	for _, text := range []string{"soon", "2", "-2h", "0", "0s", "500ms", "2h x", "1.5d"} {
		_, err := ParseFor(text)
		require.Error(t, err, text)
	}
}
