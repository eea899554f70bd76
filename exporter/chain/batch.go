package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// rpcCall is one call of a batch. Params may be nil.
type rpcCall struct {
	Method string
	Params any
}

// Batch sends several JSON-RPC calls as one array and returns the results in
// the order of the calls, in whatever order the answers come; nil for null. It
// is all or nothing: the first call that failed is the failure, whatever the
// HTTP status, since some vendors refuse single items of a batch at 200.
func (s *Session) Batch(ctx context.Context, calls ...rpcCall) ([]json.RawMessage, error) {
	places := make(map[string]int, len(calls))
	requests := make([]rpcRequest, len(calls))
	names := make([]string, len(calls))
	for i, c := range calls {
		id := s.provider.nextID()
		places[strconv.FormatUint(id, 10)] = i
		requests[i] = rpcRequest{Version: "2.0", ID: id, Method: c.Method, Params: c.Params}
		names[i] = c.Method
	}
	body, err := json.Marshal(requests)
	if err != nil {
		return nil, fmt.Errorf("encode a batch: %w", err)
	}
	s.begin("[" + strings.Join(names, ", ") + "]")
	r, err := s.send(ctx, http.MethodPost, "", nil, body)
	if err != nil {
		return nil, err
	}
	return s.batchResults(r, places)
}

// batchResults puts the answers in the places of their calls.
func (s *Session) batchResults(r response, places map[string]int) ([]json.RawMessage, error) {
	var answers []rpcResponse
	if err := json.Unmarshal(r.body, &answers); err != nil {
		return nil, s.notABatch(r)
	}
	for _, a := range answers {
		if !isNull(a.Error) {
			code, text := readRPCError(a.Error)
			return nil, s.refuseAs(r, RPCError, code, text)
		}
	}
	if r.status >= 300 {
		return nil, s.refuse(r, Optional[int64]{}, "")
	}
	results := make([]json.RawMessage, len(places))
	answered := make(map[int]bool, len(places))
	for _, a := range answers {
		place, ours := places[strings.TrimSpace(string(a.ID))]
		switch {
		case !ours:
			return nil, s.Reject("an answer in the batch has the id of another request")
		case answered[place]:
			return nil, s.Reject("a call of the batch is answered twice")
		case a.Result == nil:
			return nil, s.Reject("an answer in the batch has neither result nor error")
		}
		answered[place] = true
		if !isNull(a.Result) {
			results[place] = a.Result
		}
	}
	if len(answered) < len(places) {
		return nil, s.Reject("the batch is answered in part")
	}
	return results, nil
}

// notABatch classifies an answer that is no array: one error for the whole
// batch, a single answer where several were due, or no JSON-RPC at all.
func (s *Session) notABatch(r response) error {
	var one rpcResponse
	switch err := json.Unmarshal(r.body, &one); {
	case err != nil:
		return s.refuse(r, Optional[int64]{}, "")
	case !isNull(one.Error):
		code, text := readRPCError(one.Error)
		return s.refuseAs(r, RPCError, code, text)
	case r.status >= 300:
		return s.refuse(r, Optional[int64]{}, "")
	}
	return s.Reject("the batch is answered with one object")
}
