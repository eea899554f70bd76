package exporter

import (
	"bytes"
	"io"
)

// withoutComments drops the lines that begin with #: HELP and TYPE stand before
// a family's first piece and must not stand again before the next ones. No
// sample begins so, and neither help nor label holds a line break.
type withoutComments struct {
	w io.Writer
	// inside says that a line has begun, dropping that it is a comment.
	inside, dropping bool
}

// Write implements io.Writer. Lines may come in parts.
func (c *withoutComments) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		part := p[done:]
		if !c.inside {
			c.inside, c.dropping = true, part[0] == '#'
		}
		if end := bytes.IndexByte(part, '\n'); end >= 0 {
			part = part[:end+1]
			c.inside = false
		}
		if !c.dropping {
			if n, err := c.w.Write(part); err != nil {
				return done + n, err
			}
		}
		done += len(part)
	}
	return len(p), nil
}
