package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// socket is an open WebSocket. Frames of the gateway's own go to the client only
// between the frames of the provider.
type socket struct {
	*exchange
	attempt  *attempt
	client   io.ReadWriteCloser
	fromUser *bufio.Reader
	upstream io.ReadWriteCloser

	// mu guards what is written to the client.
	mu     sync.Mutex
	closed bool
	done   chan struct{}
	once   sync.Once
}

// serveSocket passes messages in both directions until one side ends, or until
// the provider is not the one to ask any more.
func (x *exchange) serveSocket(a *attempt, upstream io.ReadWriteCloser) {
	conn, buffered, err := http.NewResponseController(x.writer).Hijack()
	if err != nil {
		x.result = resultFailed
		x.refuse(problem{status: http.StatusInternalServerError, code: codeInternal, title: "No WebSocket on this connection"})
		return
	}
	s := &socket{exchange: x, attempt: a, client: conn, fromUser: buffered.Reader, upstream: upstream, done: make(chan struct{})}
	_ = conn.SetDeadline(time.Time{})
	if !x.sockets.add(s) {
		s.end()
		return
	}
	x.lane.sockets.Add(1)
	defer func() {
		x.sockets.remove(s)
		x.lane.sockets.Add(-1)
	}()
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n%s: %s\r\n", ProviderHeader, a.record.name)
	for _, name := range []string{"Sec-Websocket-Accept", "Sec-Websocket-Protocol"} {
		if value := a.response.Header.Get(name); value != "" {
			fmt.Fprintf(&head, "%s: %s\r\n", name, value)
		}
	}
	head.WriteString("\r\n")
	if _, err := io.WriteString(conn, head.String()); err != nil {
		s.end()
		return
	}
	s.run()
}

// run returns when everything about the connection has ended.
func (s *socket) run() {
	var parts sync.WaitGroup
	parts.Go(s.toUpstream)
	parts.Go(s.watch)
	s.toClient()
	s.end()
	parts.Wait()
}

// end closes both sides.
func (s *socket) end() {
	s.once.Do(func() {
		close(s.done)
		_ = s.client.Close()
		_ = s.upstream.Close()
	})
}

// leave tells the client why it has to connect again, and ends the connection.
func (s *socket) leave(code uint16, why string) {
	// A client that takes nothing must not keep the lock.
	if c, ok := s.client.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	}
	// In the middle of a frame there is no room for another one.
	if s.mu.TryLock() {
		if !s.closed {
			s.closed = true
			_, _ = s.client.Write(closing(code, why))
		}
		s.mu.Unlock()
	}
	s.end()
}

// watch looks at the route, and leaves the provider when the controller has.
func (s *socket) watch() {
	ticker := time.NewTicker(s.options.WebSocketCheck)
	defer ticker.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C:
		}
		route, ok := s.options.Router.Route(s.route.Chain)
		if !ok || s.lane.settings.Load().Off || left(&route, &s.route, s.attempt.endpoint) {
			s.leave(closeRestart, "another provider serves; connect again")
			return
		}
	}
}

// left says whether a provider has been left since a route of before. At another
// address it is another one.
func left(now, before *Route, at *Endpoint) bool {
	for i := range now.Endpoints {
		if e := &now.Endpoints[i]; e.Provider == at.Provider {
			return e.URL != at.URL || now.Generation != before.Generation && now.Active != at.Provider
		}
	}
	return true
}

// toClient passes the provider's frames on, each as a whole.
func (s *socket) toClient() {
	from := bufio.NewReaderSize(s.upstream, smallHead)
	for {
		f, err := readFrame(from)
		if err != nil {
			s.leave(closeGoingAway, "the provider has closed the connection")
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return
		}
		_, err = s.client.Write(f.raw[:f.size])
		if err == nil {
			_, err = io.CopyN(s.client, from, f.length)
		}
		s.closed = s.closed || err != nil || f.opcode == opClose
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return
		}
	}
}

var errMessage = errors.New("the message is too long")

// toUpstream passes the client's messages on that may go to the provider.
func (s *socket) toUpstream() {
	defer s.end()
	for {
		frames, message, opcode, err := s.message()
		if errors.Is(err, errMessage) {
			s.leave(closeTooBig, "the message is too long")
			return
		}
		if err != nil {
			return
		}
		if opcode < opClose {
			if answer := s.refusalOf(message); answer != nil {
				s.mu.Lock()
				if !s.closed {
					_, _ = s.client.Write(textFrame(answer))
				}
				s.mu.Unlock()
				continue
			}
		}
		if _, err := s.upstream.Write(frames); err != nil {
			return
		}
	}
}

// message reads the frames of the client's next message, or one control frame, and
// what they say.
func (s *socket) message() (frames, text []byte, opcode byte, err error) {
	for {
		f, err := readFrame(s.fromUser)
		if err != nil {
			return nil, nil, 0, err
		}
		// Parts without anything in them are held as well.
		if f.length > s.options.MaxWebSocketMessage-int64(len(frames)) {
			return nil, nil, 0, errMessage
		}
		payload := make([]byte, f.length)
		if _, err := io.ReadFull(s.fromUser, payload); err != nil {
			return nil, nil, 0, err
		}
		if f.opcode >= opClose {
			// A control frame may come between the parts of a message; it goes at once.
			control := append(append([]byte(nil), f.raw[:f.size]...), payload...)
			if frames == nil {
				return control, nil, f.opcode, nil
			}
			if _, err := s.upstream.Write(control); err != nil {
				return nil, nil, 0, err
			}
			continue
		}
		frames = append(append(frames, f.raw[:f.size]...), payload...)
		f.unmask(payload)
		text = append(text, payload...)
		if f.opcode != opContinuation {
			opcode = f.opcode
		}
		if f.final {
			return frames, text, opcode, nil
		}
	}
}

// refusalOf is the answer to a message that does not go to the provider; nil: it
// goes. The XRP Ledger calls its methods commands there.
func (s *socket) refusalOf(message []byte) []byte {
	// The policy is that of now: a connection may outlive a configuration.
	policy := s.policyOf()
	calls, batch, err := parseCalls(message)
	if err != nil {
		return rpcError(nil, problem{code: codeParse, detail: err.Error()})
	}
	for i := range calls {
		c := &calls[i]
		if s.route.Kind == config.XRPL {
			readCommand(c)
		}
		if c.refusal == nil {
			method := ruledAs(s.dialect.kind, c, true)
			risk, denied := policy.look(s.dialect.kind, method)
			switch {
			case denied:
				c.refusal = &refusal{codeMethodNotFound, s.denial(method)}
			case risk == unsafe && s.ofAnotherSite():
				c.refusal = &refusal{codeMethodNotFound, fromPage}
			}
		}
		if c.refusal != nil {
			id := c.id
			if batch {
				id = nil
			}
			return rpcError(id, problem{code: c.refusal.code, detail: c.refusal.message})
		}
	}
	return nil
}

// readCommand reads the method of a call that names it as a command.
func readCommand(c *call) {
	commands := 0
	command := ""
	members(c.raw, func(key, value []byte, _ bool) bool {
		if keyIs(key, "command") {
			commands++
			_ = plainString(value, &command)
		}
		return true
	})
	switch {
	case commands == 0:
	case commands == 1 && command != "" && c.method == "":
		c.method, c.refusal = command, nil
	default:
		c.refusal = &refusal{codeInvalidRequest, "Invalid Request: more than one command"}
	}
}
