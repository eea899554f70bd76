package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// handler answers a request, or says why not: with a problem, which is sent, or
// with another error, which is logged and not shown.
type handler func(http.ResponseWriter, *http.Request) error

// answer notes what is answered.
type answer struct {
	http.ResponseWriter
	// status is 0 until the header is sent.
	status int
	// waited: the answer's time says nothing about our speed.
	waited bool
}

func (w *answer) WriteHeader(status int) {
	// An informational status is not the answer yet.
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// noteWait says that an answer waits for news.
func noteWait(w http.ResponseWriter) {
	if w, ok := w.(*answer); ok {
		w.waited = true
	}
}

// fenced is a handler whose requests are counted, whose refusals are sent and
// whose panics end nothing but the request.
func (a *API) fenced(pattern string, h handler) http.HandlerFunc {
	m := a.metrics.of(pattern)
	return func(w http.ResponseWriter, r *http.Request) {
		noted := answer{ResponseWriter: w}
		begin := time.Now()
		defer func() {
			broken := recover()
			answered := broken == nil || a.survive(&noted, r, broken)
			a.note(m, &noted, r, time.Since(begin))
			if !answered {
				// The client must not take a part for the whole.
				panic(http.ErrAbortHandler)
			}
		}()
		if err := h(&noted, r); err != nil {
			a.refuse(&noted, r, err)
		}
	}
}

// refuse sends why a request is not answered.
func (a *API) refuse(w *answer, r *http.Request, err error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		a.logger.Error("A request failed", "method", r.Method, "path", shortened(r.URL.EscapedPath()), "err", err)
		p = refuse(http.StatusInternalServerError, "The controller failed to answer. Its log says why.")
	}
	p.send(w, r)
}

// survive logs a panic and answers in its place. It is false if a part of an
// answer has been sent already.
func (a *API) survive(w *answer, r *http.Request, broken any) bool {
	if broken == http.ErrAbortHandler {
		return false
	}
	a.metrics.panics.Inc()
	a.logger.Error("A request ended in a panic", "method", r.Method, "path", shortened(r.URL.EscapedPath()), "panic", broken, "stack", string(debug.Stack()))
	if w.status != 0 {
		return false
	}
	clear(w.Header())
	refuse(http.StatusInternalServerError, "The controller failed to answer. Its log says why.").send(w, r)
	return true
}

// note counts an answer, and logs it for those who look closely. The query is
// left out: what callers put there is theirs.
func (a *API) note(m *routeMetrics, w *answer, r *http.Request, took time.Duration) {
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	m.counter(status).Inc()
	if !w.waited {
		m.duration.Observe(took.Seconds())
	}
	if a.logger.Enabled(context.Background(), slog.LevelDebug) {
		a.logger.Debug("Request", "method", r.Method, "path", shortened(r.URL.EscapedPath()), "handler", m.pattern, "status", status, "duration", took, "remote", r.RemoteAddr)
	}
}
