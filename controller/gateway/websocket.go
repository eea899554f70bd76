package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// isUpgrade says whether a client asks for a WebSocket.
func isUpgrade(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// socketHeaders are what a handshake consists of. Extensions are left out, so that
// messages can be read here; and cookies and origins, which are the caller's.
var socketHeaders = []string{"Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Protocol"}

// serveWebSocket connects a client with the first provider that takes it.
func (x *exchange) serveWebSocket() {
	x.dialect = dialect{kind: x.route.Kind, rpc: true}
	if policy, path := x.policyOf(), x.plainPath(); !policy.rpcPath(x.route.Kind, path) && path != "/websocket" && path != "/ws" {
		x.deny()
		x.refuse(problem{status: http.StatusForbidden, code: codeInvalidRequest, title: "Path not let through", detail: x.denial(x.path)})
		return
	}
	for _, c := range x.lane.order(&x.route, x.fits, x.options.Now(), nil) {
		if x.gone() || x.left() <= 0 {
			break
		}
		if x.connect(c) {
			return
		}
	}
	x.result = resultFailed
	x.refuse(x.nobody("websocket"))
}

// connect tries one provider, and serves the connection if there is one.
func (x *exchange) connect(c candidate) bool {
	p, ok := x.lane.permit(c, x.options.Now(), false)
	if !ok {
		return false
	}
	a := &attempt{candidate: c}
	// The context lives as long as the connection.
	ctx, cancel := context.WithCancel(x.request.Context())
	defer cancel()
	upstream := x.handshake(ctx, cancel, a)
	x.asked++
	x.note(a)
	x.back(p, a, a.outcome.verdict())
	if upstream == nil {
		return false
	}
	defer func() { _ = upstream.Close() }()
	x.serveSocket(a, upstream)
	return true
}

// handshake asks a provider for a WebSocket; nil if it gives none.
func (x *exchange) handshake(ctx context.Context, cancel context.CancelFunc, a *attempt) io.ReadWriteCloser {
	begin := x.options.Now()
	a.timer = time.AfterFunc(min(x.left(), x.settings.AttemptTimeout), func() {
		a.late.Store(true)
		cancel()
	})
	defer a.timer.Stop()
	address := a.target.address(x.path, x.query)
	header := a.target.header(nil, identity, false)
	header["Connection"], header["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	for _, name := range socketHeaders {
		if values := x.request.Header[name]; len(values) > 0 {
			header[name] = values
		}
	}
	request := (&http.Request{
		Method: http.MethodGet, URL: address, Host: address.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	response, err := a.endpoint.Transport.RoundTrip(request)
	a.took = x.options.Now().Sub(begin)
	if err != nil {
		a.outcome, _ = a.transportOutcome(x.request.Context(), err)
		return nil
	}
	a.response, a.status = response, response.StatusCode
	upstream, ok := response.Body.(io.ReadWriteCloser)
	if ok && response.StatusCode == http.StatusSwitchingProtocols && a.timer.Stop() {
		a.outcome = OK
		return upstream
	}
	_ = response.Body.Close()
	if a.outcome = judgeText(question{kind: x.route.Kind, typ: a.endpoint.Type, rpc: true}, response.StatusCode, nil).outcome; a.outcome == BadResponse {
		// It speaks HTTP alone, which is not its fault.
		a.outcome = Unsupported
	}
	return nil
}
