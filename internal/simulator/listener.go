package simulator

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// listener serves one provider at one address. While the provider refuses, the
// address is closed together with every connection to it; afterwards the same
// address is open again.
type listener struct {
	provider *Provider
	address  address
	changed  chan struct{}
	done     chan struct{}
	running  sync.WaitGroup

	mu sync.Mutex
	// server and on are nil while the address is closed.
	server *http.Server
	on     net.Listener
	closed bool
	// err is why the address could not be opened again.
	err error
}

// address is a place to listen at, again and again.
type address interface {
	listen() (net.Listener, error)
	// leave is called after the listener of listen is closed.
	leave() error
	// release gives the address up.
	release() error
}

// newListener opens the address, unless the provider refuses now.
func newListener(p *Provider, a address) (*listener, error) {
	l := &listener{provider: p, address: a, changed: make(chan struct{}, 1), done: make(chan struct{})}
	l.follow()
	if l.err != nil {
		return nil, errors.Join(l.err, a.release())
	}
	p.mu.Lock()
	p.listeners = append(p.listeners, l)
	p.mu.Unlock()
	l.running.Go(l.watch)
	return l, nil
}

// behaviourChanged opens or closes the address before it returns.
func (l *listener) behaviourChanged() {
	l.follow()
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// watch follows the phases of a script. It waits in real time (in a bubble, in
// the bubble's): where the chain has a clock of its own, an address follows at
// SetBehaviour and Play alone, and until then a refusal shows as a reset.
func (l *listener) watch() {
	for {
		now := l.provider.chain.Now()
		var timer *time.Timer
		var tick <-chan time.Time
		if at, ok := l.provider.play.Load().next(now); ok {
			timer = time.NewTimer(at.Sub(now))
			tick = timer.C
		}
		select {
		case <-l.done:
		case <-l.changed:
		case <-tick:
			l.follow()
		}
		if timer != nil {
			timer.Stop()
		}
		select {
		case <-l.done:
			return
		default:
		}
	}
}

// follow makes the address open or closed, as the provider is now.
func (l *listener) follow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	refuse := l.closed || l.provider.Behaviour().Mode == ModeRefuse
	switch {
	case refuse && l.server != nil:
		// The server may not have come to serve yet, and then does not close
		// what it was to serve on; what is closed twice says so.
		_ = l.on.Close()
		_ = l.server.Close()
		l.server, l.on = nil, nil
		if !l.closed {
			l.err = l.address.leave()
		}
	case !refuse && l.server == nil:
		l.openLocked()
	}
}

func (l *listener) openLocked() {
	on, err := l.address.listen()
	if err != nil {
		l.err = err
		return
	}
	server := newHTTPServer(l.provider, &l.running)
	l.server, l.on = server, on
	l.running.Go(func() { _ = server.Serve(on) })
}

// close ends everything and waits for it.
func (l *listener) close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.done)
	l.mu.Unlock()
	l.follow()
	l.running.Wait()
	l.provider.forget(l)
	return errors.Join(l.err, l.address.release())
}

// newHTTPServer says nothing, and lets running wait for its connections. Serve
// has to be counted in running by itself.
func newHTTPServer(handler http.Handler, running *sync.WaitGroup) *http.Server {
	return &http.Server{
		Handler: handler,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				running.Add(1)
			case http.StateClosed, http.StateHijacked:
				running.Done()
			}
		},
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
	}
}
