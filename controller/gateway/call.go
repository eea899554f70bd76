package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// call is one JSON-RPC request. It points into the body that it came in.
type call struct {
	// raw is the call as it came.
	raw []byte
	// id is as it came; nil: there is none.
	id     []byte
	method string
	risk   risk
	// refusal is why nobody is asked; nil: nothing is against it.
	refusal *refusal
}

// refusal is a JSON-RPC error of ours.
type refusal struct {
	code    int
	message string
}

// The codes of the JSON-RPC specification.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInternal       = -32603
)

var (
	errNotJSON    = errors.New("the body is not JSON")
	errNotRPC     = errors.New("the body is neither a JSON-RPC request nor a batch of them")
	errEmptyBatch = errors.New("the batch is empty")
)

// parseCalls reads a body: one call, or a batch. An element of a batch that is no
// call has a refusal.
func parseCalls(body []byte) (calls []call, batch bool, err error) {
	if !json.Valid(body) {
		return nil, false, errNotJSON
	}
	body = bytes.TrimSpace(body)
	switch body[0] {
	case '{':
		c := parseCall(body)
		return []call{c}, false, nil
	case '[':
		elements(body, func(value []byte) bool {
			calls = append(calls, parseCall(value))
			return true
		})
		if len(calls) == 0 {
			return nil, true, errEmptyBatch
		}
		return calls, true, nil
	}
	return nil, false, errNotRPC
}

// parseCall reads one call. Two members of the same name are refused, since
// decoders do not agree on which of them counts, and a method that is let through
// must be the one that is carried out. The same goes for the parameters: a provider
// is not to blame if its answer is to the others.
func parseCall(raw []byte) call {
	c := call{raw: raw}
	var method []byte
	methods, ids, params := 0, 0, 0
	object, _ := members(raw, func(key, value []byte, _ bool) bool {
		switch {
		case keyIs(key, "method"):
			method = value
			methods++
		case keyIs(key, "id"):
			c.id = value
			ids++
		case keyIs(key, "params"):
			params++
		}
		return true
	})
	switch {
	case !object:
		c.refusal = &refusal{codeInvalidRequest, "Invalid Request: not an object"}
	case methods > 1 || ids > 1 || params > 1:
		c.refusal = &refusal{codeInvalidRequest, "Invalid Request: a member stands there twice"}
	case ids == 1 && (c.id[0] == '{' || c.id[0] == '['):
		c.id = nil
		c.refusal = &refusal{codeInvalidRequest, "Invalid Request: the id is no scalar"}
	case !plainString(method, &c.method) || c.method == "":
		c.refusal = &refusal{codeInvalidRequest, "Invalid Request: no method"}
	}
	return c
}

// plainString decodes a string.
func plainString(value []byte, to *string) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		*to = string(value[1 : len(value)-1])
		return true
	}
	return json.Unmarshal(value, to) == nil
}

// ruledAs is the method whose rules hold for a call to a family of nodes. What is
// submitted to xrpld without a signed transaction it signs, with the secret that
// stands there: as often as it is asked, each time another transaction. beside says
// that the parameters stand beside the method, as they do over a WebSocket.
func ruledAs(kind config.Kind, c *call, beside bool) string {
	if kind != config.XRPL || !strings.EqualFold(c.method, "submit") {
		return c.method
	}
	parameters := c.raw
	if !beside {
		parameters, _ = parameter(paramsOf(c.raw), 0)
	}
	signed := false
	members(parameters, func(key, _ []byte, _ bool) bool {
		signed = signed || string(key) == "tx_blob"
		return true
	})
	if signed {
		return c.method
	}
	return "sign"
}
