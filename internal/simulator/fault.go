package simulator

import (
	"bytes"
	"compress/gzip"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// withoutAnswer does what a mode does instead of an answer, and says whether
// there was such a mode.
func (b *Behaviour) withoutAnswer(w http.ResponseWriter, r *http.Request) bool {
	switch b.Mode {
	case ModeHang:
		<-r.Context().Done()
		end(w, false)
	case ModeRefuse, ModeReset:
		end(w, true)
	case ModeClose:
		end(w, false)
	default:
		return false
	}
	return true
}

// deliver sends an answer in the way of the mode.
func (b *Behaviour) deliver(w http.ResponseWriter, r *http.Request, a reply, wait func(context.Context, time.Duration) error) {
	switch b.Mode {
	case ModeTruncate:
		half(w, a)
		end(w, false)
	case ModeStall:
		half(w, a)
		<-r.Context().Done()
		end(w, false)
	case ModeEndless:
		endless(w, "application/json", "", append([]byte(`{"result":"`), a.body...), endlessChunk)
	case ModeGzipBomb:
		endless(w, "application/json", "gzip", nil, gzipMember())
	case ModeDrip:
		b.drip(w, r, a, wait)
	default:
		a.send(w)
	}
}

// resetter is a connection that can be ended as if by an RST.
type resetter interface{ Reset() error }

// end ends the connection of a request without another byte. With reset it is
// an RST where the connection can do that.
func end(w http.ResponseWriter, reset bool) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// Not a connection of ours; the server behind it ends it.
		panic(http.ErrAbortHandler)
	}
	if !reset {
		_ = conn.Close()
		return
	}
	switch c := conn.(type) {
	case *net.TCPConn:
		_ = c.SetLinger(0)
	case resetter:
		_ = c.Reset()
	}
	_ = conn.Close()
}

// half promises the whole body and sends the first half of it.
func half(w http.ResponseWriter, a reply) {
	w.Header().Set("Content-Type", a.mediaType())
	w.Header().Set("Content-Length", strconv.Itoa(max(2, len(a.body))))
	w.WriteHeader(a.code())
	_, _ = w.Write(a.body[:len(a.body)/2])
	_ = http.NewResponseController(w).Flush()
}

// drip sends the body byte by byte.
func (b *Behaviour) drip(w http.ResponseWriter, r *http.Request, a reply, wait func(context.Context, time.Duration) error) {
	interval := b.Interval
	if interval <= 0 {
		interval = 100 * time.Millisecond
	}
	w.Header().Set("Content-Type", a.mediaType())
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.code())
	flusher := http.NewResponseController(w)
	for i := range a.body {
		if _, err := w.Write(a.body[i : i+1]); err != nil || flusher.Flush() != nil {
			return
		}
		if wait(r.Context(), interval) != nil {
			return
		}
	}
}

// Endless bodies end at maxEndless bytes sent, and a bomb at maxBomb unpacked,
// so that a client that swallows everything does so only for a while.
const (
	maxEndless = 1 << 32
	maxBomb    = 1 << 32
	bombMember = 1 << 20
)

var endlessChunk = bytes.Repeat([]byte{'x'}, 32<<10)

// gzipMember is one MiB of zeros, packed to about one KiB. Members may follow
// each other in a gzip stream.
var gzipMember = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(make([]byte, bombMember))
	_ = z.Close()
	return out.Bytes()
})

// endless sends a start and then the same chunk until the client goes away.
func endless(w http.ResponseWriter, mediaType, encoding string, start, chunk []byte) {
	w.Header().Set("Content-Type", mediaType)
	rounds := maxEndless / len(chunk)
	if encoding != "" {
		w.Header().Set("Content-Encoding", encoding)
		rounds = maxBomb / bombMember
	}
	_, _ = w.Write(start)
	for range rounds {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}
