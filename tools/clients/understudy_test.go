//go:build e2e

// Package clients has no code but tests: the Go clients that programs use, sent
// through the gateway while real nodes fail. It is a module of its own, so that
// Understudy does not depend on them.
package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/node"
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "understudy")
	if err == nil {
		program = filepath.Join(dir, "understudy")
		build := exec.Command("go", "build", "-o", program, "./cmd/understudy")
		build.Dir = filepath.Join("..", "..")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build understudy:", err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// start runs understudy with a configuration and gives its address once so many
// providers of the chain may be asked.
func start(t *testing.T, chain string, providers int, configuration string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "understudy.yml")
	require.NoError(t, os.WriteFile(file, []byte(configuration), 0o600))
	address := node.FreeAddress(t)
	node.Start(t, node.Spec{
		Name: "understudy", Binary: program,
		Args: []string{"run", "--config.file=" + file, "--web.listen-address=" + address, "--storage.path=" + t.TempDir()},
		Ready: func(ctx context.Context) error {
			f, err := failover(ctx, address, chain)
			if err == nil && f.HealthyEndpoints != providers {
				err = fmt.Errorf("%d of %d providers may be asked", f.HealthyEndpoints, providers)
			}
			return err
		},
	})
	return address
}

// endpoints is what the gateway knows of a chain.
type endpoints struct {
	ActiveIndex, HealthyEndpoints int
	Endpoints                     []struct{ TotalFailures uint64 }
}

// failover asks for it.
func failover(ctx context.Context, address, chain string) (endpoints, error) {
	var health struct{ Failover *endpoints }
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health?chain="+chain, nil)
	if err != nil {
		return endpoints{}, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return endpoints{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(&health); err != nil {
		return endpoints{}, err
	}
	if health.Failover == nil {
		return endpoints{}, errors.New("nothing is forwarded yet")
	}
	return *health.Failover, nil
}

// load repeats a client's calls until it is ended, and keeps what went wrong.
type load struct {
	t      *testing.T
	cancel context.CancelFunc
	ended  chan struct{}

	mu     sync.Mutex
	rounds int
	errors []error
}

// repeat begins a load.
func repeat(t *testing.T, round func(ctx context.Context) error) *load {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &load{t: t, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for ctx.Err() == nil {
			// A round that has begun is ended, so that nothing looks like an error.
			within, done := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			err := round(within)
			done()
			l.mu.Lock()
			l.rounds++
			if err != nil {
				l.errors = append(l.errors, fmt.Errorf("round %d: %w", l.rounds, err))
			}
			l.mu.Unlock()
		}
	}()
	t.Cleanup(l.end)
	return l
}

// more waits for further rounds to end.
func (l *load) more(rounds int, what string) {
	l.t.Helper()
	l.mu.Lock()
	want := l.rounds + rounds
	l.mu.Unlock()
	require.Eventually(l.t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.rounds >= want
	}, 2*time.Minute, 20*time.Millisecond, what)
}

func (l *load) end() {
	l.cancel()
	<-l.ended
}

// quiet ends the load, which must have seen no error.
func (l *load) quiet() {
	l.t.Helper()
	l.end()
	require.Empty(l.t, l.errors, "after %d rounds", l.rounds)
}
