package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// rpcTimeout bounds one call, as a frozen node never answers.
const rpcTimeout = 20 * time.Second

// maxAnswer bounds an answer; those of the tests are a few kilobytes.
const maxAnswer = 16 << 20

// rpcClient opens a connection per call, so that a node's death or restart
// can't be hidden by a pooled connection and no test leaves one behind.
var rpcClient = &http.Client{
	Timeout:   rpcTimeout,
	Transport: &http.Transport{DisableKeepAlives: true},
}

// RPC is where a node is to be asked by JSON-RPC over HTTP, and as whom. User
// and password are empty for a node that asks for none.
type RPC struct {
	address        string
	user, password string
}

// newSecuredRPC makes up an endpoint with a password that nobody can guess and
// that a test can look for in places where it must not be.
func newSecuredRPC(tb testing.TB) RPC {
	tb.Helper()
	return RPC{address: FreeAddress(tb), user: "understudy", password: rand.Text()}
}

// URL returns the address without user and password.
func (r RPC) URL() string { return "http://" + r.address }

// SecretURL returns the address with user and password in it, as operators
// write it into a configuration.
func (r RPC) SecretURL() string {
	u := url.URL{Scheme: "http", Host: r.address}
	if r.user != "" {
		u.User = url.UserPassword(r.user, r.password)
	}
	return u.String()
}

// User returns the name to log in with.
func (r RPC) User() string { return r.user }

// Password returns the password to log in with.
func (r RPC) Password() string { return r.password }

// WithPassword returns the same endpoint with another password.
func (r RPC) WithPassword(password string) RPC {
	r.password = password
	return r
}

// RPCError is an answer of a node that is not a result.
type RPCError struct {
	// Status is the HTTP status.
	Status int
	// Code is the JSON-RPC error code, 0 if the answer was not JSON-RPC.
	Code int
	// Message is the JSON-RPC error's message, or else the answer's text.
	Message string
}

// Error names status, code and message.
func (e *RPCError) Error() string {
	return fmt.Sprintf("HTTP %d, code %d: %s", e.Status, e.Code, e.Message)
}

// Call asks the node and decodes the result into result, which may be nil. A
// refusal of the node is an [*RPCError], anything else an error of transport.
func (r RPC) Call(ctx context.Context, result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	question, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: encode: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL(), bytes.NewReader(question))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if r.user != "" {
		req.SetBasicAuth(r.user, r.password)
	}
	resp, err := rpcClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s: read: %w", method, err)
	}
	if err := decode(resp.StatusCode, body, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// decode reads an answer. Nodes answer an error with 200 or with a status of
// their own, so the body is looked at first.
func decode(status int, body []byte, result any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Data    any    `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return &RPCError{Status: status, Message: strings.TrimSpace(string(body))}
	}
	if answer.Error != nil {
		message := answer.Error.Message
		if data, ok := answer.Error.Data.(string); ok {
			message += ": " + data
		}
		return &RPCError{Status: status, Code: answer.Error.Code, Message: message}
	}
	if status != http.StatusOK {
		return &RPCError{Status: status, Message: strings.TrimSpace(string(body))}
	}
	if result == nil {
		return nil
	}
	if len(answer.Result) == 0 {
		return errors.New("neither a result nor an error")
	}
	return json.Unmarshal(answer.Result, result)
}
