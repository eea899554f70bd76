package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// exchange is one request of a client on its way to an answer.
type exchange struct {
	*Gateway
	lane *lane
	// settings are those of the chain, defaults filled in.
	settings Settings
	route    Route
	dialect  dialect
	writer   http.ResponseWriter
	request  *http.Request

	// rest is the path below the chain's own, as it came.
	rest string
	// path is in its escaped form, with its leading slash, or "".
	path, query string
	minHeight   uint64
	body        []byte
	calls       []call
	batch       bool
	question    question

	begin    time.Time
	deadline time.Time
	// asked is how many attempts were made, failures how those ended that got no
	// answer for the client.
	asked       int
	failures    []failure
	firstFailed bool
	result      result
}

// failure is an attempt that came to nothing.
type failure struct {
	endpoint *Endpoint
	outcome  Outcome
	status   int
	code     int64
	coded    bool
}

// MinHeightHeader asks for providers that have reached a height; min_height in
// the query is the same.
const MinHeightHeader = "X-Understudy-Min-Height"

// ProviderHeader names the provider that answered.
const ProviderHeader = "X-Understudy-Provider"

const minHeightQuery = "min_height"

var (
	errPath      = errors.New("the path has an empty part, or one of dots alone")
	errMinHeight = errors.New("min_height is not a height")
	errTooLong   = errors.New("the body is too long")
	errEncoding  = errors.New("the body has an encoding that is not known here; gzip and none are")
)

const eventStream = "text/event-stream"

// read takes the request in. The status belongs to the error.
func (x *exchange) read() (status int, err error) {
	if x.path, err = restOf(x.request, x.rest); err != nil {
		return http.StatusBadRequest, err
	}
	if err := x.readMinHeight(); err != nil {
		return http.StatusBadRequest, err
	}
	if x.request.Method == http.MethodGet {
		return 0, nil
	}
	return x.readBody()
}

// wantsEvents says whether a client asks for a stream of events, as Horizon offers
// it. Such an answer has no end, and a beginning only when something happens: it
// would be taken for that of a provider which hangs.
func wantsEvents(h http.Header) bool {
	return slices.ContainsFunc(h["Accept"], func(value string) bool {
		return strings.Contains(strings.ToLower(value), eventStream)
	})
}

// restOf is the path below the chain's own, escaped.
func restOf(r *http.Request, rest string) (string, error) {
	if rest == "" {
		return "", nil
	}
	if r.URL.RawPath == "" {
		rest = (&url.URL{Path: rest}).EscapedPath()
	}
	// What servers read differently is not let through: the rules for methods are
	// about the path as it is read there.
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsAny(plain, "/\\;%\x00") {
			return "", errPath
		}
	}
	return "/" + rest, nil
}

// plainPath is the path as a server reads it, without a slash at its end.
func (x *exchange) plainPath() string {
	plain, err := url.PathUnescape(x.path)
	if err != nil {
		return x.path
	}
	return strings.TrimSuffix(plain, "/")
}

// readMinHeight takes the wanted height out of header and query.
func (x *exchange) readMinHeight() error {
	wanted := ""
	if values := x.request.Header[MinHeightHeader]; len(values) > 0 {
		wanted = values[0]
	}
	x.query = x.request.URL.RawQuery
	if strings.Contains(x.query, minHeightQuery) {
		kept := make([]string, 0, 4)
		for pair := range strings.SplitSeq(x.query, "&") {
			if value, ok := strings.CutPrefix(pair, minHeightQuery+"="); ok {
				wanted = value
				continue
			}
			kept = append(kept, pair)
		}
		x.query = strings.Join(kept, "&")
	}
	if wanted == "" {
		return nil
	}
	height, err := strconv.ParseUint(wanted, 10, 64)
	if err != nil {
		return errMinHeight
	}
	x.minHeight = height
	return nil
}

// trusted is the length of a body, in bytes, for which room is made before it has
// come. Of a longer one that never comes only what came takes room.
const trusted = 64 << 10

// readBody reads the body, which is kept for the next provider.
func (x *exchange) readBody() (int, error) {
	r, limit := x.request, x.options.MaxRequestBody
	if r.ContentLength > limit {
		return http.StatusRequestEntityTooLarge, errTooLong
	}
	from := io.Reader(r.Body)
	switch encoding := r.Header.Get("Content-Encoding"); strings.ToLower(encoding) {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return http.StatusBadRequest, errNotJSON
		}
		from = unpacked
	default:
		return http.StatusUnsupportedMediaType, errEncoding
	}
	var err error
	if r.ContentLength > 0 && r.ContentLength <= trusted && from == io.Reader(r.Body) {
		x.body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(from, x.body)
	} else {
		var all bytes.Buffer
		_, err = all.ReadFrom(io.LimitReader(from, limit+1))
		x.body = all.Bytes()
	}
	switch {
	case int64(len(x.body)) > limit:
		return http.StatusRequestEntityTooLarge, errTooLong
	case err != nil:
		return http.StatusBadRequest, err
	}
	return 0, nil
}

// fits says whether an endpoint may be asked: it understands the request, and it
// has reached the wanted height.
func (x *exchange) fits(e *Endpoint) bool {
	return e.Transport != nil && x.dialect.fits(e) &&
		(x.minHeight == 0 || e.HeightKnown && e.Height >= x.minHeight)
}

// left is how long the request may take yet.
func (x *exchange) left() time.Duration { return x.deadline.Sub(x.options.Now()) }

// gone says whether nobody waits for the answer any more.
func (x *exchange) gone() bool { return errors.Is(x.request.Context().Err(), context.Canceled) }

// sending is what goes out to a provider.
func (x *exchange) sending(t *target, body []byte) sending {
	return sending{verb: x.request.Method, address: t.address(x.path, x.query), header: x.header(t), body: body}
}

// header is what goes out of the caller's header: what is about the content, and
// nothing else.
func (x *exchange) header(t *target) http.Header {
	compressed := !x.batch && acceptsGzip(x.request.Header)
	if x.dialect.rpc && x.question.risk != unsafe {
		if compressed {
			return t.compressed
		}
		return t.plain
	}
	encoding := identity
	if compressed {
		encoding = gzipEncoding
	}
	in := x.request.Header
	contentType := in["Content-Type"]
	if x.dialect.rpc {
		contentType = jsonType
	}
	h := t.header(contentType, encoding, x.question.risk != unsafe)
	for _, name := range passedOut {
		if values := in[name]; len(values) > 0 {
			h[name] = values
		}
	}
	return h
}

// passedOut are the headers of a caller that change what the answer is: its form,
// and the height at which a Cosmos node is to look.
var passedOut = []string{"Accept", "Accept-Language", "X-Cosmos-Block-Height", "Grpc-Metadata-X-Cosmos-Block-Height"}

// acceptsGzip says whether the client can unpack an answer.
func acceptsGzip(h http.Header) bool {
	for _, value := range h["Accept-Encoding"] {
		for part := range strings.SplitSeq(value, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return strings.ReplaceAll(strings.TrimSpace(weight), " ", "") != "q=0"
			}
		}
	}
	return false
}
