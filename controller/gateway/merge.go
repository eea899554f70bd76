package gateway

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

// merge puts the answers to the calls of a batch together. It holds them until
// all are there, to give them in the order of the calls, unless they become too
// long to be held: then it gives the client what it has, and the rest as it comes.
// JSON-RPC allows any order.
type merge struct {
	writer http.ResponseWriter
	limit  int
	idle   time.Duration
	// held are the answers by call; nil: there is none.
	held   [][]byte
	size   int
	status int
	// provider is who gave the first answer.
	provider []string
	// begun: the client has got something.
	begun, comma bool
	broken       error
	// tail is the end of what was passed on last.
	tail []byte
}

// tailSize is how much of the end of a long answer is looked at for its id.
const tailSize = maxID

// add takes the answer to a call.
func (m *merge) add(i int, answer []byte) {
	if m.begun {
		m.write(answer)
		return
	}
	m.held[i] = append([]byte(nil), answer...)
	m.size += len(answer)
	if m.size > m.limit {
		m.begin()
	}
}

// begin gives the client what is there.
func (m *merge) begin() {
	m.header(-1)
	m.begun = true
	_, m.broken = io.WriteString(m.writer, "[")
	for i, answer := range m.held {
		if answer != nil {
			m.write(answer)
			m.held[i] = nil
		}
	}
}

func (m *merge) header(length int) {
	h := m.writer.Header()
	h["Content-Type"] = jsonType
	if m.provider != nil {
		h[ProviderHeader] = m.provider
	}
	if length >= 0 {
		h["Content-Length"] = []string{strconv.Itoa(length)}
	}
	m.writer.WriteHeader(m.status)
}

func (m *merge) write(answer []byte) {
	if m.comma {
		m.put([]byte{','})
	}
	m.put(answer)
	m.comma = true
}

// put writes to the client, unless it is gone already.
func (m *merge) put(b []byte) {
	if m.broken == nil {
		_ = http.NewResponseController(m.writer).SetWriteDeadline(time.Now().Add(m.idle))
		_, m.broken = m.writer.Write(b)
	}
}

// Write passes the rest of a long answer on.
func (m *merge) Write(b []byte) (int, error) {
	m.put(b)
	if len(b) >= tailSize {
		m.tail = append(m.tail[:0], b[len(b)-tailSize:]...)
	} else {
		m.tail = append(m.tail[max(0, len(m.tail)+len(b)-tailSize):], b...)
	}
	return len(b), m.broken
}

// lastID is the id at the very end of an object, or nil.
func lastID(tail []byte) []byte {
	i := bytes.LastIndex(tail, []byte(`"id"`))
	if i < 0 {
		return nil
	}
	i = space(tail, i+len(`"id"`))
	if i >= len(tail) || tail[i] != ':' {
		return nil
	}
	i = space(tail, i+1)
	end, whole := skipValue(tail, i)
	if after := space(tail, end); !whole || after != len(tail)-1 || tail[after] != '}' {
		return nil
	}
	return tail[i:end]
}

// end gives the client what is held, or ends what it got.
func (m *merge) end() {
	if m.begun {
		m.put([]byte{']'})
		_ = http.NewResponseController(m.writer).SetWriteDeadline(time.Time{})
		return
	}
	out := make([]byte, 0, m.size+len(m.held)+2)
	out = append(out, '[')
	for _, answer := range m.held {
		if answer == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, answer...)
	}
	if len(out) == 1 {
		// Notifications alone have no answer.
		m.status = http.StatusNoContent
		m.writer.WriteHeader(m.status)
		return
	}
	out = append(out, ']')
	m.header(len(out))
	_, m.broken = m.writer.Write(out)
}
