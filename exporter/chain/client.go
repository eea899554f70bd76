package chain

import (
	"fmt"
	"net"
	"net/http"
	"reflect"
	"time"

	commoncfg "github.com/prometheus/common/config"

	"github.com/understudy-rpc/understudy/internal/config"
)

const (
	// idleTimeout ends idle connections, so that a provider that moved to
	// another address is not held on to for hours.
	idleTimeout = 90 * time.Second
	// maxRedirects bounds redirects within the same host.
	maxRedirects = 3
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// connBuffer is the size of a connection's two buffers. A question fits, and
	// longer answers are read past it. It is a quarter of net/http's, since
	// every provider keeps a connection.
	connBuffer = 1 << 10
)

// newHTTPClient makes a client of a provider's own from its http block.
//
// The Prometheus client does what the block asks for. It also keeps a log of
// events per connection, for pages of golang.org/x/net/trace that are not served
// here. A block that asks for nothing gets a bare transport with the same
// settings.
func newHTTPClient(p config.Provider, timeout time.Duration) (*http.Client, error) {
	dialer := newDialer(timeout)
	client := &http.Client{Transport: bareTransport(speaksHTTP2(p), dialer)}
	if !isPlain(p.HTTP) {
		var err error
		client, err = commoncfg.NewClientFromConfig(p.HTTP, "provider",
			commoncfg.WithIdleConnTimeout(idleTimeout),
			commoncfg.WithDialContextFunc(dialer.DialContext))
		if err != nil {
			return nil, fmt.Errorf("http: %w", err)
		}
	}
	client.CheckRedirect = redirects(p)
	return client, nil
}

// newDialer opens connections.
func newDialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}
}

// speaksHTTP2 says whether HTTP/2 may be negotiated, which needs TLS.
func speaksHTTP2(p config.Provider) bool {
	return p.HTTP.EnableHTTP2 && p.RPCHost.Reveal().Scheme == "https"
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

// bareTransport keeps connections to one provider.
func bareTransport(http2 bool, dialer *net.Dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		Protocols:              protocols,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    dialer.Timeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
		ReadBufferSize:         connBuffer,
		WriteBufferSize:        connBuffer,
	}
	if http2 {
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
