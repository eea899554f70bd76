package gateway

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/prometheus/common/version"

	"github.com/understudy-rpc/understudy/internal/config"
)

// target is where a provider is asked and as whom. It prints as scheme and host.
type target struct {
	url  config.URL
	base *url.URL
	// authorization is the header for what stood in the URL, or nil.
	authorization []string
	// plain are the headers of the common request: a JSON body, and an answer that
	// may be compressed or not. They are shared, never changed.
	plain, compressed http.Header
	// keys are the parts of path and query that may be such.
	keys [][]byte
}

// keyLength is how long a part of a URL is that may be a key. Names of networks and
// interfaces are shorter.
const keyLength = 16

// Header values that are the same for all requests. They are shared, never
// changed.
var (
	agent        = []string{"understudy/" + version.Version}
	jsonType     = []string{"application/json"}
	gzipEncoding = []string{"gzip"}
	identity     = []string{"identity"}
)

func newTarget(u config.URL) *target {
	t := &target{url: u, base: u.Reveal()}
	if user := t.base.User; user != nil {
		password, _ := user.Password()
		t.authorization = []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))}
		t.base.User = nil
	}
	for _, part := range strings.FieldsFunc(t.base.Path+"&"+t.base.RawQuery, func(r rune) bool { return strings.ContainsRune("/&=", r) }) {
		if len(part) >= keyLength {
			t.keys = append(t.keys, []byte(part))
		}
	}
	t.plain = t.header(jsonType, identity, true)
	t.compressed = t.header(jsonType, gzipEncoding, true)
	return t
}

// shownIn says whether a text shows a key. Servers say of a path that they do not
// know which one it was, and our own stands before the client's.
func (t *target) shownIn(text []byte) bool {
	return slices.ContainsFunc(t.keys, func(key []byte) bool { return bytes.Contains(text, key) })
}

// header is that of a request which may be repeated on a new connection, or not.
func (t *target) header(contentType, encoding []string, repeatable bool) http.Header {
	h := http.Header{"User-Agent": agent, "Accept-Encoding": encoding}
	if contentType != nil {
		h["Content-Type"] = contentType
	}
	if t.authorization != nil {
		h["Authorization"] = t.authorization
	}
	if repeatable {
		// Nothing is sent of this. It tells net/http that the request may be sent again
		// when the server closed the idle connection meanwhile.
		h["Idempotency-Key"] = nil
	}
	return h
}

// address is the provider's URL with a path and a query added to its own. path is
// in its escaped form. A parameter of the provider's own cannot be replaced.
func (t *target) address(path, query string) *url.URL {
	if path == "" && query == "" {
		return t.base
	}
	u := *t.base
	if path != "" {
		escaped := strings.TrimSuffix(t.base.EscapedPath(), "/") + path
		plain, err := url.PathUnescape(escaped)
		if err == nil {
			u.Path, u.RawPath = plain, escaped
		}
	}
	if query != "" {
		u.RawQuery = joinQuery(t.base, query)
	}
	return &u
}

func joinQuery(base *url.URL, query string) string {
	if base.RawQuery == "" {
		return query
	}
	own := base.Query()
	joined := base.RawQuery
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if pair != "" && err == nil && !own.Has(plain) {
			joined += "&" + pair
		}
	}
	return joined
}
