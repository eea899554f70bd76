package simulator

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

// memoryConn is one end of a connection in memory. Where a pipe's errors differ
// from a socket's, it has the socket's.
type memoryConn struct {
	net.Conn
	address net.Addr
	peer    *memoryConn
	closed  atomic.Bool
	reset   atomic.Bool
}

func newMemoryConns(a net.Addr) (client, server *memoryConn) {
	c, s := net.Pipe()
	client, server = &memoryConn{Conn: c, address: a}, &memoryConn{Conn: s, address: a}
	client.peer, server.peer = server, client
	return client, server
}

// LocalAddr and RemoteAddr are both the host's.
func (c *memoryConn) LocalAddr() net.Addr { return c.address }

// RemoteAddr is the host's.
func (c *memoryConn) RemoteAddr() net.Addr { return c.address }

func (c *memoryConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.socketError("read", err)
}

func (c *memoryConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	return n, c.socketError("write", err)
}

// Close ends the connection as a FIN does.
func (c *memoryConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// Reset ends the connection as an RST does.
func (c *memoryConn) Reset() error {
	c.reset.Store(true)
	return c.Close()
}

func (c *memoryConn) socketError(op string, err error) error {
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
	switch {
	case !gone:
		return err
	case c.closed.Load():
		err = net.ErrClosed
	case c.peer.reset.Load():
		err = os.NewSyscallError(op, syscall.ECONNRESET)
	case errors.Is(err, io.EOF):
		return err
	default:
		err = os.NewSyscallError(op, syscall.EPIPE)
	}
	return &net.OpError{Op: op, Net: "tcp", Addr: c.address, Err: err}
}
