package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// codeExhausted is the keeper's code for a request that nobody answered.
const codeExhausted = "RPC_MULTI_REGION_FAILOVER_EXHAUSTED"

// problem is an error of the gateway's own.
type problem struct {
	status int
	code   int
	// title is short and always the same, detail is about this request.
	title, detail string
	// data is for programs.
	data any
}

// noChain is the problem of a request for a chain that is not there.
var noChain = problem{status: http.StatusNotFound, title: "No such chain", detail: "No chain of this name is configured."}

// exhausted is the data of a request that nobody answered, in the keeper's shape.
type exhausted struct {
	Code    string           `json:"code"`
	Context exhaustedContext `json:"context"`
}

type exhaustedContext struct {
	Method   string             `json:"method"`
	Attempts []exhaustedAttempt `json:"attempts"`
	// ActiveRegion is whom requests go to first.
	ActiveRegion string `json:"activeRegion"`
}

type exhaustedAttempt struct {
	Region string `json:"region"`
	// URL is scheme and host.
	URL      string `json:"url"`
	Provider string `json:"provider"`
	Message  string `json:"message"`
}

// nobody is the problem of a request that nobody answered.
func (x *exchange) nobody(method string) problem {
	p := problem{status: http.StatusServiceUnavailable, code: codeInternal, title: "No provider answered"}
	context := exhaustedContext{Method: method, Attempts: []exhaustedAttempt{}, ActiveRegion: x.lane.firstRegion()}
	last := x.whyNobody()
	for _, f := range x.failures {
		message := f.outcome.words()
		if f.status != 0 {
			message += ", HTTP " + strconv.Itoa(f.status)
		}
		if f.coded {
			message += ", code " + strconv.FormatInt(f.code, 10)
		}
		context.Attempts = append(context.Attempts, exhaustedAttempt{
			Region: region(f.endpoint.URL, f.endpoint.Provider), URL: f.endpoint.URL.String(),
			Provider: f.endpoint.Provider, Message: message,
		})
		last = f.endpoint.Provider + ": " + message
	}
	p.detail = fmt.Sprintf("All RPC endpoints failed for method %q. Last error: %s", method, last)
	p.data = exhausted{Code: codeExhausted, Context: context}
	return p
}

// whyNobody says why no attempt was made.
func (x *exchange) whyNobody() string {
	switch {
	case len(x.route.Endpoints) == 0:
		return fmt.Sprintf("chain %s has no provider that may answer now", x.route.Chain)
	case x.minHeight > 0:
		return fmt.Sprintf("no provider of chain %s that understands this request is known to have reached height %d", x.route.Chain, x.minHeight)
	}
	return fmt.Sprintf("no provider of chain %s that may answer now understands this request", x.route.Chain)
}

// refuse gives the client an error of ours: in JSON-RPC where it asked in that,
// and as a problem elsewhere.
func (x *exchange) refuse(p problem) {
	if x.dialect.rpc {
		x.write(p.status, "application/json", rpcError(x.question.id, p))
		return
	}
	writeProblem(x.writer, p)
}

func (x *exchange) write(status int, contentType string, body []byte) {
	h := x.writer.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.writer.WriteHeader(status)
	// If the client is gone, nobody is left to be told.
	_, _ = x.writer.Write(body)
}

// writeProblem is an error by RFC 9457.
func writeProblem(w http.ResponseWriter, p problem) {
	body, err := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
		Data   any    `json:"data,omitempty"`
	}{"about:blank", p.title, p.status, p.detail, p.data})
	if err != nil {
		body = []byte(`{"type":"about:blank"}`)
	}
	w.Header()["Content-Type"] = []string{"application/problem+json"}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(p.status)
	// If the client is gone, nobody is left to be told.
	_, _ = w.Write(body)
}

// rpcError is an error in JSON-RPC, with the id as the client wrote it.
func rpcError(id []byte, p problem) []byte {
	message := p.detail
	if message == "" {
		message = p.title
	}
	body, err := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{p.code, message, p.data})
	if err != nil {
		body = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	if id == nil {
		id = []byte("null")
	}
	out := make([]byte, 0, len(id)+len(body)+40)
	out = append(append(append(out, `{"jsonrpc":"2.0","id":`...), id...), `,"error":`...)
	return append(append(out, body...), '}')
}
