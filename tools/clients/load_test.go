//go:build e2e

package clients

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pause lies between two rounds, so that the nodes have the machine as well.
const pause = 30 * time.Millisecond

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
			time.Sleep(pause)
		}
	}()
	t.Cleanup(l.end)
	return l
}

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

func (l *load) quiet() {
	l.t.Helper()
	l.end()
	require.Empty(l.t, l.errors, "after %d rounds", l.rounds)
}
