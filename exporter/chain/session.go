package chain

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxBody bounds an answer, both as it arrives and decompressed.
	maxBody = 1 << 20
	// maxBlockBody is the bound for whole blocks, whose transaction ids alone
	// are near a megabyte on a busy chain.
	maxBlockBody = 8 << 20
)

// Exchange is one request with its outcome, for people to look at. It holds no
// secret.
type Exchange struct {
	// Request is a JSON-RPC method, or a verb with a path.
	Request string
	// Start is the time since the probe began.
	Start   time.Duration
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

// Session is one probe's talk with one provider. It is used by one goroutine.
type Session struct {
	provider  *Provider
	start     time.Time
	limit     int64
	exchanges []Exchange
	expiry    time.Time
}

// response is a complete answer.
type response struct {
	status int
	header http.Header
	body   []byte
}

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

// decode is the common end of the REST questions.
func (s *Session) decode(r response, answer any) error {
	if r.status >= 300 {
		code, text := restError(r.body)
		return s.refuse(r, code, text)
	}
	if err := json.Unmarshal(r.body, answer); err != nil {
		return s.refuse(r, Optional[int64]{}, "")
	}
	return nil
}

// Reject classifies the last answer as one that is not what the protocol
// allows, unless its text says something more precise. why names the field.
func (s *Session) Reject(why string) error {
	return s.fail(&Failure{Reason: BadResponse, Status: s.last().Status, Text: why})
}

// RejectMissing says that the provider does not have what it announced.
func (s *Session) RejectMissing(what string) error {
	return s.fail(&Failure{Reason: Missing, Status: s.last().Status, Text: what})
}

// refuse turns an answer that is not a good one into a failure: by the status,
// the code and the text, where there are any.
func (s *Session) refuse(r response, code Optional[int64], text string) error {
	if text == "" {
		text = excerpt(r.body)
	}
	f := classify(answer{
		kind: s.provider.kind, typ: s.provider.typ,
		status: r.status, code: code, text: text,
	})
	f.Wait = waitFrom(r.body, r.header, time.Now())
	return s.fail(f)
}

// fail completes a failure and notes it with the last exchange.
func (s *Session) fail(f *Failure) error {
	last := s.last()
	f.Request = last.Request
	f.Text = s.provider.scrub(f.Text)
	last.Reason, last.Text = f.Reason, f.Text
	return f
}

// last is the exchange under way.
func (s *Session) last() *Exchange {
	if len(s.exchanges) == 0 {
		s.exchanges = append(s.exchanges, Exchange{})
	}
	return &s.exchanges[len(s.exchanges)-1]
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

// send does the exchange that begin noted.
func (s *Session) send(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	began := time.Now()
	r, err := s.roundTrip(ctx, verb, path, query, body)
	last := s.last()
	last.Latency = time.Since(began)
	last.Status, last.Bytes = r.status, len(r.body)
	if err == nil {
		return r, nil
	}
	// A name may have moved, a connection may be dead: start afresh next time.
	s.provider.http.CloseIdleConnections()
	if f, ok := errors.AsType[*Failure](err); ok {
		f.Status = r.status
		return r, s.fail(f)
	}
	last.Text = s.provider.scrub(err.Error())
	return r, err
}

// roundTrip is one request with its own deadline.
func (s *Session) roundTrip(ctx context.Context, verb, path string, query url.Values, body []byte) (response, error) {
	within, cancel := context.WithTimeout(ctx, s.provider.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, verb, s.provider.address(path, query), bytes.NewReader(body))
	if err != nil {
		return response{}, &Failure{Reason: BadResponse, Text: "the address cannot be asked"}
	}
	s.provider.authorize(req)
	req.Header.Set("Accept-Encoding", "gzip")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := s.provider.http.Do(req)
	if err != nil {
		return response{}, classifyTransport(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if expiry := earliestExpiry(res.TLS); !expiry.IsZero() {
		s.expiry = expiry
	}
	r := response{status: res.StatusCode, header: res.Header}
	if r.body, err = readBody(res, s.limit); err != nil {
		if f, ok := errors.AsType[*Failure](err); ok {
			return r, f
		}
		return r, classifyTransport(ctx, err)
	}
	return r, nil
}

// readBody reads at most limit bytes as they arrive and at most limit bytes
// decompressed. More is a bad response.
func readBody(res *http.Response, limit int64) ([]byte, error) {
	arriving := &io.LimitedReader{R: res.Body, N: limit + 1}
	var r io.Reader = arriving
	if strings.EqualFold(res.Header.Get("Content-Encoding"), "gzip") {
		unzip, err := gzip.NewReader(arriving)
		if err != nil {
			return nil, brokenGzip(err)
		}
		r = unzip
	}
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(body)) > limit || arriving.N <= 0:
		return nil, &Failure{Reason: BadResponse, Text: fmt.Sprintf("the answer is longer than %d bytes", limit)}
	case err != nil:
		return body, brokenGzip(err)
	}
	return body, nil
}

// brokenGzip tells damage in the compression, which is a bad response, from
// damage on the way, which the caller classifies.
func brokenGzip(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &Failure{Reason: BadResponse, Text: err.Error()}
	}
	if strings.HasPrefix(err.Error(), "flate: ") {
		return &Failure{Reason: BadResponse, Text: err.Error()}
	}
	return err
}

// session begins a talk with a provider.
func (p *Provider) session() *Session {
	return &Session{provider: p, start: time.Now(), limit: maxBody}
}
