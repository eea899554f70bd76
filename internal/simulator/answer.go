package simulator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Answer is an HTTP answer as it stands. The zero value is an empty 200.
type Answer struct {
	// Name is what the answer is called in [Vendors]; a script may give the
	// name alone.
	Name string `json:"name,omitempty"`
	// Kind is the family whose codes an entry of Vendors has; empty fits all.
	Kind config.Kind `json:"-"`
	// Status is the HTTP status; 0 is 200.
	Status int `json:"status,omitempty"`
	// Header are the header fields. Without a Content-Type, a body that begins
	// with { or [ is application/json and any other text/plain.
	Header map[string]string `json:"header,omitempty"`
	// Body is the body. "$id", quotes included, stands for the request's id.
	// To a batch, a body with "$id" is given once per item, in an array, and
	// any other body once.
	Body string `json:"body,omitempty"`
	// RetryAfter, above zero, is sent as the header Retry-After: in seconds,
	// or as an HTTP date.
	RetryAfter     time.Duration `json:"retry_after,omitempty"`
	RetryAfterDate bool          `json:"retry_after_date,omitempty"`
}

// idPlace is where an Answer's body wants the id of the request.
const idPlace = `"$id"`

// perItem says whether the answer belongs to one item of a batch.
func (a *Answer) perItem() bool { return strings.Contains(a.Body, idPlace) }

// resolved is the vendor's answer of that name, if nothing else is given.
func (a *Answer) resolved() *Answer {
	if a.Name == "" || a.Status != 0 || a.Body != "" || a.Header != nil {
		return a
	}
	if vendor, ok := vendorsByName[a.Name]; ok {
		return &vendor
	}
	return a
}

// item is the body with an id in its place.
func (a *Answer) item(id json.RawMessage) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	return []byte(strings.ReplaceAll(a.Body, idPlace, string(id)))
}

// reply is the answer to a request, with the id or ids of its calls.
func (a *Answer) reply(r *request, now time.Time) reply {
	out := reply{status: a.Status, header: http.Header{}}
	for name, value := range a.Header {
		out.header.Set(name, value)
	}
	if a.RetryAfter > 0 {
		out.header.Set("Retry-After", retryAfter(now, a.RetryAfter, a.RetryAfterDate))
	}
	switch {
	case !a.perItem():
		out.body = []byte(a.Body)
	case r.batch:
		items := make([][]byte, len(r.calls))
		for i, c := range r.calls {
			items[i] = a.item(c.ID)
		}
		out.body = joinArray(items)
	case len(r.calls) == 1:
		out.body = a.item(r.calls[0].ID)
	default:
		out.body = a.item(nil)
	}
	return out
}

// retryAfter is the value of that header; parts of a second count as a whole
// one, since the provider would refuse before.
func retryAfter(now time.Time, wait time.Duration, date bool) string {
	if date {
		return now.Add(wait).UTC().Format(http.TimeFormat)
	}
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}

// reply is what a dialect gives: an answer that is ready to be sent.
type reply struct {
	status int
	header http.Header
	// contentType is used when the header has none.
	contentType string
	body        []byte
}

// send writes the reply in one piece.
func (a reply) send(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	if len(h["Content-Type"]) == 0 {
		h["Content-Type"] = []string{a.mediaType()}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	w.WriteHeader(a.code())
	_, _ = w.Write(a.body)
}

func (a reply) code() int {
	if a.status == 0 {
		return http.StatusOK
	}
	return a.status
}

func (a reply) mediaType() string {
	switch trimmed := bytes.TrimLeft(a.body, " \n"); {
	case a.contentType != "":
		return a.contentType
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		return "application/json"
	default:
		return "text/plain; charset=utf-8"
	}
}

// jsonReply is a value as JSON. What a dialect puts together always marshals.
func jsonReply(status int, value any) reply {
	body, err := json.Marshal(value)
	if err != nil {
		return reply{status: http.StatusInternalServerError, body: []byte(err.Error())}
	}
	return reply{status: status, contentType: "application/json", body: body}
}

// textReply is a plain text.
func textReply(status int, text string) reply {
	return reply{status: status, contentType: "text/plain", body: []byte(text)}
}

// joinArray is a JSON array of items that are JSON.
func joinArray(items [][]byte) []byte {
	out := append(make([]byte, 0, 2+len(items)*64), '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}
