//go:build unix

package simulator

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// port is one TCP port of loopback. While nobody listens on it, a socket that
// is bound but does not listen keeps it from being given to anybody else, and
// the system refuses connections to it.
type port struct {
	number int
	// reserved is that socket, or -1.
	reserved int
}

func newPort() (*port, error) {
	p := &port{reserved: -1}
	return p, p.leave()
}

// String is host and port.
func (p *port) String() string { return fmt.Sprintf("127.0.0.1:%d", p.number) }

// A process that was started just now may hold a copy of the listener for as long
// as it takes to become another program.
const (
	leaveTries = 200
	leavePause = 5 * time.Millisecond
)

// leave binds the port without listening; the first time it picks one.
func (p *port) leave() error {
	err := p.bind()
	for range leaveTries {
		if !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		time.Sleep(leavePause)
		err = p.bind()
	}
	return err
}

func (p *port) bind() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	syscall.CloseOnExec(fd)
	// The old connections of the port must not stand in the way; nobody else
	// may then share it.
	address := &syscall.SockaddrInet4{Port: p.number, Addr: [4]byte{127, 0, 0, 1}}
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, address)
	}
	var bound syscall.Sockaddr
	if err == nil {
		bound, err = syscall.Getsockname(fd)
	}
	if err != nil {
		return os.NewSyscallError("bind", firstError(err, syscall.Close(fd)))
	}
	if b, ok := bound.(*syscall.SockaddrInet4); ok {
		p.number = b.Port
	}
	p.reserved = fd
	return nil
}

// listen turns the reservation into a listener.
func (p *port) listen() (net.Listener, error) {
	if err := syscall.Listen(p.reserved, syscall.SOMAXCONN); err != nil {
		return nil, os.NewSyscallError("listen", err)
	}
	file := os.NewFile(uintptr(p.reserved), p.String())
	p.reserved = -1
	on, err := net.FileListener(file)
	return on, firstError(err, file.Close())
}

func (p *port) release() error {
	if p.reserved < 0 {
		return nil
	}
	fd := p.reserved
	p.reserved = -1
	return os.NewSyscallError("close", syscall.Close(fd))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
