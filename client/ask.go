package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// answerSize is how much of an answer is read. A hundred providers with their
// alerts take a tenth of it.
const answerSize = 4 << 20

// question is what is asked of /active/{chain}. The zero value asks for the
// answer of this moment.
type question struct {
	// index and wait ask to be answered when the index has been passed; a wait of
	// zero leaves both out.
	index uint64
	wait  time.Duration
	// etag is that of the answer one has; empty: none.
	etag string
}

// reply is a good answer about a chain.
type reply struct {
	active wire.Active
	etag   string
	// unchanged says that the answer is the one with the question's etag; active is
	// empty then.
	unchanged bool
}

// askActive asks who serves a chain.
func (c *Client) askActive(ctx context.Context, chain string, q question) (reply, error) {
	query := url.Values{}
	if c.o.Capability != "" {
		query.Set("capability", c.o.Capability)
	}
	if q.wait > 0 {
		query.Set("index", strconv.FormatUint(q.index, 10))
		query.Set("wait", q.wait.String())
	}
	header := http.Header{}
	if q.etag != "" {
		header.Set("If-None-Match", q.etag)
	}
	var a wire.Active
	status, got, err := c.get(ctx, query, header, &a, "active", chain)
	switch {
	case err != nil:
		return reply{}, fmt.Errorf("chain %q: %w", chain, err)
	case status == http.StatusNotModified && q.etag != "":
		return reply{etag: q.etag, unchanged: true}, nil
	}
	if err := sound(a, chain, status); err != nil {
		return reply{}, fmt.Errorf("chain %q: the controller at %s: %w", chain, c.base.Host, err)
	}
	return reply{active: a, etag: got.Get("Etag")}, nil
}

// sound says what is wrong with an answer that has the form of one.
func sound(a wire.Active, chain string, status int) error {
	named := a.Provider != nil && *a.Provider != ""
	switch {
	case a.Chain != chain:
		return fmt.Errorf("the answer is about chain %q", a.Chain)
	case a.State == wire.StateNone && !named:
		return nil
	case status != http.StatusOK:
		return fmt.Errorf("status %d with the state %q", status, a.State)
	case (a.State == wire.StateOK || a.State == wire.StateDegraded) && named:
		return nil
	case named:
		return fmt.Errorf("the state %q is none that this client knows", a.State)
	}
	return fmt.Errorf("the state is %q, but no provider is named", a.State)
}

// askChain asks for all that is known of a chain: the addresses of fallbacks
// stand there.
func (c *Client) askChain(ctx context.Context, chain string) (wire.Chain, error) {
	var known wire.Chain
	_, _, err := c.get(ctx, nil, nil, &known, "thorchain", "providers", chain)
	if err == nil && known.Chain != chain {
		err = fmt.Errorf("the answer of the controller at %s is about chain %q", c.base.Host, known.Chain)
	}
	if err != nil {
		return wire.Chain{}, fmt.Errorf("chain %q: addresses of fallbacks: %w", chain, err)
	}
	return known, nil
}

// get asks the controller and decodes what it answers into to: the body of a
// 200, and that of a 503 that is JSON.
func (c *Client) get(ctx context.Context, query url.Values, header http.Header, to any, path ...string) (int, http.Header, error) {
	escaped := make([]string, len(path))
	for i, p := range path {
		escaped[i] = url.PathEscape(p)
	}
	u := c.base.JoinPath(escaped...)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the controller at %s: %w", c.base.Host, err)
	}
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Accept", "application/json")
	if c.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("ask the controller: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerSize+1))
	switch {
	case err != nil:
		err = fmt.Errorf("the answer breaks off: %w", err)
	case len(body) > answerSize:
		err = fmt.Errorf("the answer is longer than %d bytes", answerSize)
	case resp.StatusCode == http.StatusNotModified:
	case resp.StatusCode == http.StatusOK || (resp.StatusCode == http.StatusServiceUnavailable && isJSON(resp.Header)):
		err = json.Unmarshal(body, to)
	default:
		err = refusal(resp, body)
	}
	if err != nil {
		return resp.StatusCode, nil, fmt.Errorf("the controller at %s: %w", c.base.Host, err)
	}
	return resp.StatusCode, resp.Header, nil
}

// isJSON excludes problems, which are application/problem+json.
func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// refusal puts a status other than 200 into words.
func refusal(resp *http.Response, body []byte) error {
	var p wire.Problem
	detail := ""
	if json.Unmarshal(body, &p) == nil && p.Detail != "" {
		detail = ": " + p.Detail
	}
	switch resp.StatusCode {
	case http.StatusNotFound:
		return fmt.Errorf("%w (404%s)", ErrUnknownChain, detail)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("status %d%s: check the token", resp.StatusCode, detail)
	}
	return errors.New("status " + strconv.Itoa(resp.StatusCode) + detail)
}
