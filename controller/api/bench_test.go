package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkBare is a handler that does nothing but write what BenchmarkActive's
// writes: the measure of it.
func BenchmarkBare(b *testing.B) {
	body := get(newAPI(b, newFakeView(), Options{}), "/active/btc").Body.Bytes()
	benchmarkRequests(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
}

// BenchmarkActive is GET /active/{chain} over loopback.
func BenchmarkActive(b *testing.B) {
	benchmarkRequests(b, newAPI(b, newFakeView(), Options{}))
}

// benchmarkRequests asks over a few connections that are kept open.
func benchmarkRequests(b *testing.B, h http.Handler) {
	b.Helper()
	address := newServer(b, h).Listener.Addr().String()
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer c.Close()
		answers := bufio.NewReader(c)
		for p.Next() {
			if _, err := io.WriteString(c, "GET /active/btc HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
				b.Error(err)
				return
			}
			response, err := http.ReadResponse(answers, nil)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
		}
	})
}

// crowd is how many wait at the same time.
const crowd = 5000

// BenchmarkLongPolls is a switch of a chain that 5,000 long polls wait for: the
// time until the last one is answered, and the memory that they take while they
// wait, callers in the same process included.
func BenchmarkLongPolls(b *testing.B) {
	benchmarkCrowd(b, func(index uint64) string { return fmt.Sprintf("/active/btc?index=%d&wait=1m", index) }, false)
}

// BenchmarkStreams is the same with 5,000 streams.
func BenchmarkStreams(b *testing.B) {
	benchmarkCrowd(b, func(uint64) string { return "/events?chain=btc" }, true)
}

func benchmarkCrowd(b *testing.B, path func(uint64) string, streams bool) {
	b.Helper()
	var worst switched
	debug.FreeOSMemory()
	before := resident(b)
	for b.Loop() {
		v := newFakeView()
		a := newAPI(b, v, Options{})
		s := gather(b, v, a, path, streams)
		worst = switched{max(worst.last, s.last), max(worst.processor, s.processor), max(worst.resident, s.resident-before)}
		a.Stop()
	}
	b.ReportMetric(worst.last.Seconds()*1000, "ms-to-last")
	b.ReportMetric(worst.processor.Seconds()*1000, "cpu-ms")
	b.ReportMetric(worst.resident, "MB")
}

// switched is how a switch went.
type switched struct {
	last, processor time.Duration
	// resident is the memory in MB just before.
	resident float64
}

// gather lets everybody wait, switches, and reads what each is told.
func gather(b *testing.B, v *fakeView, a *API, path func(uint64) string, streams bool) switched {
	b.Helper()
	server := newServer(b, a)
	defer server.Close()
	conns, answer := make([]net.Conn, crowd), make([]byte, 8<<10)
	for i := range conns {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(b, err)
		defer c.Close()
		conns[i] = c
		// Nobody waits who has not asked before.
		send(b, c, "/active/btc")
		readUntil(b, c, answer, "local-daemon.example")
		send(b, c, path(v.Index()))
	}
	for a.watchers.now.Load() < crowd {
		runtime.Gosched()
	}
	if streams {
		for _, c := range conns {
			readUntil(b, c, answer, "local-daemon.example")
		}
	}
	waiting := resident(b)
	begin, spent := time.Now(), processorTime(b)
	v.set(active("btc", "blockchair"))
	for _, c := range conns {
		readUntil(b, c, answer, "blockchair.example")
	}
	return switched{time.Since(begin), processorTime(b) - spent, waiting}
}

// processorTime is what the process has used, which other processes do not add
// to as they do to the time that passes.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func send(b *testing.B, c net.Conn, path string) {
	b.Helper()
	_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(b, err)
}

// readUntil reads from a connection until a word comes.
func readUntil(b *testing.B, c net.Conn, answer []byte, word string) {
	b.Helper()
	for n := 0; !strings.Contains(string(answer[:n]), word); {
		read, err := c.Read(answer[n:])
		require.NoError(b, err)
		n += read
	}
}

// resident is the memory of the process in MB.
func resident(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("the memory of a process is read where Linux shows it")
	}
	var total, pages float64
	_, err = fmt.Sscan(string(text), &total, &pages)
	require.NoError(b, err)
	return pages * float64(os.Getpagesize()) / (1 << 20)
}
