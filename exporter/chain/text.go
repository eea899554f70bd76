package chain

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// restError is what a REST answer says about an error.
type restError struct {
	// found says whether the body has an error in one of the known shapes.
	found bool
	code  Optional[int64]
	text  string
}

// readRESTError takes code and words out of the body of a REST error: the shapes
// are those of CometBFT ({error:{code,message,data}}), the Cosmos gRPC gateway
// ({code,message,details}), TronGrid ({Error}), Blockchair
// ({context:{code,error}}) and Horizon (problem+json). The text of any other
// body is the body.
func readRESTError(body []byte) restError {
	var b struct {
		Error   json.RawMessage `json:"error"`
		Code    json.RawMessage `json:"code"`
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Title   string          `json:"title"`
		Detail  string          `json:"detail"`
		Context struct {
			Code  json.RawMessage `json:"code"`
			Error string          `json:"error"`
		} `json:"context"`
	}
	// A member of another type, such as a numeric type, is not about an error;
	// the others are read nevertheless.
	if err := json.Unmarshal(body, &b); err != nil && !json.Valid(body) {
		return restError{text: excerpt(body)}
	}
	if !isNull(b.Error) {
		code, text := readRPCError(b.Error)
		return restError{found: true, code: code, text: text}
	}
	words := slices.DeleteFunc([]string{b.Message, b.Context.Error, b.Title, b.Detail},
		func(s string) bool { return s == "" })
	if len(words) == 0 {
		return restError{text: excerpt(body)}
	}
	e := restError{found: true, text: strings.TrimSpace(strings.Join(words, " ") + " " + b.Type)}
	for _, raw := range []json.RawMessage{b.Code, b.Context.Code} {
		if code, err := json.Number(raw).Int64(); err == nil && !e.code.Known {
			e.code = Some(code)
		}
	}
	return e
}

// page recognises HTML, and title finds what a page is about; what else it holds
// is decoration, whose words mean nothing.
var (
	page  = regexp.MustCompile(`(?i)^(?:<!doctype html|<html|<head|<body)`)
	title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
)

// excerpt is what a body says in words: the title of a page of HTML, the text
// of a JSON string, or else all of it.
func excerpt(body []byte) string {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return "empty body"
	case page.Match(body):
		if m := title.FindSubmatch(body); m != nil {
			return "a page of HTML: " + string(m[1])
		}
		return "a page of HTML"
	case body[0] == '"':
		var text string
		if json.Unmarshal(body, &text) == nil {
			return text
		}
	}
	return string(body)
}

// redirectText says where a redirect that was not followed leads, without path
// and query, which may hold the key.
func redirectText(h http.Header) string {
	at, err := (&http.Response{Header: h}).Location()
	if err != nil || at.Host == "" {
		return "a redirect that is not followed; the provider's final address is needed"
	}
	return "a redirect to " + at.Scheme + "://" + at.Host + " that is not followed; the provider's final address is needed"
}

// textLimit is how much of a provider's words is kept, in bytes.
const textLimit = 300

// shorten makes one printable line of at most textLimit bytes, and an ellipsis
// where something was cut.
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
