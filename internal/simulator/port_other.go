//go:build !unix

package simulator

import "net"

// port is one TCP port of loopback. While nobody listens on it, nothing keeps
// the system from giving it away.
type port struct {
	address string
	first   net.Listener
}

func newPort() (*port, error) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &port{address: on.Addr().String(), first: on}, nil
}

// String is host and port.
func (p *port) String() string { return p.address }

func (p *port) listen() (net.Listener, error) {
	if on := p.first; on != nil {
		p.first = nil
		return on, nil
	}
	return net.Listen("tcp", p.address)
}

func (p *port) leave() error { return p.release() }

func (p *port) release() error {
	if p.first == nil {
		return nil
	}
	on := p.first
	p.first = nil
	return on.Close()
}
