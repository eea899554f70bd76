// Package remote talks to a running controller over HTTP: what it knows, what it
// decided, and the orders of an operator.
//
// It sends and decodes, and never decides, prints or keeps anything. Each method
// is one request, but for Watch. The errors are of three sorts, which callers
// tell apart by type: Unreachable (no answer), Refusal (the controller answers
// no) and Unintelligible (whatever answers is no controller). None of them holds
// more of an address than scheme and host, and none a credential.
package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	commoncfg "github.com/prometheus/common/config"
	"github.com/prometheus/common/version"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// DefaultURL is where a controller listens unless told otherwise.
	DefaultURL = "http://127.0.0.1:9477"
	// DefaultTimeout bounds a request.
	DefaultTimeout = 10 * time.Second
	// bodyLimit bounds an answer: some 50,000 providers.
	bodyLimit = 64 << 20
)

// Options say which controller, and how to be let in.
type Options struct {
	// URL is its address; a path is put before every other. Empty: DefaultURL.
	URL string
	// TokenFile holds a bearer token, read anew for each request. Empty: none.
	TokenFile string
	// HTTPConfigFile holds Prometheus's HTTP client configuration. Empty: none.
	HTTPConfigFile string
	// Timeout bounds each request, beside the time that it is asked to wait. Zero:
	// DefaultTimeout.
	Timeout time.Duration
}

// Client asks one controller. Its methods may be called at the same time.
type Client struct {
	base    *url.URL
	name    config.URL
	http    *http.Client
	timeout time.Duration
}

// New looks at the options and sends nothing. The errors name the option.
func New(o Options) (*Client, error) {
	name, err := config.ParseURL(cmp.Or(o.URL, DefaultURL))
	if err != nil {
		return nil, fmt.Errorf("the controller's URL: %w; it looks like %s", err, DefaultURL)
	}
	base := name.Reveal()
	if base.RawQuery != "" || base.ForceQuery {
		return nil, errors.New("the controller's URL has a query (?…), which nothing is asked with")
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("the timeout %s is negative", o.Timeout)
	}
	credentials, err := credentialsOf(o, base.User != nil)
	if err != nil {
		return nil, err
	}
	client, err := commoncfg.NewClientFromConfig(credentials, "controller", commoncfg.WithUserAgent("understudy/"+cmp.Or(version.Version, "devel")))
	if err != nil {
		return nil, fmt.Errorf("the HTTP client configuration %s: %w", o.HTTPConfigFile, withoutValues(err))
	}
	return &Client{base: base, name: name, http: client, timeout: cmp.Or(o.Timeout, DefaultTimeout)}, nil
}

// Controller is scheme and host of the controller, for people.
func (c *Client) Controller() string { return c.name.String() }

// Close gives up the connections that are kept for later.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// request is one request to the controller.
type request struct {
	method string
	// path has its elements, which are escaped one by one.
	path  []string
	query url.Values
	// body is sent as JSON; nil: none.
	body any
	// wait is how long the controller may hold the answer back.
	wait time.Duration
}

// answer is what came back, whatever its status.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request and reads the answer. The error is an Unreachable, or that
// of a context that ended.
func (c *Client) send(ctx context.Context, r request) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, c.timeout+r.wait)
	defer cancel()
	req, err := c.newRequest(limited, r)
	if err != nil {
		return answer{}, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, c.failure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, bodyLimit+1))
	switch {
	case err != nil:
		return answer{}, c.failure(ctx, err)
	case len(body) > bodyLimit:
		return answer{}, &Unintelligible{c.name, fmt.Sprintf("its answer is longer than %d MiB", bodyLimit>>20)}
	}
	return answer{res.StatusCode, res.Header, body}, nil
}

// newRequest puts the address together.
func (c *Client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	escaped := make([]string, len(r.path))
	for i, element := range r.path {
		if element == "" || element == "." || element == ".." {
			return nil, fmt.Errorf("%q is not a name", element)
		}
		escaped[i] = url.PathEscape(element)
	}
	u := c.base.JoinPath(escaped...)
	u.RawQuery = r.query.Encode()
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = strings.NewReader(string(text))
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return nil, &Unreachable{c.name, withoutAddress(err)}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	return req, nil
}

// failure is an error of the network. One that the caller's context brought about
// stays what it is.
func (c *Client) failure(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return &Unreachable{c.name, fmt.Errorf("nothing came within %s", c.timeout)}
	}
	return &Unreachable{c.name, withoutAddress(err)}
}
