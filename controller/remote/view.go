package remote

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Active is who serves which chain.
func (c *Client) Active(ctx context.Context) (wire.ActiveList, error) {
	return get[wire.ActiveList](ctx, c, request{path: []string{"active"}})
}

// Wait is Active as soon as its index has passed after, or when the wait is over.
// It promises no change.
func (c *Client) Wait(ctx context.Context, after uint64, wait time.Duration) (wire.ActiveList, error) {
	query := url.Values{"index": {strconv.FormatUint(after, 10)}, "wait": {wait.String()}}
	return get[wire.ActiveList](ctx, c, request{path: []string{"active"}, query: query, wait: wait})
}

// Chains are all chains, without events.
func (c *Client) Chains(ctx context.Context) (wire.ChainList, error) {
	return get[wire.ChainList](ctx, c, request{path: []string{"thorchain", "providers"}})
}

// Chain is one chain, with its latest events.
func (c *Client) Chain(ctx context.Context, chain string) (wire.Chain, error) {
	return get[wire.Chain](ctx, c, request{path: []string{"thorchain", "providers", chain}})
}

// get asks for a value.
func get[T any](ctx context.Context, c *Client, r request) (T, error) {
	r.method = http.MethodGet
	a, err := c.send(ctx, r)
	if err != nil {
		var none T
		return none, err
	}
	return decode[T](c, a)
}

// Health is how a process says that it is.
type Health struct {
	OK bool
	// Reasons are its words, a line each.
	Reasons []string
}

// Health asks whether the process is well or, with ready, whether it is ready to
// work. A process that says no is no error. It works with an exporter as well.
func (c *Client) Health(ctx context.Context, ready bool) (Health, error) {
	path := []string{"-", "healthy"}
	if ready {
		path[1] = "ready"
	}
	a, err := c.send(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return Health{}, err
	}
	h := Health{OK: a.status == http.StatusOK}
	if !h.OK && a.status != http.StatusServiceUnavailable {
		return Health{}, c.refusal(a)
	}
	text := string(a.body)
	if mediaType(a) == "application/problem+json" {
		text = c.refusal(a).Error()
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			h.Reasons = append(h.Reasons, line)
		}
	}
	return h, nil
}
