package chain

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// connections are how a provider is reached. Each talk begins on a connection of
// its own, for which the name is looked up, the address dialled and the
// certificate checked, as for a client that comes new: a server that only goes on
// to serve whom it served before is of no use to one. The requests of a talk
// share it, so that a balancer of connections does not spread them over several
// backends. Nothing stays open between talks.
type connections struct {
	timeout  time.Duration
	redirect func(*http.Request, []*http.Request) error
	// dial opens a connection to a name and a port.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// own is the client of a provider whose http block asks for something; nil
	// for the others, which is nearly all of them.
	own *http.Client
	// http2 says whether HTTP/2 may be negotiated, which needs TLS.
	http2 bool
	// tls is nil without TLS. Its sessions are the same as those of own.
	tls      *tls.Config
	sessions sessions
}

// newConnections makes the connections of a provider. It opens none yet.
func newConnections(p config.Provider, timeout time.Duration) (*connections, error) {
	secure := p.RPCHost.Reveal().Scheme == "https"
	// A talk is too short for probes of the kernel.
	dialer := net.Dialer{Timeout: timeout, KeepAlive: -1}
	c := &connections{
		timeout: timeout, redirect: redirects(p), dial: dialer.DialContext,
		http2: p.HTTP.EnableHTTP2 && secure,
	}
	if secure {
		c.tls = &tls.Config{ClientSessionCache: &c.sessions}
	}
	if isPlain(p.HTTP) {
		return c, nil
	}
	var err error
	c.own, err = c.ownClient(p.HTTP)
	return c, err
}

// open makes the client of one talk, which shut ends.
//
// Talks at the same time of a provider with a client of its own may share a
// connection that one of them opened. It is closed with the first of these talks
// that ends or begins while nobody uses it.
func (c *connections) open() *http.Client {
	if c.own != nil {
		c.own.CloseIdleConnections()
		return c.own
	}
	return &http.Client{Transport: c.bareTransport(), CheckRedirect: c.redirect}
}

// shut closes what a talk opened. What is still in use then, since the talk gave
// up waiting for it, is closed when that use ends.
func shut(client *http.Client) { client.CloseIdleConnections() }

// dialContext is dial, whichever that is by then.
func (c *connections) dialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return c.dial(ctx, network, address)
}

// sessions remember one TLS session, by which the next handshake costs half.
// While it lasts the server shows no certificate, and what is known is that of
// before; forget makes the next handshake a full one.
type sessions struct {
	mu    sync.Mutex
	key   string
	state *tls.ClientSessionState
}

// Get implements tls.ClientSessionCache.
func (s *sessions) Get(key string) (*tls.ClientSessionState, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != key || s.state == nil {
		return nil, false
	}
	return s.state, true
}

// Put implements tls.ClientSessionCache; nil takes a session out.
func (s *sessions) Put(key string, state *tls.ClientSessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.state = key, state
}

// forget drops the session.
func (s *sessions) forget() { s.Put("", nil) }

var _ tls.ClientSessionCache = (*sessions)(nil)
