package api

import (
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	// heartbeat is how long a stream is silent at most, so that proxies in between
	// keep it open and a dead reader is noticed.
	heartbeat = 15 * time.Second
	// writeTimeout is how long a reader may take to take in what is sent.
	writeTimeout = 10 * time.Second
	// farewellTimeout is the same for the last event, which a stop waits for.
	farewellTimeout = time.Second
)

// serveEvents streams what changes, as server-sent events.
func (a *API) serveEvents(w http.ResponseWriter, r *http.Request) error {
	index, wrong := lastSeen(r)
	if wrong != nil {
		return wrong
	}
	s := stream{w: w, controller: http.NewResponseController(w), chain: r.URL.Query().Get("chain"), whole: a.mayKnow(r)}
	if s.chain != "" {
		if _, ok := a.view.Active(s.chain, ""); !ok {
			return unknownChain(s.chain)
		}
	}
	if r.Method == http.MethodHead {
		s.begin()
		return nil
	}
	if !a.watchers.enter() {
		return a.crowded()
	}
	defer a.watchers.leave()
	feed, now, next, ok := a.feeds.join(a.stopping)
	if !ok {
		return refuse(http.StatusServiceUnavailable, "The controller is stopping.").with("Retry-After", retryAfter)
	}
	defer a.feeds.leave(feed)
	noteWait(w)
	s.begin()
	if err := a.follow(r, &s, now.after(index), next); errors.Is(err, os.ErrDeadlineExceeded) {
		a.metrics.dropped.Inc()
		a.logger.Debug("A stream was dropped, as its reader did not keep up", "remote", r.RemoteAddr, "err", err)
	}
	return nil
}

// lastSeen is the index that a caller has seen: what a browser sends when it
// comes back, or, as it cannot send that at first, ?index=. 0: none.
func lastSeen(r *http.Request) (uint64, *problem) {
	q, wrong := ask(r)
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		// What is no index is what another server gave.
		q.index, _ = strconv.ParseUint(id, 10, 64)
	}
	return q.index, wrong
}

// follow sends what is known and then what comes, until the caller has gone, the
// API stops or nothing can be sent.
func (a *API) follow(r *http.Request, s *stream, events []*event, next *entry) error {
	if err := s.send(events, "retry: 2000\n\n"); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-next.ready:
			if err := s.send(next.events, ""); err != nil {
				return err
			}
			next = next.next
		case <-beat.C:
			if err := s.send(nil, ": still here\n\n"); err != nil {
				return err
			}
		case <-r.Context().Done():
			return nil
		case <-a.stopping.Done():
			return s.end()
		}
	}
}

// stream is one reader's.
type stream struct {
	w          http.ResponseWriter
	controller *http.ResponseController
	// chain is the only one to tell of; "" is all.
	chain string
	whole bool
}

// begin sends the header.
func (s *stream) begin() {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	// A proxy must not collect events before it hands them on.
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
}

// send writes events, and a preface if it is not empty. Whoever does not take
// that in within the time allowed is given up.
func (s *stream) send(events []*event, preface string) error {
	s.allow(writeTimeout)
	sent := preface != ""
	if sent {
		if _, err := s.w.Write([]byte(preface)); err != nil {
			return err
		}
	}
	for _, e := range events {
		if s.chain != "" && e.chain != s.chain {
			continue
		}
		if _, err := s.w.Write(e.text(s.whole)); err != nil {
			return err
		}
		sent = true
	}
	if !sent {
		return nil
	}
	return s.controller.Flush()
}

// end says that no more will come. Nobody is blamed who does not take that in.
func (s *stream) end() error {
	s.allow(farewellTimeout)
	_, _ = s.w.Write([]byte("event: " + EventEnd + "\ndata: {\"reason\":\"the controller is stopping\"}\n\n"))
	_ = s.controller.Flush()
	return nil
}

// allow bounds how long the next writes may take. A writer that knows no deadline
// is a test's.
func (s *stream) allow(d time.Duration) {
	_ = s.controller.SetWriteDeadline(time.Now().Add(d))
}
