package gateway

import (
	"bytes"
	"errors"
	"io"
)

// items reads the elements of a JSON array one by one, as they arrive. Of each it
// holds at most so many bytes; the rest of a longer one is read on by the caller.
type items struct {
	from io.Reader
	// window holds what was read and not yet handed out.
	window     []byte
	start, end int
	opened     bool
	// fault is the end of the input, or what else ended it.
	fault error
}

var (
	// errItems: what comes is not an array of values.
	errItems = errors.New("the answer to a batch is not a list of answers")
	// errCut: it ended before its end.
	errCut = errors.New("the answer to a batch broke off")
)

// newItems reads an array whose beginning has been read already. size is how much
// of one item is held, in bytes.
func newItems(head []byte, rest io.Reader, size int) *items {
	r := &items{from: rest, window: make([]byte, max(size, len(head)))}
	r.end = copy(r.window, head)
	if rest == nil {
		r.fault = io.EOF
	}
	return r
}

// fill reads more into the window, and says whether there was any.
func (r *items) fill() bool {
	if r.fault != nil {
		return false
	}
	if r.start > 0 {
		r.end = copy(r.window, r.window[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.window) {
		return false
	}
	n, err := r.from.Read(r.window[r.end:])
	r.end += n
	r.fault = err
	return n > 0 || err == nil
}

// next is the next item, which is valid until the next call. It is whole, or the
// beginning of one that is longer than the window, whose rest is then read by
// rest. At the end of the array it is io.EOF.
func (r *items) next() (item []byte, whole bool, err error) {
	if err := r.toItem(); err != nil {
		return nil, false, err
	}
	for {
		held := r.window[r.start:r.end]
		if end, ok := skipValue(held, 0); ok {
			r.start += end
			return held[:end], true, nil
		}
		if r.end-r.start == len(r.window) {
			return held, false, nil
		}
		if !r.fill() {
			return nil, false, r.brokenOff()
		}
	}
}

// toItem goes on to where an item begins.
func (r *items) toItem() error {
	for {
		r.start = min(space(r.window[:r.end], r.start), r.end)
		if r.start == r.end {
			if !r.fill() {
				return r.brokenOff()
			}
			continue
		}
		c := r.window[r.start]
		switch {
		case !r.opened && c == '[':
			r.opened = true
		case !r.opened:
			return errItems
		case c == ']':
			return io.EOF
		case c == ',':
		case c == '{':
			return nil
		default:
			return errItems
		}
		r.start++
	}
}

func (r *items) brokenOff() error {
	if r.fault == nil || errors.Is(r.fault, io.EOF) {
		return errCut
	}
	return r.fault
}

// rest writes the rest of an item of which next gave the beginning.
func (r *items) rest(to io.Writer) error {
	var at position
	at.pass(r.window[r.start:r.end])
	if _, err := to.Write(r.window[r.start:r.end]); err != nil {
		return errClient{err}
	}
	r.start = r.end
	for {
		if r.start == r.end && !r.fill() {
			return r.brokenOff()
		}
		held := r.window[r.start:r.end]
		n, done := at.pass(held)
		if _, err := to.Write(held[:n]); err != nil {
			return errClient{err}
		}
		r.start += n
		if done {
			return nil
		}
	}
}

// errClient is an error of the client's, not of the provider's.
type errClient struct{ error }

// position is where in an object a reader is.
type position struct {
	depth            int
	inString, escape bool
}

// pass goes on over some bytes: up to the end of the object, or all of them.
func (p *position) pass(b []byte) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		if p.inString {
			switch {
			case p.escape:
				p.escape = false
			case b[i] == '\\':
				p.escape = true
			case b[i] == '"':
				p.inString = false
			default:
				// A long string is passed at once.
				if j := bytes.IndexAny(b[i:], `"\`); j > 0 {
					i += j - 1
				} else if j < 0 {
					return len(b), false
				}
			}
			continue
		}
		switch b[i] {
		case '"':
			p.inString = true
		case '{', '[':
			p.depth++
		case '}', ']':
			p.depth--
			if p.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(b), false
}
