package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// maxRequestBody bounds what a client may send.
const maxRequestBody = 16 << 20

// request is an HTTP request, read once for all who look at it.
type request struct {
	verb string
	// path is without the prefix under which the provider is mounted.
	path   string
	query  string
	header http.Header
	body   []byte
	// calls are the JSON-RPC calls in the body; none if it is no JSON-RPC.
	calls []call
	batch bool
}

// call is one JSON-RPC call.
type call struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// readRequest reads the whole body, so that the server notices a client that
// goes away.
func readRequest(r *http.Request, path string) (*request, error) {
	out := &request{verb: r.Method, path: path, query: r.URL.RawQuery, header: r.Header}
	if r.Body == nil || r.ContentLength == 0 {
		return out, nil
	}
	var err error
	if out.body, err = io.ReadAll(io.LimitReader(r.Body, maxRequestBody)); err != nil {
		return nil, err
	}
	switch body := bytes.TrimLeft(out.body, " \t\r\n"); {
	case len(body) == 0:
	case body[0] == '[':
		out.batch = json.Unmarshal(body, &out.calls) == nil
		if !out.batch {
			out.calls = nil
		}
	case body[0] == '{':
		var c call
		if json.Unmarshal(body, &c) == nil && c.Method != "" {
			out.calls = []call{c}
		}
	}
	return out, nil
}

// asks says whether the request is for a path, or for an RPC method, of that
// name.
func (r *request) asks(name string) bool {
	if strings.HasPrefix(name, "/") {
		return r.path == name
	}
	for i := range r.calls {
		if r.calls[i].Method == name {
			return true
		}
	}
	return false
}

// methods are the RPC methods asked for, in order.
func (r *request) methods() []string {
	out := make([]string, len(r.calls))
	for i := range r.calls {
		out[i] = r.calls[i].Method
	}
	return out
}

// args are the parameters of a call, by place or by name.
type args struct {
	list  []json.RawMessage
	named map[string]json.RawMessage
}

func parseArgs(params json.RawMessage) (a args) {
	params = bytes.TrimLeft(params, " \t\r\n")
	switch {
	case len(params) == 0:
	case params[0] == '[':
		_ = json.Unmarshal(params, &a.list)
	case params[0] == '{':
		_ = json.Unmarshal(params, &a.named)
	}
	return a
}

// raw is a parameter as it came; nil if it is missing.
func (a args) raw(place int, name string) json.RawMessage {
	if place < len(a.list) {
		return a.list[place]
	}
	return a.named[name]
}

// text is a parameter that is a string; ok is false if it is none.
func (a args) text(place int, name string) (s string, ok bool) {
	raw := a.raw(place, name)
	if len(raw) < 2 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// number is a parameter that is a whole number, not below zero.
func (a args) number(place int, name string) (n uint64, ok bool) {
	raw := a.raw(place, name)
	return n, len(raw) > 0 && json.Unmarshal(raw, &n) == nil && !bytes.Equal(raw, []byte("null"))
}
