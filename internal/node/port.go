package node

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Ports are taken from below the range from which Linux picks the local ports
// of outgoing connections (32768 and up), so that no connection of another
// test can sit on one between the choice and the node's start.
const (
	firstPort = 20000
	lastPort  = 32000
)

// ports remembers what this program has given away already.
var ports = struct {
	mu    sync.Mutex
	taken map[int]bool
}{taken: map[int]bool{}}

// FreeAddress returns a loopback address, host and port, that nobody listens
// on and that no other node of this test program was given.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	ports.mu.Lock()
	defer ports.mu.Unlock()
	var last error
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if ports.taken[port] {
			continue
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if last = tryListen(address); last == nil {
			ports.taken[port] = true
			return address
		}
	}
	tb.Fatalf("no free port on loopback: %v", last)
	return ""
}

// tryListen returns nil if the address can be listened on now.
func tryListen(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	if err := listener.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// portOf returns the port of an address that FreeAddress made.
func portOf(tb testing.TB, address string) string {
	tb.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		tb.Fatalf("address %q: %v", address, err)
	}
	return port
}
