package gateway

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// passedBack are the headers of a provider that are about the content of its
// answer. All others stay here: they may set cookies, ask for credentials or lead
// to the provider's own address.
var passedBack = []string{
	"Content-Type", "Content-Language", "Cache-Control", "Expires", "Last-Modified",
	"Grpc-Metadata-X-Cosmos-Block-Height", "X-Cosmos-Block-Height",
}

// A browser that is led to an answer sees it in the place where the status page is.
// It must not run as a page of ours what a provider says is one. The values are
// shared, never changed.
var (
	inert  = []string{"sandbox; default-src 'none'; frame-ancestors 'none'"}
	asTold = []string{"nosniff"}
)

// answer gives the client the answer of an attempt, and reads the rest of it on
// while the client takes it. An answer that breaks after it has begun breaks the
// client's connection too, so that nobody takes it for a whole one.
func (x *exchange) answer(a *attempt) {
	body, rewritten := x.withOwnID(a)
	out := x.writer.Header()
	for _, name := range passedBack {
		if values := a.response.Header[name]; len(values) > 0 {
			out[name] = values
		}
	}
	out[ProviderHeader] = a.record.header
	if len(out["Content-Type"]) == 0 {
		out["Content-Type"] = jsonType
	}
	if !rewritten {
		if encoding := a.response.Header["Content-Encoding"]; len(encoding) > 0 {
			out["Content-Encoding"] = encoding
		}
	}
	switch {
	case a.whole:
		out["Content-Length"] = []string{strconv.Itoa(len(body))}
	case a.response.ContentLength >= 0:
		out["Content-Length"] = []string{strconv.FormatInt(a.response.ContentLength, 10)}
	}
	x.writer.WriteHeader(statusOut(a))
	_, err := x.writer.Write(body)
	if err == nil && !a.whole {
		x.stream(a)
	}
}

// statusOut is the status for the client. One that asks for credentials would be
// about ours.
func statusOut(a *attempt) int {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusPaymentRequired:
		return http.StatusBadGateway
	}
	return a.status
}

// withOwnID is the body with the id as the client wrote it, and whether it had to
// be put there: providers that could not read a request give none, and some write
// an id another way.
func (x *exchange) withOwnID(a *attempt) ([]byte, bool) {
	if !a.misnamed || !a.whole || a.cut || x.question.id == nil {
		return a.head, false
	}
	return replaceID(a.plain, x.question.id), true
}

// replaceID puts an id into an object that has another one or none.
func replaceID(object, id []byte) []byte {
	i := space(object, 0)
	from, to := -1, -1
	members(object[i:], func(key, value []byte, _ bool) bool {
		if string(key) == "id" {
			// Both slices end where the array below them does.
			from = cap(object) - cap(value)
			to = from + len(value)
			return false
		}
		return true
	})
	out := make([]byte, 0, len(object)+len(id)+8)
	if from < 0 {
		out = append(append(append(out, `{"id":`...), id...), ',')
		return append(out, object[i+1:]...)
	}
	return append(append(append(out, object[:from]...), id...), object[to:]...)
}

// end ends an answer that has been passed on: well, if all of it was there.
func (x *exchange) end(a *attempt, err error) {
	switch {
	case errors.Is(err, io.EOF):
		return
	case x.gone():
		x.result = resultCancelled
		return
	}
	x.result = resultAborted
	x.lane.broke(a, x.options.Now())
	// This is how net/http is told to break the connection.
	panic(http.ErrAbortHandler)
}

// stream passes the rest of an answer on as it comes.
func (x *exchange) stream(a *attempt) {
	buffer := x.heads.large.Get().(*buffer)
	defer x.heads.large.Put(buffer)
	control := http.NewResponseController(x.writer)
	for {
		a.timer.Reset(x.options.IdleTimeout)
		n, err := a.response.Body.Read(buffer.bytes)
		a.timer.Stop()
		if n > 0 {
			// A writer without deadlines has to do without.
			_ = control.SetWriteDeadline(time.Now().Add(x.options.IdleTimeout))
			if _, broken := x.writer.Write(buffer.bytes[:n]); broken != nil {
				x.result = resultCancelled
				return
			}
		}
		if err != nil {
			x.end(a, err)
			_ = control.SetWriteDeadline(time.Time{})
			return
		}
	}
}
