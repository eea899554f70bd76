package simulator

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
)

// Network is a network of providers without sockets: names and connections are
// in memory, and errors are those of real ones. It works in a testing/synctest
// bubble, where it has to be made and closed. Its zero value is ready.
type Network struct {
	mu        sync.Mutex
	closed    bool
	hosts     map[string]*memoryAddress
	listeners []*listener
	transport *http.Transport
}

// Listen puts a provider at a host name and returns its URL. In ModeRefuse
// connections to it are refused.
func (n *Network) Listen(p *Provider, host string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return "", errClosed
	case n.hosts[host] != nil:
		return "", errors.New("host " + host + " is taken")
	case n.hosts == nil:
		n.hosts = map[string]*memoryAddress{}
	}
	a := &memoryAddress{host: host}
	l, err := newListener(p, a)
	if err != nil {
		return "", err
	}
	n.hosts[host] = a
	n.listeners = append(n.listeners, l)
	return "http://" + host + p.options.Prefix, nil
}

// DialContext connects to the provider at an address, whatever its port. It
// fits [http.Transport] and Prometheus' HTTP client configuration.
func (n *Network) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	n.mu.Lock()
	a := n.hosts[host]
	n.mu.Unlock()
	if a == nil {
		unknown := &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		return nil, &net.OpError{Op: "dial", Net: network, Err: unknown}
	}
	conn, err := a.dial(ctx)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: a, Err: err}
	}
	return conn, nil
}

// Client is an HTTP client of this network alone.
func (n *Network) Client() *http.Client {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.transport == nil {
		n.transport = &http.Transport{DialContext: n.DialContext}
	}
	return &http.Client{Transport: n.transport}
}

// Close ends all connections, and waits until every request is over.
func (n *Network) Close() error {
	n.mu.Lock()
	listeners := n.listeners
	transport := n.transport
	n.closed, n.listeners, n.hosts = true, nil, nil
	n.mu.Unlock()
	var errs []error
	for _, l := range listeners {
		errs = append(errs, l.close())
	}
	if transport != nil {
		transport.CloseIdleConnections()
	}
	return errors.Join(errs...)
}

// memoryAddress is a host name, at which somebody listens or not.
type memoryAddress struct {
	host string

	mu sync.Mutex
	// on is nil while nobody listens.
	on *memoryListener
}

// Network and String are those of a net.Addr.
func (a *memoryAddress) Network() string { return "tcp" }

func (a *memoryAddress) String() string { return a.host }

func (a *memoryAddress) listen() (net.Listener, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = &memoryListener{address: a, conns: make(chan net.Conn), done: make(chan struct{})}
	return a.on, nil
}

func (a *memoryAddress) leave() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = nil
	return nil
}

func (a *memoryAddress) release() error { return a.leave() }

func (a *memoryAddress) dial(ctx context.Context) (net.Conn, error) {
	a.mu.Lock()
	on := a.on
	a.mu.Unlock()
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	if on == nil {
		return nil, refused
	}
	client, server := newMemoryConns(a)
	select {
	case on.conns <- server:
		return client, nil
	case <-on.done:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// memoryListener is a net.Listener for dial.
type memoryListener struct {
	address *memoryAddress
	conns   chan net.Conn
	done    chan struct{}
	once    sync.Once
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return l.address }
