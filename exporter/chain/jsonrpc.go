package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// rpcRequest is a JSON-RPC 2.0 call. Nodes that speak 1.0 (bitcoind before 28)
// ignore the version.
type rpcRequest struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// rpcResponse is what comes back. The error is kept as it is, since it may be an
// object, a bare string or null.
type rpcResponse struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// rpcInto is rpcResponse with the result decoded at once into what a pointer
// points to, so that a large one is neither read twice nor copied.
type rpcInto struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// rpcError is the error member in its usual shape.
type rpcError struct {
	Code    json.Number     `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Call asks one JSON-RPC method by POST at the provider's URL and decodes the
// result into what result points to. A null result leaves that untouched, or
// makes it nil if it is a pointer, and is no error here: whether it means
// missing is the caller's to say. With an error, what is in it means nothing.
// params may be nil.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	r, id, err := s.call(ctx, method, params)
	if err != nil {
		return err
	}
	answer := rpcInto{Result: result}
	shape := json.Unmarshal(r.body, &answer)
	if err := s.rpcFailure(r, id, rpcResponse{ID: answer.ID, Error: answer.Error}, shape); err != nil {
		return err
	}
	if shape != nil {
		return s.Reject("a result of another shape: " + shape.Error())
	}
	return nil
}

// CallRaw is Call without decoding: the result as it came, or nil for null.
func (s *Session) CallRaw(ctx context.Context, method string, params any) (json.RawMessage, error) {
	r, id, err := s.call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	var answer rpcResponse
	shape := json.Unmarshal(r.body, &answer)
	if err := s.rpcFailure(r, id, answer, shape); err != nil {
		return nil, err
	}
	if isNull(answer.Result) {
		return nil, nil
	}
	return answer.Result, nil
}

// call sends a call and returns its answer and its id.
func (s *Session) call(ctx context.Context, method string, params any) (response, uint64, error) {
	id := s.provider.nextID()
	body, err := json.Marshal(rpcRequest{Version: "2.0", ID: id, Method: method, Params: params})
	if err != nil {
		return response{}, id, fmt.Errorf("encode %s: %w", method, err)
	}
	s.begin(method)
	r, err := s.send(ctx, http.MethodPost, "", nil, body)
	return r, id, err
}

// resultMember is how a result begins. An answer without these bytes has none;
// one that has them elsewhere only leaves its caller with nothing decoded, which
// no dialect takes for a value.
var resultMember = []byte(`"result"`)

// rpcFailure classifies an answer to a call that is not a good one: transport is
// done, then comes the body, which is looked at whatever the status says, and
// then the status. An error counts whatever its id: servers that could not read
// the request, and gateways before them, give null or none. shape is how the
// decoding failed, which is not looked at if the answer is JSON-RPC.
func (s *Session) rpcFailure(r response, id uint64, answer rpcResponse, shape error) error {
	if shape != nil && !json.Valid(r.body) || !bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("{")) {
		return s.refuse(r, Optional[int64]{}, "")
	}
	switch {
	case !isNull(answer.Error):
		code, text := readRPCError(answer.Error)
		return s.refuse(r, code, text)
	case r.status >= 300, !bytes.Contains(r.body, resultMember):
		// No JSON-RPC, but maybe an error in the shape of REST.
		e := readRESTError(r.body)
		return s.refuse(r, e.code, e.text)
	case string(answer.ID) != strconv.FormatUint(id, 10):
		return s.Reject("the answer has the id of another request")
	}
	return nil
}

// readRPCError takes code and words out of an error member of any shape.
func readRPCError(raw json.RawMessage) (Optional[int64], string) {
	var e rpcError
	if err := json.Unmarshal(raw, &e); err != nil {
		return Optional[int64]{}, excerpt(raw)
	}
	text := e.Message
	if !isNull(e.Data) {
		text = strings.TrimSpace(text + " " + excerpt(e.Data))
	}
	if text == "" {
		text = excerpt(raw)
	}
	if code, err := e.Code.Int64(); err == nil {
		return Some(code), text
	}
	return Optional[int64]{}, text
}

// isNull says whether a JSON value is absent or null.
func isNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}
