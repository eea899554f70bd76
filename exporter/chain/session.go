package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Exchange is one request with its outcome, for people to look at. It holds no
// secret.
type Exchange struct {
	// Request is a JSON-RPC method, or a verb with a path.
	Request string
	// Start is the time since the probe began.
	Start time.Duration
	// Latency is that on an established connection: what it took to connect is
	// left out, unless that failed.
	Latency time.Duration
	// Status is the HTTP status; 0 without an answer.
	Status int
	// Bytes is the length of the decompressed body.
	Bytes int
	// Reason is "" for a good answer.
	Reason Reason
	// Text is what went wrong, in the provider's or the transport's words.
	Text string
}

// Session is one probe's talk with one provider, over a connection of its own. It
// is used by one goroutine and must be ended.
type Session struct {
	provider  *Provider
	client    *http.Client
	start     time.Time
	limit     int64
	exchanges []Exchange
	expiry    time.Time
	// answered is the last complete answer.
	answered response
}

// response is a complete answer.
type response struct {
	status int
	header http.Header
	body   []byte
}

// Format prints whose talk it is: the last answer is not for printing.
func (s *Session) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "talk with %v", s.provider) }

// LogValue is what slog prints.
func (s *Session) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(s)) }

// session begins a talk with a provider.
func (p *Provider) session() *Session {
	return &Session{provider: p, client: p.http.open(), start: time.Now(), limit: maxBody}
}

// end closes the talk's connection.
func (s *Session) end() { shut(s.client) }

// Unsupported says whether the provider is known to refuse a method or path, so
// that it is not asked in vain on every probe.
func (s *Session) Unsupported(method string) bool { return s.provider.unsupported.has(method) }

// NoteUnsupported remembers that the provider refuses a method or path, until
// its capabilities are asked the next time.
func (s *Session) NoteUnsupported(method string) { s.provider.unsupported.add(method) }

// wantBlock raises the bound on bodies for a whole block.
func (s *Session) wantBlock() { s.limit = maxBlockBody }

// GetJSON asks for a path below the provider's URL and decodes the answer,
// whose numbers the caller reads strictly.
func (s *Session) GetJSON(ctx context.Context, path string, query url.Values, answer any) error {
	r, err := s.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	return s.decode(r, answer)
}

// PostJSON sends a JSON body to a path below the provider's URL and decodes the
// answer.
func (s *Session) PostJSON(ctx context.Context, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the body of %s: %w", path, err)
	}
	r, err := s.do(ctx, http.MethodPost, path, nil, data)
	if err != nil {
		return err
	}
	return s.decode(r, answer)
}

// GetText asks for a path whose answer is plain text, without surrounding white
// space.
func (s *Session) GetText(ctx context.Context, path string) (string, error) {
	r, err := s.do(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return "", err
	}
	if r.status >= 300 {
		return "", s.refuse(r, Optional[int64]{}, "")
	}
	return strings.TrimSpace(string(r.body)), nil
}

// decode is the common end of the REST questions. An error object is one
// whatever the status says: TronGrid sends its throttle with 200.
func (s *Session) decode(r response, answer any) error {
	if r.status >= 300 || mayRefuse(r.body) {
		e := readRESTError(r.body)
		switch {
		case r.status >= 300:
			return s.refuse(r, e.code, e.text)
		case e.found:
			return s.refuseAs(r, RPCError, e.code, e.text)
		}
	}
	if err := json.Unmarshal(r.body, answer); err != nil {
		return s.misshapen(r, err)
	}
	return nil
}

// mayRefuse is a quick look for the members of which readRESTError wants one, so
// that a good answer is not read twice.
func mayRefuse(body []byte) bool {
	for _, member := range []string{`rror"`, `"message"`, `"title"`, `"detail"`} {
		if bytes.Contains(body, []byte(member)) {
			return true
		}
	}
	return false
}

// do sends one request and reads the whole answer, noting both. The error is a
// *Failure or a *NoVerdict.
func (s *Session) do(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	s.begin(verb + " /" + strings.TrimPrefix(path, "/"))
	return s.send(ctx, verb, path, query, body)
}

// begin notes that a request starts.
func (s *Session) begin(request string) {
	s.exchanges = append(s.exchanges, Exchange{Request: request, Start: time.Since(s.start)})
}

// last is the exchange under way.
func (s *Session) last() *Exchange {
	if len(s.exchanges) == 0 {
		s.begin("")
	}
	return &s.exchanges[len(s.exchanges)-1]
}
