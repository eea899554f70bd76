package simulator

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Record is one request that a provider received, whatever became of it.
type Record struct {
	Time time.Time
	Verb string
	// Path is without the prefix under which the provider is mounted, Query
	// without the question mark.
	Path, Query string
	Header      http.Header
	// Body is the beginning of the body.
	Body []byte
	// Methods are the JSON-RPC methods, one per item of a batch.
	Methods []string
}

// maxRecordedBody bounds Record.Body.
const maxRecordedBody = 4 << 10

// recorder counts requests and remembers the last ones.
type recorder struct {
	requests atomic.Uint64
	calls    atomic.Uint64

	mu sync.Mutex
	// ring holds at most size records; next is where the next one goes once
	// it is full.
	ring   []Record
	next   int
	size   int
	byName map[string]uint64
}

// maxNames bounds the names that are counted each by itself.
const maxNames = 1000

// add takes one request and returns its number, from 0.
func (rec *recorder) add(now time.Time, r *request) uint64 {
	n := rec.requests.Add(1) - 1
	rec.calls.Add(uint64(len(r.calls)))
	if rec.size <= 0 {
		return n
	}
	entry := Record{
		Time: now, Verb: r.verb, Path: r.path, Query: r.query, Header: r.header.Clone(),
		Body: slices.Clone(r.body[:min(len(r.body), maxRecordedBody)]), Methods: r.methods(),
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.ring) < rec.size {
		rec.ring = append(rec.ring, entry)
	} else {
		rec.ring[rec.next] = entry
		rec.next = (rec.next + 1) % rec.size
	}
	rec.countLocked(r.path)
	for _, method := range entry.Methods {
		rec.countLocked(method)
	}
	return n
}

func (rec *recorder) countLocked(name string) {
	if rec.byName == nil {
		rec.byName = map[string]uint64{}
	}
	if _, known := rec.byName[name]; known || len(rec.byName) < maxNames {
		rec.byName[name]++
	}
}

// Requests is the number of HTTP requests received.
func (p *Provider) Requests() uint64 { return p.recorder.requests.Load() }

// Calls is the number of JSON-RPC calls received; each item of a batch counts.
func (p *Provider) Calls() uint64 { return p.recorder.calls.Load() }

// CountOf is the number of requests for a path (with its leading slash), or of
// calls of a JSON-RPC method. It is 0 with recording off.
func (p *Provider) CountOf(name string) uint64 {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	return p.recorder.byName[name]
}

// Records are the last requests, oldest first.
func (p *Provider) Records() []Record {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	return append(slices.Clone(p.recorder.ring[p.recorder.next:]), p.recorder.ring[:p.recorder.next]...)
}

// Forget sets the counters to 0 and drops the records.
func (p *Provider) Forget() {
	p.recorder.mu.Lock()
	defer p.recorder.mu.Unlock()
	p.recorder.requests.Store(0)
	p.recorder.calls.Store(0)
	p.recorder.ring, p.recorder.next, p.recorder.byName = nil, 0, nil
}
