package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/client"
	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/simulator"
)

// followed is a controller in a process of its own, with a program that follows
// it.
type followed struct {
	*process
	// client is watched, own is that of the transport.
	client, own *client.Client
	transport   *client.Transport
	http        *http.Client
	questions   *questions
	providers   map[string]*simulator.Provider
	// told is what Watch gave.
	told chan told
}

// questions are the paths that a client has asked a controller for.
type questions struct {
	mu    sync.Mutex
	paths []string
}

// RoundTrip implements http.RoundTripper.
func (q *questions) RoundTrip(r *http.Request) (*http.Response, error) {
	q.mu.Lock()
	q.paths = append(q.paths, r.URL.Path)
	q.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// settled says whether the client has learnt the addresses of the fallbacks: it
// asks for them after each change, and then waits for the next one.
func (q *questions) settled() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	addresses := slices.Index(q.paths, "/thorchain/providers/eth")
	return addresses >= 0 && slices.Contains(q.paths[addresses:], "/active/eth")
}

type told struct {
	active wire.Active
	err    error
}

// follow starts both.
func follow(t *testing.T) *followed {
	t.Helper()
	path, providers := ethereum(t, "a", "b", "c")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	quick := strings.Replace(hasty, "{", "{recovery_check_interval: 500ms, min_recovery_checks: 2, ", 1)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), hasty, quick)), 0o600))
	f := &followed{process: startCommand(t, "run", nil, "--config.file="+path), providers: providers, told: make(chan told), questions: &questions{}}
	f.ready()
	f.client, err = client.New(client.Options{URL: "http://" + f.address, Wait: 5 * time.Second})
	require.NoError(t, err)
	f.own, err = client.New(client.Options{URL: "http://" + f.address, Wait: 5 * time.Second, HTTPClient: &http.Client{Transport: f.questions}})
	require.NoError(t, err)
	f.transport = f.own.Transport("eth", client.TransportOptions{Types: []string{"evm-rpc"}})
	f.http = &http.Client{Transport: f.transport, Timeout: 30 * time.Second}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for active, err := range f.client.Watch(ctx, "eth") {
			select {
			case f.told <- told{active, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		require.NoError(t, f.client.Close())
		require.NoError(t, f.own.Close())
	})
	return f
}

// hear waits until Watch gives what is wanted.
func (f *followed) hear(what string, wanted func(told) bool) told {
	f.t.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case got := <-f.told:
			if wanted(got) {
				return got
			}
		case <-deadline:
			require.Fail(f.t, "Watch did not give it", what)
		}
	}
}

// serves is what is wanted when a provider serves.
func serves(provider string) func(told) bool {
	return func(got told) bool { return got.err == nil && nameOf(got.active.Provider) == provider }
}

// call asks for the height through the transport, and gives who answered.
func (f *followed) call() string {
	f.t.Helper()
	response, err := f.http.Post("http://eth.invalid", "application/json", strings.NewReader(heightCall))
	require.NoError(f.t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	var answer struct{ Result string }
	require.NoError(f.t, json.Unmarshal(body, &answer), string(body))
	require.Equal(f.t, "0x3e8", answer.Result)
	return response.Header.Get(client.ProviderHeader)
}

func TestTheClientFollowsARealControllerAndOutlivesIt(t *testing.T) {
	t.Parallel()
	f := follow(t)
	first := f.hear("the first provider", serves("a")).active
	active, err := f.client.Active(t.Context(), "eth")
	require.NoError(t, err)
	require.Equal(t, "a", nameOf(active.Provider))
	require.Equal(t, first.Generation, active.Generation)
	_, err = f.client.Active(t.Context(), "btc")
	require.ErrorIs(t, err, client.ErrUnknownChain)
	f.eventually(func() bool { return nameOf(f.transport.Status().Active.Provider) == "a" }, "the transport knows the provider")
	require.Equal(t, "a", f.call())
	f.eventually(func() bool { return len(f.transport.Status().Active.Fallbacks) == 2 && f.questions.settled() }, "the fallbacks are known")

	// A failover: requests go on at once, before the controller knows, and with it.
	f.providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	require.Equal(t, "b", f.call(), "no connection: the fallback that the controller named")
	second := f.hear("the failover", serves("b")).active
	require.Greater(t, second.Generation, first.Generation)
	require.Greater(t, second.Index, first.Index)
	require.Equal(t, "b", f.call())
	// One that answers with errors is the controller's to leave.
	f.providers["b"].SetBehaviour(simulator.Behaviour{RateLimit: &simulator.RateLimit{}})
	f.hear("the second failover", serves("c"))
	f.eventually(func() bool { return nameOf(f.transport.Status().Active.Provider) == "c" }, "the transport hears it too")
	require.Equal(t, "c", f.call())
	f.providers["b"].SetBehaviour(simulator.Behaviour{})
	f.providers["a"].SetBehaviour(simulator.Behaviour{})

	// The controller is killed while c serves: nothing changes.
	f.hear("who was preferred is back", serves("a"))
	f.eventually(func() bool { return nameOf(f.transport.Status().Active.Provider) == "a" }, "the transport follows")
	held := f.transport.Status().Active
	require.NoError(t, f.cmd.Process.Kill())
	_ = f.cmd.Wait()
	lost := f.hear("the loss of the controller", func(got told) bool { return got.err != nil })
	require.Equal(t, "a", nameOf(lost.active.Provider), "what is known stays in force")
	require.Equal(t, "a", f.call())
	f.providers["a"].SetBehaviour(simulator.Behaviour{Mode: simulator.ModeRefuse})
	require.NotEqual(t, "a", f.call(), "the fallbacks are known, too")
	f.eventually(func() bool { return f.transport.Status().Err != nil }, "who cares can see it")
	status := f.transport.Status()
	require.Equal(t, held.Generation, status.Active.Generation)
	require.Positive(t, status.Age)
	_, err = f.client.Active(t.Context(), "eth")
	require.Error(t, err, "a plain question has no answer")
}
