package scanner

import "fmt"

// Reason is the class of a failed poll; its text is the value of a label.
type Reason string

// The reasons.
const (
	// Unreachable: no connection, or it broke.
	Unreachable Reason = "unreachable"
	Timeout     Reason = "timeout"
	// HTTPStatus: another status than 200.
	HTTPStatus Reason = "http_status"
	// Redirect: to another host, or too often.
	Redirect Reason = "redirect"
	// TooLong: more than maxBody bytes.
	TooLong Reason = "too_long"
	// Malformed: not what the source's format allows.
	Malformed Reason = "malformed"
	// Absent: the chain or the series is not in the answer.
	Absent Reason = "absent"
	// Unknown: the source says that it does not know the height.
	Unknown Reason = "unknown"
	// BadHeight: negative, fractional, not a number, or above 2^53.
	BadHeight Reason = "bad_height"
)

// Reasons are all reasons, so that each has a series from the start.
var Reasons = []Reason{Unreachable, Timeout, HTTPStatus, Redirect, TooLong, Malformed, Absent, Unknown, BadHeight}

// Failure is a poll that told no height. Its text holds no secret.
type Failure struct {
	Reason Reason
	// Text is what went wrong, in our own words.
	Text string
}

// Error is the reason with its text.
func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Text) }

// fail makes a failure.
func fail(r Reason, format string, arguments ...any) *Failure {
	return &Failure{Reason: r, Text: fmt.Sprintf(format, arguments...)}
}
