package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/common/model"
)

const (
	// maxWait bounds a long poll.
	maxWait = 5 * time.Minute
	// defaultWait is how long ?index= waits without ?wait=.
	defaultWait = 30 * time.Second
	// retryAfter is when callers should come again who found no place.
	retryAfter = "5"
)

// watchers counts who waits, in long polls and streams.
type watchers struct {
	max int64
	now atomic.Int64
}

// enter takes a place, which leave gives back; false: there is none.
func (w *watchers) enter() bool {
	if w.now.Add(1) > w.max {
		w.now.Add(-1)
		return false
	}
	return true
}

func (w *watchers) leave() { w.now.Add(-1) }

// question is what a caller asks of /active.
type question struct {
	capability string
	// index is what the caller has seen; indexed says whether it told.
	index   uint64
	indexed bool
	// wait is how long it waits for news; 0: not at all.
	wait time.Duration
}

// ask reads the query of a request.
func ask(r *http.Request) (question, *problem) {
	var q question
	if r.URL.RawQuery == "" {
		return q, nil
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, refuse(http.StatusBadRequest, "The query cannot be read.")
	}
	q.capability = values.Get("capability")
	if q.indexed = values.Has("index"); q.indexed {
		if q.index, err = strconv.ParseUint(values.Get("index"), 10, 64); err != nil {
			return q, refuse(http.StatusBadRequest, "index has to be a whole number, as in an answer's index.")
		}
		q.wait = defaultWait
	}
	if values.Has("wait") {
		if q.wait, err = waitOf(values.Get("wait")); err != nil {
			return q, refuse(http.StatusBadRequest, "wait %s: write 30s, 500ms, 2m or a number of seconds.", err)
		}
	}
	return q, nil
}

// waitOf reads a time to wait. Its errors go on after the word wait.
func waitOf(s string) (time.Duration, error) {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		seconds, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0, errors.New("is not a time")
		}
		return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second)), nil
	}
	d, err := durationOf(s)
	switch {
	case err != nil:
		return 0, errors.New("is not a time")
	case d < 0:
		return 0, errors.New("is negative")
	}
	return min(d, maxWait), nil
}

// durationOf reads Prometheus's notation (1d, 1h30m) and Go's (1.5h, -3s).
func durationOf(s string) (time.Duration, error) {
	if d, err := model.ParseDuration(s); err == nil {
		return time.Duration(d), nil
	}
	return time.ParseDuration(s)
}

// await returns when the index of a chain, or of any if chain is "", has passed
// after, when the wait is over, when the caller has gone or when the API stops.
func (a *API) await(r *http.Request, chain string, after uint64, wait time.Duration) *problem {
	if wait <= 0 || a.stopping.Err() != nil {
		return nil
	}
	if !a.watchers.enter() {
		return a.crowded()
	}
	defer a.watchers.leave()
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	defer context.AfterFunc(a.stopping, cancel)()
	a.view.Wait(ctx, chain, after)
	return nil
}

// crowded refuses who finds no place to wait.
func (a *API) crowded() *problem {
	a.metrics.refused.Inc()
	return refuse(http.StatusServiceUnavailable, "%d requests are waiting already, which is the most there may be.", a.watchers.max).
		with("Retry-After", retryAfter)
}
