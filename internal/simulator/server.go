package simulator

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Server serves providers on loopback. Its zero value is ready; Close ends it.
type Server struct {
	mu        sync.Mutex
	closed    bool
	listeners []*listener
	// shared is the port of the mounted providers; nil until the first one.
	shared  *http.Server
	url     string
	running sync.WaitGroup
	// mounted is by path; it is read by every request.
	mounted sync.Map
}

// errClosed is what a closed server or network says.
var errClosed = errors.New("the simulator is closed")

// Listen gives a provider a port of its own and returns its URL. In ModeRefuse
// the port is closed, and opened again when the mode ends.
func (s *Server) Listen(p *Provider) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	port, err := newPort()
	if err != nil {
		return "", fmt.Errorf("chain %q, provider %q: port on loopback: %w", p.chain.Name(), p.Name(), err)
	}
	l, err := newListener(p, port)
	if err != nil {
		return "", fmt.Errorf("chain %q, provider %q: listen on loopback: %w", p.chain.Name(), p.Name(), err)
	}
	s.listeners = append(s.listeners, l)
	return "http://" + port.String() + p.options.Prefix, nil
}

// Mount puts a provider under the one port of all mounted providers and returns
// its URL, which ends in the names of chain and provider. In ModeRefuse a
// mounted provider resets its connections, since the port is not its own.
func (s *Server) Mount(p *Provider) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errClosed
	}
	if err := s.shareLocked(); err != nil {
		return "", err
	}
	path := "/" + url.PathEscape(p.chain.Name()) + "/" + url.PathEscape(p.Name())
	if _, taken := s.mounted.LoadOrStore(path, p); taken {
		return "", fmt.Errorf("provider %q of chain %q is mounted already", p.Name(), p.chain.Name())
	}
	return s.url + path + p.options.Prefix, nil
}

// shareLocked opens the shared port once.
func (s *Server) shareLocked() error {
	if s.shared != nil {
		return nil
	}
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("shared port on loopback: %w", err)
	}
	s.url = "http://" + on.Addr().String()
	s.shared = newHTTPServer(http.HandlerFunc(s.route), &s.running)
	server := s.shared
	s.running.Go(func() { _ = server.Serve(on) })
	return nil
}

// route finds the mounted provider by the first two parts of the path.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	end := len(path)
	if i := strings.IndexByte(path[min(1, end):], '/'); i >= 0 {
		if j := strings.IndexByte(path[i+2:], '/'); j >= 0 {
			end = i + 2 + j
		}
	}
	found, ok := s.mounted.Load(path[:end])
	p, _ := found.(*Provider)
	if !ok || p == nil {
		http.NotFound(w, r)
		return
	}
	rest, err := url.PathUnescape(path[end:])
	if err != nil {
		http.NotFound(w, r)
		return
	}
	p.serve(w, r, rest)
}

// Close ends all connections, and waits until every request is over.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, l := range s.listeners {
		errs = append(errs, l.close())
	}
	if s.shared != nil {
		errs = append(errs, s.shared.Close())
	}
	s.running.Wait()
	return errors.Join(errs...)
}
