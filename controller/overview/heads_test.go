package overview_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/overview"
	"github.com/understudy-rpc/understudy/internal/config"
)

// exporters answer with what stands under the address that is asked.
type exporters struct {
	mu   sync.Mutex
	says map[string]string
	told []overview.Head
	// deaf says that nobody can make use of what is told.
	deaf bool
}

// say sets an exporter's answer; without one it refuses.
func (e *exporters) say(address, body string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.says[address] = body
}

// hear is what was told of in the next round of questions.
func (e *exporters) hear() []overview.Head {
	time.Sleep(5 * time.Second)
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	heard := e.told
	e.told = nil
	return heard
}

func (e *exporters) tell(h overview.Head) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, h)
	return !e.deaf
}

func (e *exporters) setDeaf(deaf bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deaf = deaf
}

// RoundTrip implements http.RoundTripper.
func (e *exporters) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	body := e.says[r.URL.String()]
	if body == "" {
		return nil, errors.New("refused")
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func TestHeadsAreToldOnceForEachExporter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const (
			near, far = "http://near.example/sub/heads", "http://far.example/heads"
			first     = `{"heads":[{"chain":"eth","provider":"a","height":7,"hash":"0a","parent":"09","last_error":{"reason":"dns","message":"gone"}},{"chain":"eth","provider":"b"}]}`
			second    = `{"heads":[{"chain":"eth","provider":"a","height":8,"hash":"0b","parent":"0a"},{"chain":"eth","provider":"b","height":8,"hash":"0b"}]}`
		)
		a7 := overview.Head{Chain: "eth", Provider: "a", Height: 7, Hash: "0a", Parent: "09"}
		a8 := overview.Head{Chain: "eth", Provider: "a", Height: 8, Hash: "0b", Parent: "0a"}
		b8 := overview.Head{Chain: "eth", Provider: "b", Height: 8, Hash: "0b"}
		answers := &exporters{says: map[string]string{near: first, far: first}}
		var metrics []config.URL
		for _, u := range []string{"http://near.example/sub/metrics", "http://far.example/metrics"} {
			parsed, err := config.ParseURL(u)
			require.NoError(t, err)
			metrics = append(metrics, parsed)
		}
		h := overview.NewHeads(metrics, &http.Client{Transport: answers}, slog.New(slog.DiscardHandler), answers.tell)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		// From now on everything is between two rounds.
		time.Sleep(time.Second)

		require.Equal(t, []overview.Head{a7, a7}, answers.hear(), "each exporter's word; b has no hash")
		d, ok := h.Detail("eth", "a")
		require.True(t, ok)
		require.Equal(t, "0a", d.Hash)
		require.Equal(t, "gone", d.LastError.Message)
		require.Empty(t, answers.hear(), "nothing is new")
		answers.say(near, second)
		require.Equal(t, []overview.Head{a8, b8}, answers.hear())
		answers.say(near, "")
		require.Empty(t, answers.hear())
		answers.say(near, second)
		require.Empty(t, answers.hear(), "what an exporter told before its silence is not told again")
		answers.say(near, first)
		require.Equal(t, []overview.Head{a7}, answers.hear(), "it went back")

		answers.setDeaf(true)
		answers.say(near, second)
		require.Equal(t, []overview.Head{a8, b8}, answers.hear())
		answers.setDeaf(false)
		require.Equal(t, []overview.Head{a8, b8}, answers.hear(), "it was of no use the first time")
		require.Empty(t, answers.hear())

		cancel()
		require.NoError(t, <-ended)
	})
}
