//go:build e2e

package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// witness asks a controller without pause who serves, as a program does that
// depends on it, and remembers every answer over all of the controller's lives.
type witness struct {
	mu       sync.Mutex
	banned   map[string]ban         // Who must not serve, by chain.
	latest   map[string]wire.Active // The newest answer, by chain.
	decided  map[uint64]wire.Active // What was told of a chain, by index.
	serving  map[string]string      // Who served, by chain and generation.
	index    uint64
	mistakes []string
}

// ban says that a provider must not serve after an index.
type ban struct {
	provider string
	index    uint64
}

// startWitness lets one watch until the test ends, which then fails for what was
// wrong.
func startWitness(t *testing.T, address string) *witness {
	t.Helper()
	w := &witness{
		banned: map[string]ban{}, latest: map[string]wire.Active{},
		decided: map[uint64]wire.Active{}, serving: map[string]string{},
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			w.mu.Lock()
			index := w.index
			w.mu.Unlock()
			var list wire.ActiveList
			if fetch(ctx, fmt.Sprintf("http://%s/active?index=%d&wait=5s", address, index), &list) == nil {
				w.see(list)
				continue
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond): // It is dead just now.
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		watching.Wait()
		for _, m := range w.mistakes {
			t.Errorf("who watches saw: %s", m)
		}
	})
	return w
}

// ban says that a provider must not serve a chain from an answer on.
func (w *witness) ban(provider string, since wire.Active) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.banned[since.Chain] = ban{provider, since.Index}
}

// see takes in an answer.
func (w *witness) see(list wire.ActiveList) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if list.Index < w.index {
		w.blame("the index went from %d back to %d", w.index, list.Index)
	}
	w.index = max(w.index, list.Index)
	for _, a := range list.Chains {
		w.seeActive(a)
	}
}

func (w *witness) seeActive(a wire.Active) {
	who := nameOf(a.Provider)
	before, known := w.latest[a.Chain]
	w.latest[a.Chain] = a
	if known && (a.Index < before.Index || a.Generation < before.Generation) {
		w.blame("%s went back from index %d, generation %d to %d, %d", a.Chain, before.Index, before.Generation, a.Index, a.Generation)
	}
	if old, told := w.decided[a.Index]; told && a.Index > 0 && (old.Chain != a.Chain || nameOf(old.Provider) != who || old.Generation != a.Generation) {
		w.blame("index %d stands for %s %q and for %s %q", a.Index, old.Chain, nameOf(old.Provider), a.Chain, who)
	}
	w.decided[a.Index] = a
	if who == "" {
		return
	}
	life := fmt.Sprintf("generation %d of %s", a.Generation, a.Chain)
	if old := w.serving[life]; old != "" && old != who {
		w.blame("%s stands for %s and for %s", life, old, who)
	}
	w.serving[life] = who
	if b, ok := w.banned[a.Chain]; ok && b.provider == who && a.Index >= b.index {
		w.blame("%s serves %s", who, a.Chain)
	}
}

func (w *witness) blame(format string, args ...any) {
	w.mistakes = append(w.mistakes, fmt.Sprintf(format, args...))
}
