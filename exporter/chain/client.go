package chain

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"reflect"
	"time"

	commoncfg "github.com/prometheus/common/config"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// idleTimeout ends a connection whose talk ended before it was idle, as
	// happens when HTTP/2 takes a request back that ran out of time. Between
	// the requests of a talk no such time passes.
	idleTimeout = time.Second
	// maxRedirects bounds redirects within the same host.
	maxRedirects = 3
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// connBuffer is the size of a connection's two buffers. A question fits, and
	// longer answers are read past it. It is a quarter of net/http's, since
	// every probe makes a connection.
	connBuffer = 1 << 10
)

// ownClient makes the client that does what an http block asks for: that of
// Prometheus. It lives as long as the provider, since it holds tokens and reads
// files again when they change. It also keeps a log of events per connection, for
// pages of golang.org/x/net/trace that are not served here.
func (c *connections) ownClient(block commoncfg.HTTPClientConfig) (*http.Client, error) {
	client, err := commoncfg.NewClientFromConfig(block, "provider",
		commoncfg.WithIdleConnTimeout(idleTimeout),
		commoncfg.WithDialContextFunc(c.dialContext),
		commoncfg.WithNewTLSConfigFunc(c.resumed))
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	client.CheckRedirect = c.redirect
	return client, nil
}

// resumed is what a block asks of TLS, with the provider's sessions.
func (c *connections) resumed(ctx context.Context, block *commoncfg.TLSConfig, options ...commoncfg.TLSConfigOption) (*tls.Config, error) {
	made, err := commoncfg.NewTLSConfigWithContext(ctx, block, options...)
	if err == nil {
		made.ClientSessionCache = &c.sessions
	}
	return made, err
}

// redirects is what becomes of a redirect.
func redirects(p config.Provider) func(*http.Request, []*http.Request) error {
	if p.HTTP.FollowRedirects {
		return staysOnHost
	}
	return handBack
}

// isPlain says whether a block asks for nothing but the defaults.
func isPlain(b commoncfg.HTTPClientConfig) bool {
	b.FollowRedirects, b.EnableHTTP2 = false, false
	return reflect.DeepEqual(b, commoncfg.HTTPClientConfig{})
}

// bareTransport makes the connections of one talk for a block that asks for
// nothing, with the settings that the Prometheus client has.
func (c *connections) bareTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(c.http2)
	transport := &http.Transport{
		DialContext:            c.dialContext,
		Protocols:              protocols,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    c.timeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		ReadBufferSize:         connBuffer,
		WriteBufferSize:        connBuffer,
	}
	if c.tls != nil {
		// net/http writes to it.
		transport.TLSClientConfig = c.tls.Clone()
	}
	if c.http2 {
		transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: time.Minute}
	}
	return transport
}

// handBack follows no redirect: it is the answer, whose status classifies it.
func handBack(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// staysOnHost follows a redirect only within the same scheme and host: another
// host would receive what was meant for the provider, credentials included. Any
// other redirect is handed back.
func staysOnHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects ||
		next.URL.Host != first.URL.Host || next.URL.Scheme != first.URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}
