// Package console puts what a controller knows into words and tables for a
// terminal of 100 columns.
//
// Its functions are pure: values of the HTTP interface and the time go in, text
// comes out. It decides nothing and asks nobody. An address of a provider is
// never printed beyond scheme and host, and text that came from outside cannot
// steer the terminal: whatever is not printable is replaced.
package console

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// width is how many columns lines are made for.
const width = 100

// unknown stands for what is not known.
const unknown = "-"

// Style says how text may look. The zero value is plain.
type Style struct {
	// Colour marks states with colours, by the escape sequences of terminals.
	Colour bool
}

// colours are the escape sequences of states.
var colours = map[string]string{
	wire.StatusHealthy: "\x1b[32m", wire.StatusRecovering: "\x1b[33m", wire.StatusUnhealthy: "\x1b[31m",
	wire.StateOK: "\x1b[32m", wire.StateDegraded: "\x1b[33m", wire.StateNone: "\x1b[31m",
}

// paint colours text, which is or begins with the word of a state.
func (s Style) paint(state, text string) string {
	if colour := colours[state]; s.Colour && colour != "" {
		return colour + text + "\x1b[0m"
	}
	return text
}

// Line is text from outside in one line, with nothing in it that a terminal acts
// upon.
func Line(s string) string {
	printable := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.Join(strings.Fields(printable), " ")
}

// host is scheme and host of an address; the rest may be a secret.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	return Line(u.Scheme + "://" + u.Host)
}

// sentence is text with a full stop. Without text it is empty.
func sentence(s string) string {
	s = Line(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// list is words with commas, and an "and" before the last.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
