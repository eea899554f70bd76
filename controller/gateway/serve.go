package gateway

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// serve answers the request.
func (x *exchange) serve() {
	post := x.request.Method == http.MethodPost
	status, err := x.read()
	if err != nil {
		x.result = resultInvalid
		x.dialect.rpc = post && x.path == ""
		x.refuse(problem{status: status, code: codeInvalidRequest, title: "Invalid request", detail: err.Error()})
		return
	}
	if !x.set() {
		x.result = resultInvalid
		writeProblem(x.writer, noChain)
		return
	}
	if isUpgrade(x.request) {
		x.serveWebSocket()
		return
	}
	var ok bool
	x.dialect, ok = dialectOf(&x.route, post, x.plainPath())
	x.question = question{kind: x.dialect.kind, rpc: x.dialect.rpc}
	switch {
	case !ok:
		x.result = resultInvalid
		x.writer.Header().Set("Allow", http.MethodPost)
		writeProblem(x.writer, problem{status: http.StatusMethodNotAllowed, title: "Method not allowed", detail: "The providers of this chain are asked by POST."})
	case x.dialect.rpc:
		x.serveRPC()
	default:
		x.serveREST()
	}
}

// set begins the time of the providers, and looks again at who they are: a client
// may take as long as it likes to send its request, which is no provider's fault,
// and meanwhile one of them may have been found to be wrong. It is false if the
// chain is not configured any more.
func (x *exchange) set() bool {
	route, ok := x.options.Router.Route(x.route.Chain)
	x.route, x.deadline = route, x.options.Now().Add(x.settings.RequestTimeout)
	return ok
}

// serveREST forwards a request whose method is its path.
func (x *exchange) serveREST() {
	if wantsEvents(x.request.Header) {
		x.result = resultInvalid
		x.refuse(problem{status: http.StatusNotAcceptable, title: "Not acceptable", detail: "Streams of events are not forwarded. Ask again and again instead."})
		return
	}
	path := x.plainPath()
	risk, denied := x.policyOf().look(x.route.Kind, path)
	x.question.method, x.question.risk = path, risk
	if denied || risk == unsafe && x.ofAnotherSite() {
		x.deny()
		why := fromPage
		if denied {
			why = x.denial(path)
		}
		x.refuse(problem{status: http.StatusForbidden, title: "Method not let through", detail: why})
		return
	}
	if risk == read && x.request.Method == http.MethodPost && x.dialect.typ != config.TronHTTP {
		// Outside of java-tron's, a POST that is no known sending may be one.
		x.question.risk = signed
	}
	x.finish(x.ask(), path)
}

// serveRPC forwards a call or a batch.
func (x *exchange) serveRPC() {
	policy := x.policyOf()
	if !policy.rpcPath(x.route.Kind, x.plainPath()) {
		x.refusePath()
		return
	}
	var err error
	x.calls, x.batch, err = parseCalls(x.body)
	if err == nil && len(x.calls) > x.options.MaxBatch {
		err = fmt.Errorf("the batch has %d calls; at most %d are taken", len(x.calls), x.options.MaxBatch)
	}
	if err != nil {
		x.result = resultInvalid
		code := codeInvalidRequest
		if errors.Is(err, errNotJSON) {
			code = codeParse
		}
		x.refuse(problem{status: http.StatusBadRequest, code: code, title: "Invalid request", detail: err.Error()})
		return
	}
	for i := range x.calls {
		x.rule(policy, &x.calls[i])
	}
	if x.batch {
		x.serveBatch()
		return
	}
	c := &x.calls[0]
	x.question.method, x.question.risk, x.question.id = c.method, c.risk, c.id
	if c.refusal != nil {
		x.refuse(problem{status: x.refusalStatus(c.refusal), code: c.refusal.code, detail: c.refusal.message})
		return
	}
	x.finish(x.ask(), c.method)
}

// refusePath says that JSON-RPC is not forwarded to a path. The clients of Bitcoin
// Core's family read no answer with another status than its own; what they ask for
// is a wallet.
func (x *exchange) refusePath() {
	x.deny()
	if calls, batch, err := parseCalls(x.body); err == nil && !batch {
		x.question.id = calls[0].id
	}
	p := problem{status: http.StatusForbidden, code: codeInvalidRequest, title: "Path not let through", detail: x.denial(x.path)}
	if x.dialect.kind == config.Bitcoin {
		p.status, p.code = http.StatusNotFound, codeMethodNotFound
	}
	x.refuse(p)
}

// rule lets a call through or refuses it.
func (x *exchange) rule(p *policy, c *call) {
	if c.refusal != nil {
		x.result = resultInvalid
		return
	}
	method := ruledAs(x.dialect.kind, c, false)
	risk, denied := p.look(x.dialect.kind, method)
	c.risk = risk
	switch {
	case denied:
		x.deny()
		c.refusal = &refusal{codeMethodNotFound, x.denial(method)}
	case risk == unsafe && x.ofAnotherSite():
		x.deny()
		c.refusal = &refusal{codeMethodNotFound, fromPage}
	}
}

// fromPage says why a method that is let through was refused nevertheless.
const fromPage = "the request comes from a page of another site, and this method is not for such"

var crossOrigin = http.NewCrossOriginProtection()

// ofAnotherSite says whether a page of another site has made the request, in the
// browser of somebody who can reach this address. The provider's password, which
// goes out with it, would otherwise keep such pages off.
func (x *exchange) ofAnotherSite() bool {
	// A handshake is a GET, which is not looked at.
	r := x.request.WithContext(x.request.Context())
	r.Method = http.MethodPost
	return crossOrigin.Check(r) != nil
}

func (x *exchange) deny() { x.result = resultDenied }

// denial says what was refused, and how to have it let through.
func (x *exchange) denial(method string) string {
	return fmt.Sprintf("%s is not let through to chain %s; the operator of the gateway can allow it by the chain's list of allowed methods", method, x.route.Chain)
}

// refusalStatus is the HTTP status of a refused call: the one that the nodes give
// with such an error, since clients that look at the status may not look at the
// words.
func (x *exchange) refusalStatus(r *refusal) int {
	switch {
	case r.code != codeMethodNotFound:
		return http.StatusBadRequest
	case x.dialect.kind == config.Bitcoin:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// finish gives the client the answer of an attempt, or says that there is none.
func (x *exchange) finish(a *attempt, method string) {
	switch {
	case x.gone():
		x.result = resultCancelled
		x.drop(a)
	case a == nil:
		x.result = resultFailed
		x.refuse(x.nobody(method))
	default:
		defer x.heads.release(a)
		if a.outcome != OK {
			x.result = resultError
		}
		x.answer(a)
	}
}

func (x *exchange) policyOf() *policy { return x.Gateway.policy(x.lane, x.route.Kind) }
