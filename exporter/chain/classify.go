package chain

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-rpc/understudy/internal/config"
)

// answer is what the tables judge: an answer that is not a good one.
type answer struct {
	kind config.Kind
	typ  config.Type
	// status is the HTTP status.
	status int
	// code is the error code in the body, if it has one.
	code Optional[int64]
	// text is the error's message with its data, or the start of the body.
	text string
}

// rule is one row of a table of failures. Every field that is set must match;
// of a list, one entry must.
type rule struct {
	kinds    []config.Kind
	types    []config.Type
	statuses []int
	codes    []int64
	// texts are looked for in lower case.
	texts  []string
	reason Reason
}

// matches says whether the row is about this answer. text is the answer's in
// lower case.
func (r rule) matches(a answer, text string) bool {
	return (r.kinds == nil || slices.Contains(r.kinds, a.kind)) &&
		(r.types == nil || slices.Contains(r.types, a.typ)) &&
		(r.statuses == nil || slices.Contains(r.statuses, a.status)) &&
		(r.codes == nil || (a.code.Known && slices.Contains(r.codes, a.code.Value))) &&
		(r.texts == nil || slices.ContainsFunc(r.texts, func(t string) bool { return strings.Contains(text, t) }))
}

// classify finds the class of an answer. The order of the tables is the order of
// trust: a vendor's own words (quota, rate, key) are plain whatever the status
// says; then the status, where it is one that vendors use with care; then the
// family's codes, which mean different things in different families; then the
// status in general.
func classify(a answer) *Failure {
	text := strings.ToLower(a.text)
	f := &Failure{Status: a.status, Code: a.code, Text: shorten(a.text), Reason: fallback(a)}
	for _, table := range [][]rule{wordRules, statusRules, codeRules} {
		for _, r := range table {
			if r.matches(a, text) {
				f.Reason = r.reason
				return f
			}
		}
	}
	return f
}

// fallback is the class of an answer that no table knows.
func fallback(a answer) Reason {
	switch {
	case a.status >= 500 && !a.code.Known:
		return HTTP5xx
	case a.code.Known:
		return RPCError
	case a.status >= 400:
		return HTTP4xx
	case a.status >= 300:
		return Redirect
	}
	return BadResponse
}

// restError takes code and words out of the body of a REST error: the shapes
// are those of CometBFT ({error:{code,message,data}}), Cosmos and TronGrid
// ({code,message}, {Error}), Blockchair ({context:{code,error}}) and Horizon
// (problem+json).
func restError(body []byte) (Optional[int64], string) {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Title   string          `json:"title"`
		Detail  string          `json:"detail"`
		Context struct {
			Error string `json:"error"`
		} `json:"context"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return Optional[int64]{}, excerpt(body)
	}
	if !isNull(b.Error) {
		return readRPCError(b.Error)
	}
	words := strings.Join(slices.DeleteFunc([]string{b.Message, b.Context.Error, b.Title, b.Detail, b.Type},
		func(s string) bool { return s == "" }), " ")
	if words == "" {
		words = excerpt(body)
	}
	return Optional[int64]{}, words
}

// textLimit is how much of a provider's words is kept.
const textLimit = 300

// excerpt is the start of a body as one line of printable text.
func excerpt(body []byte) string {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return "empty body"
	}
	if body[0] == '"' {
		var text string
		if json.Unmarshal(body, &text) == nil {
			body = []byte(text)
		}
	}
	return shorten(string(body))
}

// shorten makes one printable line of at most textLimit bytes.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '?'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= textLimit {
		return text
	}
	cut := textLimit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
