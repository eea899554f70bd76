package api

import (
	"fmt"
	"net/http"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// problem is why a request is refused. Its detail goes to the caller, who may be
// anybody: it has no secret and no text of an internal error.
type problem struct {
	status int
	detail string
	// header is set besides, such as Allow; nil: nothing is.
	header http.Header
}

// refuse makes a problem.
func refuse(status int, format string, values ...any) *problem {
	return &problem{status: status, detail: fmt.Sprintf(format, values...)}
}

// with adds a header.
func (p *problem) with(name, value string) *problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// Error is the detail.
func (p *problem) Error() string { return p.detail }

// send answers with the problem, by RFC 9457.
func (p *problem) send(w http.ResponseWriter, r *http.Request) {
	for name, values := range p.header {
		w.Header()[name] = values
	}
	sendJSON(w, p.status, "application/problem+json", wire.Problem{
		Type: "about:blank", Title: http.StatusText(p.status), Status: p.status,
		Detail: p.detail, Instance: r.URL.EscapedPath(),
	})
}

// sendJSON answers with JSON that nobody may keep.
func sendJSON(w http.ResponseWriter, status int, contentType string, body any) {
	text := encoded(body)
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// What is left to go wrong is the connection, and who was to be told is at its
	// other end.
	_, _ = w.Write(text)
}

// sendText answers with text.
func sendText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
