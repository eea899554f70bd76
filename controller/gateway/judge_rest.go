package gateway

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// textTypes answer with plain text as well.
var textTypes = map[config.Type]bool{config.EsploraREST: true}

// judgeREST judges an answer of a type that speaks no JSON-RPC. An error object
// is one whatever the status says: TronGrid sends its throttle with 200.
func judgeREST(q question, status int, body []byte, whole bool) judgement {
	trimmed := body[space(body, 0):]
	if len(trimmed) == 0 {
		return judgeText(q, status, nil)
	}
	object := trimmed[0] == '{'
	switch {
	case !object && status < 300:
		return judgeRESTValue(q, status, trimmed, whole)
	case !object:
		return judgeText(q, status, trimmed)
	case whole && !json.Valid(trimmed):
		return judgeText(q, status, trimmed)
	}
	e := readRESTError(trimmed)
	switch {
	case e.found || status >= 300:
		return judgement{outcome: weigh(q, status, e.code, e.coded, e.text), code: e.code, coded: e.coded, foreign: q.rpc}
	case q.rpc:
		return judgement{outcome: BadResponse, foreign: true}
	case q.kind == config.Tron && whole && string(trimmed) == "{}" && q.risk == read:
		// This is how java-tron says that it has not got it.
		return judgement{outcome: Missing}
	}
	return judgement{outcome: OK}
}

// judgeRESTValue judges an answer of 200 that is no object.
func judgeRESTValue(q question, status int, body []byte, whole bool) judgement {
	if body[0] == '[' || body[0] == '"' || isNumber(body) || string(body) == "null" {
		if whole && !json.Valid(body) && !textTypes[q.typ] {
			return judgement{outcome: BadResponse}
		}
		return judgement{outcome: OK}
	}
	text := strings.ToLower(string(body[:min(len(body), wordsLimit)]))
	if isPage(text) || !textTypes[q.typ] {
		return judgeText(q, status, body)
	}
	if o, ok := find(said{kind: q.kind, typ: q.typ, status: http.StatusOK, text: text}, plainTables...); ok {
		return judgement{outcome: o}
	}
	return judgement{outcome: OK}
}

// restError is what a REST answer says about an error.
type restError struct {
	// found says whether there is an error in one of the known shapes.
	found bool
	code  int64
	coded bool
	text  string
}

// readRESTError takes code and words out of the shapes of CometBFT
// ({error:{code,message,data}}), the Cosmos gateway ({code,message,details}),
// TronGrid ({Error}), java-tron ({code,message} of a broadcast), Blockchair
// ({context:{code,error}}) and Horizon (problem+json). The body may be cut short.
func readRESTError(body []byte) restError {
	var e restError
	var words []string
	kind := ""
	members(body, func(key, value []byte, whole bool) bool {
		var text string
		switch name := string(key); name {
		case "error", "Error":
			if isNull(value) || string(value) == `""` {
				return true
			}
			if plainString(value, &text) {
				words = append(words, text)
				return true
			}
			if value[0] == '{' {
				code, coded, said := readError(value)
				e.code, e.coded = code, coded
				words = append(words, said)
			}
		case "message", "title", "detail":
			if whole && plainString(value, &text) {
				words = append(words, text)
			}
		case "type":
			// An ordinary answer may have a type as well.
			if whole {
				_ = plainString(value, &kind)
			}
		case "code":
			if !whole {
				return true
			}
			if plainString(value, &text) {
				words = append(words, text)
			} else if json.Unmarshal(value, &e.code) == nil {
				e.coded = true
			}
		case "context":
			var c struct {
				Code  int64  `json:"code"`
				Error string `json:"error"`
			}
			if whole && json.Unmarshal(value, &c) == nil && c.Error != "" {
				e.code, e.coded = c.Code, true
				words = append(words, c.Error)
			}
		}
		return true
	})
	e.found = len(words) > 0
	e.text = strings.Join(append(words, kind), " ")
	return e
}
