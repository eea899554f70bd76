package gateway

import "sync"

// sockets are the open WebSockets. net/http does not end what it gave away, so the
// gateway has to.
type sockets struct {
	mu     sync.Mutex
	open   map[*socket]struct{}
	closed bool
	ended  sync.WaitGroup
}

func newSockets() *sockets { return &sockets{open: map[*socket]struct{}{}} }

// add is false if no more are taken.
func (s *sockets) add(one *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.open[one] = struct{}{}
	s.ended.Add(1)
	return true
}

func (s *sockets) remove(one *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, one)
	s.ended.Done()
}

// close ends all, and waits for them.
func (s *sockets) close() {
	s.mu.Lock()
	s.closed = true
	open := make([]*socket, 0, len(s.open))
	for one := range s.open {
		open = append(open, one)
	}
	s.mu.Unlock()
	for _, one := range open {
		one.leave(closeGoingAway, "the gateway stops")
	}
	s.ended.Wait()
}
