package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// minPause lies between two looks, so that a controller which never waits is
	// not asked without end.
	minPause = 250 * time.Millisecond
	// maxPause is the longest wait of a client that gets no answer.
	maxPause = 15 * time.Second
)

// Sight is one look at the chains.
type Sight struct {
	Chains []wire.Chain
	// Err says why there is nothing new; the watch goes on.
	Err error
}

// Watch shows all chains, or the one that is named, at once and whenever a
// decision about them or the state of a provider has changed. With refresh it shows them after each wait as
// well, for what changes without a decision. It returns when the context ends, or
// with the error of the first look.
func (c *Client) Watch(ctx context.Context, chain string, wait time.Duration, refresh bool, show func(Sight)) error {
	list, err := c.Active(ctx)
	if err != nil {
		return unlessOver(ctx, err)
	}
	chains, err := c.look(ctx, chain)
	if err != nil {
		return unlessOver(ctx, err)
	}
	show(Sight{Chains: chains})
	w := watch{client: c, chain: chain, wait: wait, refresh: refresh, index: list.Index, shown: marksOf(chains)}
	for pause := minPause; sleep(ctx, pause); {
		sight, news := w.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case sight.Err != nil:
			pause = min(max(2*pause, time.Second), maxPause)
		default:
			pause = minPause
		}
		if news {
			show(sight)
		}
	}
	return nil
}

// watch is what was shown last.
type watch struct {
	client  *Client
	chain   string
	wait    time.Duration
	refresh bool
	index   uint64
	shown   map[string]string
	failing bool
}

// next waits for a change; false says that there is nothing to show.
func (w *watch) next(ctx context.Context) (Sight, bool) {
	ask := func() (wire.ActiveList, error) { return w.client.Wait(ctx, w.index, w.wait) }
	if w.failing {
		// That it answers again is news.
		ask = func() (wire.ActiveList, error) { return w.client.Active(ctx) }
	}
	list, err := ask()
	var chains []wire.Chain
	if err == nil {
		chains, err = w.client.look(ctx, w.chain)
	}
	if err != nil {
		first := !w.failing
		w.failing = true
		return Sight{Err: err}, first || w.refresh
	}
	now := marksOf(chains)
	news := w.refresh || w.failing || !maps.Equal(now, w.shown)
	w.index, w.shown, w.failing = list.Index, now, false
	return Sight{Chains: chains}, news
}

// look asks for one chain or for all.
func (c *Client) look(ctx context.Context, chain string) ([]wire.Chain, error) {
	if chain == "" {
		list, err := c.Chains(ctx)
		return list.Chains, err
	}
	one, err := c.Chain(ctx, chain)
	return []wire.Chain{one}, err
}

// marksOf are, by chain, what makes it worth showing again.
func marksOf(chains []wire.Chain) map[string]string {
	marks := make(map[string]string, len(chains))
	for _, c := range chains {
		mark := fmt.Sprint(c.Index, c.State)
		for _, p := range c.Providers {
			mark += " " + p.Name + " " + p.Status
		}
		marks[c.Chain] = mark
	}
	return marks
}

// unlessOver is no error if the caller ended the watch.
func unlessOver(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// sleep waits; false says that the context has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
