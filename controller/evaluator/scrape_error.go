package evaluator

import (
	"context"
	"errors"
	"fmt"
)

// The classes of failed scrapes.
const (
	reasonTimeout       = "timeout"
	reasonConnection    = "connection"
	reasonHTTP          = "http"
	reasonMalformed     = "malformed"
	reasonTooLarge      = "too_large"
	reasonTooManySeries = "too_many_series"
	reasonOther         = "other"
)

func reasons() []string {
	return []string{
		reasonTimeout, reasonConnection, reasonHTTP, reasonMalformed,
		reasonTooLarge, reasonTooManySeries, reasonOther,
	}
}

// scrapeError is a failed scrape with its class.
type scrapeError struct {
	reason string
	err    error
}

// Error is the text without the class, which is for the metric.
func (e *scrapeError) Error() string { return e.err.Error() }

// Unwrap is the error below.
func (e *scrapeError) Unwrap() error { return e.err }

// errSlow is a collection that goes on for too long.
var errSlow error = &scrapeError{reasonTimeout, fmt.Errorf("no answer within %s", collectTimeout)}

// reasonOf is the class of the error of a source.
func reasonOf(err error) string {
	if s, ok := errors.AsType[*scrapeError](err); ok {
		return s.reason
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return reasonTimeout
	}
	return reasonOther
}
