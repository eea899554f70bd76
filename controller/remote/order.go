package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/common/model"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Order is what an operator gives with an order.
type Order struct {
	// Reason is for people, and may be empty.
	Reason string
	// For is how long the order holds; zero: until it is taken back.
	For time.Duration
}

// ParseFor reads how long an order is to hold, in Prometheus's notation (2h30m,
// 1d) or Go's (1.5h). Empty is zero: until it is taken back.
func ParseFor(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if p, wrong := model.ParseDuration(s); wrong == nil {
		d, err = time.Duration(p), nil
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is not a duration; 30m, 2h30m and 1d are", s)
	case d < time.Second:
		return 0, errors.New("an order holds for a second or more; without a duration it holds until it is taken back")
	}
	return d, nil
}

// words is the duration as it is sent.
func (o Order) words() string {
	if o.For == 0 {
		return ""
	}
	return model.Duration(o.For).String()
}

// Drain takes a provider out of service. It replaces an order of that kind.
func (c *Client) Drain(ctx context.Context, chain, provider string, o Order) (wire.Chain, error) {
	return c.order(ctx, http.MethodPut, wire.DrainRequest{Reason: o.Reason, For: o.words()}, chain, provider, "drain")
}

// Undrain takes that back.
func (c *Client) Undrain(ctx context.Context, chain, provider string) (wire.Chain, error) {
	return c.order(ctx, http.MethodDelete, nil, chain, provider, "drain")
}

// Pin wants a provider to serve as long as it is fit. It replaces an order of that
// kind.
func (c *Client) Pin(ctx context.Context, chain, provider string, o Order) (wire.Chain, error) {
	return c.order(ctx, http.MethodPut, wire.PinRequest{Provider: provider, Reason: o.Reason, For: o.words()}, chain, "pin")
}

// Unpin takes that back.
func (c *Client) Unpin(ctx context.Context, chain string) (wire.Chain, error) {
	return c.order(ctx, http.MethodDelete, nil, chain, "pin")
}

// Failback agrees to the return to a preferred provider.
func (c *Client) Failback(ctx context.Context, chain string) (wire.Chain, error) {
	return c.order(ctx, http.MethodPost, nil, chain, "failback")
}

// order sends an order. The answer is the chain as it is then. Without an error
// the order is in force; with an Unreachable it may be as well.
func (c *Client) order(ctx context.Context, method string, body any, path ...string) (wire.Chain, error) {
	a, err := c.send(ctx, request{method: method, path: append([]string{"thorchain", "providers"}, path...), body: body})
	if err != nil {
		return wire.Chain{}, err
	}
	return decode[wire.Chain](c, a)
}
