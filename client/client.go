// Package client follows a controller's /active from inside a Go program, so
// that the program needs neither a proxy nor a restart when a provider falters.
//
// It asks and obeys. It never probes a provider, and never decides who is fit to
// serve; all it does on its own account is to pass over a provider to which it
// gets no connection, in favour of one that the controller names as a fallback.
//
// Invariants:
//   - Fail static: once there was an answer, the loss of the controller, an error
//     or nonsense from it changes nothing. The last good answer is kept for ever,
//     and its age is told.
//   - An older answer never replaces a newer one; see replaces.
//   - A request belongs to the answer with which it began. What befalls it says
//     nothing about a provider chosen since.
//   - Nobody asks in a tight loop, whatever the controller answers.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/controller/wire"
)

const (
	// answerTime is how long the controller may take for an answer, on top of the
	// wait that it was asked for.
	answerTime = 10 * time.Second
	// connectTime is how long a connection to a provider may take.
	connectTime = 3 * time.Second
	// idlePerProvider is how many idle connections to each provider are kept.
	idlePerProvider = 16
)

// Options are what New needs. Only URL is required.
type Options struct {
	// URL is the controller's, such as http://127.0.0.1:9477. A path is kept, and
	// user information is sent as basic authentication.
	URL string
	// Token is sent as a bearer token. A controller that listens beyond loopback
	// gives the whole addresses of providers to authenticated callers only.
	Token string
	// HTTPClient asks the controller; nil: one of the client's own. Its redirects
	// are not followed. A Timeout must leave room for Wait, which is cut to half of
	// it if it does not.
	HTTPClient *http.Client
	// Capability asks for the best healthy provider that has it, such as wallet;
	// empty: the active one.
	Capability string
	// Wait is how long a question may stay open for a change; zero: 30 s.
	Wait time.Duration
	// Settle is how long nothing but older answers must come before one of them is
	// believed; zero: 1 min. See Watch.
	Settle time.Duration
}

// Errors that callers tell apart.
var (
	// ErrUnknownChain: the controller has no such chain, or no provider of it with
	// the capability.
	ErrUnknownChain = errors.New("the controller knows no such chain")
	// ErrClosed: the client was closed before there was an answer.
	ErrClosed = errors.New("the client is closed")
)

// Client asks one controller. Its methods may be called at the same time.
type Client struct {
	o     Options
	base  *url.URL
	http  *http.Client
	close []func()

	// ctx ends with Close; it is the root of all followers.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu        sync.Mutex
	followers map[string]*follower
	providers *http.Transport
	closed    bool
}

// New makes a client. It asks nothing yet, so the controller need not run.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil {
		// The parser's error would repeat the URL, which may hold a password.
		return nil, errors.New("controller URL: it cannot be parsed; expected something like http://127.0.0.1:9477")
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" {
		return nil, fmt.Errorf("controller URL %s://%s: expected something like http://127.0.0.1:9477", base.Scheme, base.Host)
	}
	o.Wait = cmp.Or(o.Wait, 30*time.Second)
	o.Settle = cmp.Or(o.Settle, time.Minute)
	c := &Client{base: base, followers: map[string]*follower{}}
	own := o.HTTPClient
	if own == nil {
		transport := newTransport()
		c.close = append(c.close, transport.CloseIdleConnections)
		own = &http.Client{Transport: transport}
	}
	if own.Timeout > 0 {
		o.Wait = min(o.Wait, own.Timeout/2)
	}
	asking := *own
	asking.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http, c.o = &asking, o
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// Active asks who serves a chain. With state none there is no provider, and that
// is no error. It is ErrUnknownChain if the controller has no such chain.
func (c *Client) Active(ctx context.Context, chain string) (wire.Active, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := c.askActive(ctx, chain, question{})
	return r.active, err
}

// Status is what a client knows of a chain that it follows for a Transport.
type Status struct {
	// Active is the last good answer; its zero value before the first. After a
	// state none it says so, although requests still go to the provider before.
	Active wire.Active
	// Age is how long ago the controller last confirmed Active; zero before the
	// first answer. It stays below Options.Wait plus a few seconds while the
	// controller is well.
	Age time.Duration
	// Err is why the latest question got no good answer; nil if it did.
	Err error
}

// Close ends all that runs in the background and waits for it. Transports stay
// usable, with the answer they have. It may be called more than once.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	providers := c.providers
	c.mu.Unlock()
	c.cancel()
	c.wg.Wait()
	for _, f := range c.close {
		f()
	}
	if providers != nil {
		providers.CloseIdleConnections()
	}
	return nil
}

// follow gives the follower of a chain and starts it if there is none.
func (c *Client) follow(chain string) *follower {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.followers[chain]
	if ok {
		return f
	}
	f = newFollower(c, chain)
	c.followers[chain] = f
	if c.closed {
		f.end()
		return f
	}
	c.wg.Go(func() { f.run(c.ctx) })
	return f
}

// toProviders is the transport that all Transports share unless they have one of
// their own.
func (c *Client) toProviders() *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.providers == nil {
		c.providers = newTransport()
	}
	return c.providers
}

// newTransport is one that gives up connecting early, so that a host that
// swallows packets costs a moment and not the caller's patience.
func newTransport() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if known, ok := http.DefaultTransport.(*http.Transport); ok {
		t = known.Clone()
	}
	t.DialContext = (&net.Dialer{Timeout: connectTime, KeepAlive: 15 * time.Second}).DialContext
	t.TLSHandshakeTimeout = connectTime
	t.MaxIdleConnsPerHost = idlePerProvider
	return t
}
