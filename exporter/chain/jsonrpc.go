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

// rpcError is the error member in its usual shape.
type rpcError struct {
	Code    json.Number     `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Call asks one JSON-RPC method by POST at the provider's URL and decodes the
// result. A null result leaves result untouched and is no error here: whether it
// means missing is the caller's to say. params may be nil.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	raw, err := s.CallRaw(ctx, method, params)
	if err != nil {
		return err
	}
	if isNull(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return s.Reject("a result of another shape: " + err.Error())
	}
	return nil
}

// CallRaw is Call without decoding: the result as it came, or nil for null.
func (s *Session) CallRaw(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := s.provider.nextID()
	body, err := json.Marshal(rpcRequest{Version: "2.0", ID: id, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	s.begin(method)
	r, err := s.send(ctx, http.MethodPost, "", nil, body)
	if err != nil {
		return nil, err
	}
	return s.rpcResult(r, id)
}

// rpcResult classifies an answer to a call: transport is done, then comes the
// body, which is looked at whatever the status says, and then the status. An
// error counts whatever its id: servers that could not read the request, and
// gateways before them, give null or none.
func (s *Session) rpcResult(r response, id uint64) (json.RawMessage, error) {
	var answer rpcResponse
	if err := json.Unmarshal(r.body, &answer); err != nil {
		return nil, s.refuse(r, Optional[int64]{}, "")
	}
	switch got := string(answer.ID); {
	case !isNull(answer.Error):
		code, text := readRPCError(answer.Error)
		return nil, s.refuse(r, code, text)
	case r.status >= 300, answer.Result == nil:
		// No JSON-RPC, but maybe an error in the shape of REST.
		e := readRESTError(r.body)
		return nil, s.refuse(r, e.code, e.text)
	case got != strconv.FormatUint(id, 10):
		return nil, s.Reject("the answer has the id of another request")
	case isNull(answer.Result):
		return nil, nil
	}
	return answer.Result, nil
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
