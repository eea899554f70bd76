package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// maxBody bounds the body of an order, in bytes.
	maxBody = 4 << 10
	// bodyTimeout bounds how long a body may take to arrive.
	bodyTimeout = 10 * time.Second
	// maxReason bounds the reason of an order, in bytes.
	maxReason = 500
	// maxFor bounds how long an order may hold that ends by itself.
	maxFor = 365 * 24 * time.Hour
)

// members are what a body may have, by name. All are strings.
type members map[string]*string

// readBody reads a body into its members. An empty one has none.
func readBody(w http.ResponseWriter, r *http.Request, m members) *problem {
	tooLarge := refuse(http.StatusRequestEntityTooLarge, "The body is larger than %d bytes.", maxBody)
	if r.ContentLength > maxBody {
		return tooLarge
	}
	// A writer that knows no deadline is a test's.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	switch {
	case err != nil:
		return refuse(http.StatusBadRequest, "The body did not arrive whole.")
	case len(body) == 0:
		return nil
	case !isJSON(r):
		return refuse(http.StatusUnsupportedMediaType, "The body has to be application/json in UTF-8, not compressed.")
	}
	if err := m.decode(body); err != nil {
		return refuse(http.StatusBadRequest, "The body %s.", err)
	}
	return nil
}

// isJSON says whether the body is said to be plain JSON.
func isJSON(r *http.Request) bool {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, encoding := parameters["charset"], r.Header.Get("Content-Encoding")
	return err == nil && kind == "application/json" &&
		(charset == "" || strings.EqualFold(charset, "utf-8")) && (encoding == "" || strings.EqualFold(encoding, "identity"))
}

// decode reads a JSON object strictly: a member that is unknown, differs in case
// or comes twice is a mistake, as is anything after the object. Its errors name
// the place and go on after the words "The body".
func (m members) decode(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	begin, err := d.Token()
	if err != nil {
		return misplaced(body, d, err)
	}
	if begin != json.Delim('{') {
		return fmt.Errorf("has to be a JSON object (%s)", place(body, d.InputOffset()))
	}
	seen := map[string]bool{}
	for d.More() {
		if err := m.decodeMember(body, d, seen); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return misplaced(body, d, err)
	}
	if end := d.InputOffset(); len(bytes.Trim(body[end:], " \t\r\n")) > 0 {
		return fmt.Errorf("has something after the object (%s)", place(body, end))
	}
	return nil
}

// decodeMember reads one member.
func (m members) decodeMember(body []byte, d *json.Decoder, seen map[string]bool) error {
	token, err := d.Token()
	if err != nil {
		return misplaced(body, d, err)
	}
	// The decoder takes nothing else for a name.
	name, _ := token.(string)
	at := place(body, d.InputOffset())
	target, known := m[name]
	switch {
	case !known:
		return fmt.Errorf("has an unknown member %q (%s); it may have %s", shortened(name), at, strings.Join(slices.Sorted(maps.Keys(m)), ", "))
	case seen[name]:
		return fmt.Errorf("has the member %q twice (%s)", name, at)
	}
	seen[name] = true
	value, err := d.Token()
	if err != nil {
		return misplaced(body, d, err)
	}
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("has a member %q that is not a string (%s)", name, place(body, d.InputOffset()))
	}
	*target = text
	return nil
}

// misplaced says where a body ceases to be JSON.
func misplaced(body []byte, d *json.Decoder, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > 0 {
		return fmt.Errorf("is not JSON (%s)", place(body, syntax.Offset))
	}
	return fmt.Errorf("ends too early (%s)", place(body, max(d.InputOffset(), int64(len(body)))))
}

// place is where a number of bytes has been read, for people.
func place(body []byte, read int64) string {
	before := body[:min(max(read, 0), int64(len(body)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Sprintf("line %d, column %d", line, max(column, 1))
}

// orderOf checks what an operator gives with an order.
func orderOf(reason, holds string) (Order, *problem) {
	o := Order{Reason: reason}
	switch {
	case len(reason) > maxReason:
		return o, refuse(http.StatusBadRequest, "reason has more than %d bytes.", maxReason)
	case !utf8.ValidString(reason):
		return o, refuse(http.StatusBadRequest, "reason is not UTF-8.")
	case strings.ContainsFunc(reason, isControl):
		return o, refuse(http.StatusBadRequest, "reason has a control character, such as a line break.")
	case holds == "":
		return o, nil
	}
	d, err := durationOf(holds)
	switch {
	case err != nil:
		return o, refuse(http.StatusBadRequest, "for is not a duration: write 30m, 2h or 1d.")
	case d <= 0 || d > maxFor:
		return o, refuse(http.StatusBadRequest, "for has to be more than 0 and at most 365d.")
	}
	o.For = d
	return o, nil
}

// isControl says whether a character could change how a log or a page looks:
// control characters, line separators and those that turn the direction of
// writing.
func isControl(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
