package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/understudy-rpc/understudy/controller/api"
	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// maxForm bounds a form, in bytes, and formTimeout how long it may take to
	// arrive.
	maxForm     = 8 << 10
	formTimeout = 10 * time.Second
	// orderTimeout bounds how long an order may take to be in force.
	orderTimeout = 10 * time.Second
)

// readForm reads a form, or says what is wrong with it.
func readForm(w http.ResponseWriter, r *http.Request) string {
	// A writer that knows no deadline is a test's.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTimeout))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return "The form did not arrive whole, or is too large."
	}
	return ""
}

// order is what a form asks for.
type order struct {
	chain, provider string
	api.Order
}

// ordered carries out an order of a caller who may give one, and then shows the
// chain's page with what became of it.
func (web *Web) ordered(name string, act func(context.Context, order) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o := order{chain: param(r, "chain"), provider: param(r, "provider")}
		c, known := web.View.Chain(o.chain)
		if !known {
			web.sendProblem(w, r, http.StatusNotFound, "There is no such chain.")
			return
		}
		refuse := func(status int, text string) {
			p := web.chainPage(r, c, defaultWindow)
			p.Problem = text
			web.send(w, status, "chain", p)
		}
		switch who := web.caller(r); {
		case web.Guard.CheckOrigin(r) != nil:
			refuse(http.StatusForbidden, "Nothing was done: the request comes from a page of another site.")
			return
		case !who.May && who.NeedsToken:
			refuse(http.StatusUnauthorized, "Nothing was done: sign in with the admin token first.")
			return
		case !who.May:
			refuse(http.StatusForbidden, notTrusted)
			return
		}
		if wrong := readForm(w, r); wrong != "" {
			refuse(http.StatusBadRequest, wrong)
			return
		}
		var err error
		if o.Order, err = api.NewOrder(r.PostFormValue("reason"), r.PostFormValue("for")); err != nil {
			refuse(http.StatusBadRequest, "Nothing was done: "+err.Error())
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), orderTimeout)
		defer cancel()
		if err := act(ctx, o); err != nil {
			status, text := refusal(ctx, o, err)
			if status == http.StatusInternalServerError {
				web.logger.Error("An order was not carried out", "chain", o.chain, "provider", o.provider, "order", name, "err", err)
			}
			refuse(status, text)
			return
		}
		query := url.Values{"done": {name}, "provider": {o.provider}}
		seeOther(w, "../../"+url.PathEscape(o.chain)+"?"+query.Encode())
	}
}

// notTrusted says who may give orders where there is no token.
const notTrusted = "Orders are taken on a loopback listener, under the name localhost, an IP address or the external URL's host, and from authenticated callers. Set --web.admin-token-file, or basic_auth_users in --web.config.file."

// refusal says why an order was not carried out.
func refusal(ctx context.Context, o order, err error) (int, string) {
	switch {
	case errors.Is(err, api.ErrUnknownChain):
		return http.StatusNotFound, "There is no such chain."
	case errors.Is(err, api.ErrUnknownProvider):
		return http.StatusNotFound, fmt.Sprintf("Chain %q has no provider %q.", o.chain, o.provider)
	case errors.Is(err, api.ErrNothingAwaits):
		return http.StatusConflict, "Nothing was done: no preferred provider waits for approval any more."
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "The order was not in force in time. It may still come into force."
	}
	return http.StatusInternalServerError, "The order was not carried out. The log says why."
}

func (web *Web) drain(ctx context.Context, o order) error {
	return web.Operator.Drain(ctx, o.chain, o.provider, o.Order)
}

func (web *Web) undrain(ctx context.Context, o order) error {
	return web.Operator.Undrain(ctx, o.chain, o.provider)
}

func (web *Web) pin(ctx context.Context, o order) error {
	return web.Operator.Pin(ctx, o.chain, o.provider, o.Order)
}

func (web *Web) unpin(ctx context.Context, o order) error { return web.Operator.Unpin(ctx, o.chain) }

func (web *Web) failback(ctx context.Context, o order) error {
	return web.Operator.Failback(ctx, o.chain)
}

// done says what an order has done, if it still stands: what is in an address
// may be anybody's.
func done(c wire.Chain, name, provider string) string {
	for _, p := range c.Providers {
		if p.Name != provider {
			continue
		}
		pinned := c.Pinned != nil && c.Pinned.Provider == provider
		switch {
		case name == orderDrain && p.Drained != nil:
			return provider + " is drained."
		case name == orderUndrain && p.Drained == nil:
			return provider + " is no longer drained."
		case name == orderPin && pinned:
			return provider + " is pinned."
		case name == orderUnpin && !pinned:
			return provider + " is no longer pinned."
		case name == orderFailback && p.Active:
			return provider + " serves again."
		}
	}
	return ""
}

// The names of orders in addresses.
const (
	orderDrain    = "drain"
	orderUndrain  = "undrain"
	orderPin      = "pin"
	orderUnpin    = "unpin"
	orderFailback = "failback"
)
