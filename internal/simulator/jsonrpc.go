package simulator

import (
	"encoding/json"
	"net/http"
	"slices"
)

// rpcError is the error object of JSON-RPC.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// rpcMethod answers one method.
type rpcMethod func(v *view, a args) (any, *rpcError)

// rpcService is a set of methods under JSON-RPC 2.0, with HTTP 200 for
// everything that could be read.
type rpcService struct {
	methods map[string]rpcMethod
	// unknown is the error for a method that is not offered.
	unknown func(method string) *rpcError
	// before, unless nil, may refuse a call before its method is looked up.
	before func(v *view, method string) *rpcError
	// heights are the fields that hold a height. The result itself goes by
	// the name of its method.
	heights map[string]bool
	// largestBatch is the number of calls in a batch that is too large; 0 is
	// no bound.
	largestBatch int
}

// rpcResult is the outcome of one call: one of the two, as JSON.
type rpcResult struct {
	result json.RawMessage
	err    *rpcError
}

// call runs one call.
func (s *rpcService) call(v *view, c call) rpcResult {
	if s.before != nil {
		if err := s.before(v, c.Method); err != nil {
			return rpcResult{err: err}
		}
	}
	method, ok := s.methods[c.Method]
	if !ok || slices.Contains(v.Unsupported, c.Method) {
		return rpcResult{err: s.unknown(c.Method)}
	}
	value, failure := method(v, parseArgs(c.Params))
	if failure != nil {
		return rpcResult{err: failure}
	}
	if v.NullResults {
		value = nil
	}
	result, err := json.Marshal(value)
	if err != nil {
		return rpcResult{err: &rpcError{Code: -32603, Message: err.Error()}}
	}
	return rpcResult{result: v.distort(result, c.Method, s.heights)}
}

func (s *rpcService) answer(v *view, r *request) reply {
	switch {
	case r.verb != http.MethodPost:
		return textReply(http.StatusMethodNotAllowed, "405 method not allowed")
	case r.batch:
		return s.batch(v, r)
	case len(r.calls) == 0:
		return rpcReply(envelope2(nil, rpcResult{err: &rpcError{Code: -32700, Message: "parse error"}}))
	}
	return rpcReply(s.item(v, r.calls[0]))
}

func (s *rpcService) batch(v *view, r *request) reply {
	if s.largestBatch > 0 && len(r.calls) > s.largestBatch {
		refused := rpcResult{err: &rpcError{Code: -32600, Message: "batch too large"}}
		return rpcReply(joinArray([][]byte{envelope2(nil, refused)}))
	}
	if v.Batch == BatchRefused || len(r.calls) == 0 {
		refused := rpcResult{err: &rpcError{Code: -32600, Message: "invalid request"}}
		return rpcReply(envelope2(nil, refused))
	}
	items := make([][]byte, len(r.calls))
	for i, c := range r.calls {
		items[i] = s.item(v, c)
	}
	return rpcReply(v.batchBody(items))
}

// item is the whole answer to one call.
func (s *rpcService) item(v *view, c call) []byte {
	if set, ok := v.set(c.Method); ok {
		return set.item(c.ID)
	}
	return envelope2(v.id(c.ID), s.call(v, c))
}

func rpcReply(body []byte) reply {
	return reply{contentType: "application/json", body: body}
}

// envelope2 is an answer of JSON-RPC 2.0. A missing id is null.
func envelope2(id json.RawMessage, r rpcResult) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	out := make([]byte, 0, len(r.result)+64)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	if r.err != nil {
		out = append(append(out, `,"error":`...), r.err.json()...)
	} else {
		out = append(append(out, `,"result":`...), r.result...)
	}
	return append(out, '}')
}

// json is the error object; one whose Data cannot be written has none.
func (e *rpcError) json() []byte {
	out, err := json.Marshal(e)
	if err != nil {
		out, _ = json.Marshal(rpcError{Code: e.Code, Message: e.Message})
	}
	return out
}

// set is the given answer to a method, if it stands for one item of a batch.
func (v *view) set(method string) (*Answer, bool) {
	given, ok := v.Methods[method]
	if !ok {
		return nil, false
	}
	answer := given.resolved()
	return answer, answer.perItem()
}

// id is the id that the answer carries.
func (v *view) id(asked json.RawMessage) json.RawMessage {
	if !v.WrongID {
		return asked
	}
	if string(asked) == "4711" {
		return json.RawMessage("4712")
	}
	return json.RawMessage("4711")
}

// batchBody puts the items of a batch together.
func (v *view) batchBody(items [][]byte) []byte {
	switch v.Batch {
	case BatchObject:
		return items[0]
	case BatchReversed:
		slices.Reverse(items)
	case BatchShort:
		items = items[:len(items)-1]
	}
	return joinArray(items)
}

// constant answers the same to everybody.
func constant(value any) rpcMethod {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = nil
	}
	return func(*view, args) (any, *rpcError) { return json.RawMessage(raw), nil }
}
