package gateway

import "strings"

// judgeText judges what is not what the protocol allows by its words and its
// status.
func judgeText(q question, status int, body []byte) judgement {
	return judgement{outcome: weighText(q, status, body), foreign: q.rpc}
}

func weighText(q question, status int, body []byte) Outcome {
	text := strings.ToLower(string(body[:min(len(body), wordsLimit)]))
	if isPage(text) {
		text = pageTitle(text)
	}
	s := said{kind: q.kind, typ: q.typ, risk: q.risk, status: status, text: text, method: q.method}
	if o, ok := find(s, limitWords, keyWords, statusRows, stateWords, lackWords); ok {
		return o
	}
	switch {
	case status >= 500:
		return ServerError
	case status == 408:
		return Timeout
	case q.rpc && status >= 400:
		// Maybe the client's fault, maybe a wrong address: no verdict, but others are
		// asked.
		return Unsupported
	case status == 404 || status == 410:
		return Missing
	case status == 405 || status == 501:
		return Unsupported
	case status >= 400:
		return Invalid
	}
	return BadResponse
}

func isPage(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "<")
}

// pageTitle is what a page is about; what else it holds is decoration, whose words
// mean nothing.
func pageTitle(text string) string {
	_, after, ok := strings.Cut(text, "<title>")
	if !ok {
		return ""
	}
	title, _, _ := strings.Cut(after, "</title>")
	return title
}
