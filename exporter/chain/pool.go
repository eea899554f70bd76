package chain

import (
	"net/http"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Pool holds the connections of providers whose http block asks for nothing,
// which is nearly all of them: a transport of its own costs each provider
// kilobytes. A nil Pool gives everybody a transport of their own.
type Pool struct{ http1, http2 *http.Transport }

// poolDialTimeout bounds how long a connection may take to come about after the
// question for which it was opened gave up waiting.
const poolDialTimeout = 10 * time.Second

// poolIdlePerHost is how many idle connections to one vendor's host are kept for
// all providers there: as many as are under way at once, not one for each.
const poolIdlePerHost = 256

// NewPool makes an empty pool.
func NewPool() *Pool {
	dialer := newDialer(poolDialTimeout)
	k := &Pool{http1: bareTransport(false, dialer), http2: bareTransport(true, dialer)}
	k.http1.MaxIdleConnsPerHost, k.http2.MaxIdleConnsPerHost = poolIdlePerHost, poolIdlePerHost
	return k
}

// Close lets go of idle connections.
func (k *Pool) Close() {
	k.http1.CloseIdleConnections()
	k.http2.CloseIdleConnections()
}

// connect makes the connections of a provider.
func (k *Pool) connect(p config.Provider, timeout time.Duration) (*connections, error) {
	c := &connections{renew: func() (*http.Client, error) { return newHTTPClient(p, timeout) }}
	if k != nil && isPlain(p.HTTP) {
		transport := k.http1
		if speaksHTTP2(p) {
			transport = k.http2
		}
		c.client, c.pooled = &http.Client{Transport: transport, CheckRedirect: redirects(p)}, true
		return c, nil
	}
	var err error
	c.client, err = c.renew()
	return c, err
}

// connections are how a provider is reached.
type connections struct {
	mu     sync.Mutex
	client *http.Client
	// pooled says that the client's connections are everybody's.
	pooled bool
	// suspect says that the next request shall not use a connection of before.
	suspect bool
	renew   func() (*http.Client, error)
}

// use is the client for the next request. A suspect connection is not used
// again: who had one in the pool leaves it for a transport of their own, since
// letting the pool's connections go would let go everybody's.
func (c *connections) use() *http.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.suspect {
		return c.client
	}
	c.suspect = false
	if !c.pooled {
		c.client.CloseIdleConnections()
		return c.client
	}
	// What asks for nothing, as all who are in the pool do, cannot fail.
	if own, err := c.renew(); err == nil {
		c.client, c.pooled = own, false
	}
	return c.client
}

// distrust makes the next request look the name up and dial again.
func (c *connections) distrust() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspect = true
}

// close lets go of idle connections, unless they are everybody's.
func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pooled {
		c.client.CloseIdleConnections()
	}
}
