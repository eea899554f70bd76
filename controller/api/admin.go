package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// orderTimeout bounds how long an order may take to be in force.
const orderTimeout = 10 * time.Second

// command reads an order from a request and returns what carries it out.
type command func(http.ResponseWriter, *http.Request) (func(context.Context) error, *problem)

// ordered carries out an order of a caller who may give one, and answers with the
// chain as it is then.
func (a *API) ordered(c command) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if wrong := a.guard(r); wrong != nil {
			return wrong
		}
		act, wrong := c(w, r)
		if wrong != nil {
			return wrong
		}
		ctx, cancel := context.WithTimeout(r.Context(), orderTimeout)
		defer cancel()
		if err := act(ctx); err != nil {
			return a.refusal(ctx, r, err)
		}
		return a.sendChain(w, r, param(r, "chain"), nil)
	}
}

// refusal says why an order was not carried out.
func (a *API) refusal(ctx context.Context, r *http.Request, err error) error {
	chain, provider := param(r, "chain"), param(r, "provider")
	switch {
	case errors.Is(err, ErrUnknownChain):
		return unknownChain(chain)
	case errors.Is(err, ErrUnknownProvider) && provider != "":
		return refuse(http.StatusNotFound, "Chain %q has no provider %q.", shortened(chain), shortened(provider))
	case errors.Is(err, ErrUnknownProvider):
		return refuse(http.StatusNotFound, "Chain %q has no such provider.", shortened(chain))
	case errors.Is(err, ErrNothingAwaits):
		return refuse(http.StatusConflict, "No preferred provider of chain %q waits for approval.", shortened(chain))
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return refuse(http.StatusServiceUnavailable, "The order was not in force in time. It may still come into force.").with("Retry-After", retryAfter)
	}
	return err
}

func (a *API) drain(w http.ResponseWriter, r *http.Request) (func(context.Context) error, *problem) {
	var request wire.DrainRequest
	if wrong := readBody(w, r, members{"reason": &request.Reason, "for": &request.For}); wrong != nil {
		return nil, wrong
	}
	o, wrong := orderOf(request.Reason, request.For)
	if wrong != nil {
		return nil, wrong
	}
	chain, provider := param(r, "chain"), param(r, "provider")
	return func(ctx context.Context) error { return a.operator.Drain(ctx, chain, provider, o) }, nil
}

func (a *API) undrain(_ http.ResponseWriter, r *http.Request) (func(context.Context) error, *problem) {
	chain, provider := param(r, "chain"), param(r, "provider")
	return func(ctx context.Context) error { return a.operator.Undrain(ctx, chain, provider) }, nil
}

func (a *API) pin(w http.ResponseWriter, r *http.Request) (func(context.Context) error, *problem) {
	var request wire.PinRequest
	if wrong := readBody(w, r, members{"provider": &request.Provider, "reason": &request.Reason, "for": &request.For}); wrong != nil {
		return nil, wrong
	}
	if request.Provider == "" {
		return nil, refuse(http.StatusBadRequest, `The body has to name the provider, as in {"provider": "NAME"}.`)
	}
	o, wrong := orderOf(request.Reason, request.For)
	if wrong != nil {
		return nil, wrong
	}
	chain := param(r, "chain")
	return func(ctx context.Context) error { return a.operator.Pin(ctx, chain, request.Provider, o) }, nil
}

func (a *API) unpin(_ http.ResponseWriter, r *http.Request) (func(context.Context) error, *problem) {
	chain := param(r, "chain")
	return func(ctx context.Context) error { return a.operator.Unpin(ctx, chain) }, nil
}

func (a *API) failback(_ http.ResponseWriter, r *http.Request) (func(context.Context) error, *problem) {
	chain := param(r, "chain")
	return func(ctx context.Context) error { return a.operator.Failback(ctx, chain) }, nil
}
