package exporter_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/exporter"
	"github.com/understudy-rpc/understudy/internal/config"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// world is an exporter with simulated providers to probe and a configuration
// that a test can change.
type world struct {
	t         *testing.T
	chain     *simulator.Chain
	server    *simulator.Server
	providers map[string]*simulator.Provider
	urls      map[string]string
	log       *lockedBuffer

	mu   sync.Mutex
	text string
}

// newWorld starts one provider of an Ethereum chain for each name.
func newWorld(t *testing.T, names ...string) *world {
	t.Helper()
	w := &world{
		t:         t,
		chain:     simulator.NewChain(simulator.ChainOptions{Name: "eth", Kind: config.EVM, BaseHeight: 1000}),
		server:    &simulator.Server{},
		providers: map[string]*simulator.Provider{}, urls: map[string]string{}, log: &lockedBuffer{},
	}
	t.Cleanup(func() { require.NoError(t, w.server.Close()) })
	for _, name := range names {
		p := simulator.NewProvider(w.chain, simulator.ProviderOptions{Name: name, Type: config.EVMRPC})
		url, err := w.server.Listen(p)
		require.NoError(t, err)
		w.providers[name], w.urls[name] = p, url
	}
	w.configure(names...)
	return w
}

// fast is a policy with which things happen soon.
const fast = "{health_check_interval: 50ms, suspect_check_interval: 20ms, error_window: 2s, integrity: {interval: 100ms}}"

// configure writes a configuration with these providers, in this order.
func (w *world) configure(names ...string) { w.configureWith(fast, names...) }

// configureWith is configure with a policy.
func (w *world) configureWith(policy string, names ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "chains:\n  eth:\n    failover: %s\n    providers:\n", policy)
	for i, name := range names {
		fmt.Fprintf(&b, "      - {name: %s, type: evm-rpc, priority: %d, rpc_host: %q}\n", name, i+1, w.urls[name])
	}
	w.setConfig(b.String())
}

// setConfig puts a text in the place of the configuration file.
func (w *world) setConfig(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = text
}

// load is what the exporter reads its configuration with.
func (w *world) load() (config.Config, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return config.Parse("test.yml", []byte(w.text), func(string) (string, bool) { return "", false })
}

// start runs an exporter until the test ends and serves it.
func (w *world) start(o exporter.HandlerOptions) (*exporter.Exporter, *httptest.Server) {
	w.t.Helper()
	e, err := exporter.New(exporter.Options{
		Load:   w.load,
		Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	server := httptest.NewServer(e.Handler(o))
	w.t.Cleanup(func() {
		server.Close()
		cancel()
		require.NoError(w.t, <-done)
		http.DefaultClient.CloseIdleConnections()
	})
	return e, server
}

// eventually waits for what happens on timers and connections of its own.
func (w *world) eventually(condition func() bool, what string) {
	w.t.Helper()
	require.Eventually(w.t, condition, time.Minute, 10*time.Millisecond, what)
}

// get is the status and the body of a page.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	return do(t, http.MethodGet, url, "")
}

// do sends a request and reads the whole answer.
func do(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
