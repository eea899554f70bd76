package controller

import (
	"context"
	"time"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/decision"
)

// Drain takes a provider out of service.
func (c *Controller) Drain(ctx context.Context, chain, provider string, o api.Order) error {
	return c.command(ctx, chain, decision.Command{Kind: decision.Drain, Provider: provider, Reason: o.Reason, Until: until(o)})
}

// Undrain puts it back into service.
func (c *Controller) Undrain(ctx context.Context, chain, provider string) error {
	return c.command(ctx, chain, decision.Command{Kind: decision.Undrain, Provider: provider})
}

// Pin wants a provider to serve.
func (c *Controller) Pin(ctx context.Context, chain, provider string, o api.Order) error {
	return c.command(ctx, chain, decision.Command{Kind: decision.SetPin, Provider: provider, Reason: o.Reason, Until: until(o)})
}

// Unpin ends that.
func (c *Controller) Unpin(ctx context.Context, chain string) error {
	return c.command(ctx, chain, decision.Command{Kind: decision.Unpin})
}

// Failback agrees to a failback that awaits an operator.
func (c *Controller) Failback(ctx context.Context, chain string) error {
	return c.command(ctx, chain, decision.Command{Kind: decision.Failback})
}

// until is when an order ends; zero: when it is taken back.
func until(o api.Order) time.Time {
	if o.For <= 0 {
		return time.Time{}
	}
	return time.Now().Add(o.For).UTC().Round(0)
}

var _ api.Operator = (*Controller)(nil)
