package chain

import (
	"net/http"
	"net/url"

	"github.com/prometheus/common/version"

	"github.com/understudy-rpc/understudy/internal/config"
)

// access is where a provider is asked and as whom. All that is secret of a
// provider is in it, and a Provider holds it by a pointer: fmt prints fields
// without asking their methods, but follows no pointers within.
type access struct {
	// base is the address without user info, so that no error of net/http can
	// repeat it, and plain is base as text.
	base  *url.URL
	plain string
	// userinfo is the header Authorization for what stood in the URL, or "".
	userinfo string
	secrets  scrubber
}

// newAccess takes a provider's address apart.
func newAccess(p config.Provider) *access {
	a := &access{base: p.RPCHost.Reveal(), secrets: newScrubber(p)}
	if user := a.base.User; user != nil {
		password, _ := user.Password()
		a.userinfo = "Basic " + basic(user.Username(), password)
		a.base.User = nil
	}
	a.plain = a.base.String()
	return a
}

// address is the provider's URL with a path and a query added to its own.
func (a *access) address(path string, query url.Values) string {
	if path == "" && len(query) == 0 {
		return a.plain
	}
	u := *a.base.JoinPath(path)
	if len(query) > 0 {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += query.Encode()
	}
	return u.String()
}

// Header values that are the same for all requests. They are shared, never
// changed.
var (
	agent    = []string{"understudy/" + version.Version}
	gzipOnly = []string{"gzip"}
	noCache  = []string{"no-cache"}
	jsonType = []string{"application/json"}
)

// dress gives a request its header.
func (a *access) dress(r *http.Request, hasBody bool) {
	h := r.Header
	if a.userinfo != "" {
		h.Set("Authorization", a.userinfo)
	}
	h["User-Agent"] = agent
	h["Accept-Encoding"] = gzipOnly
	// The newest block out of a cache would hide that the node is gone.
	h["Cache-Control"] = noCache
	if hasBody {
		h["Content-Type"] = jsonType
	}
	// Nothing is sent of this. It tells net/http that a question may be asked
	// again on a new connection when the server closed the idle one meanwhile,
	// as it does by itself for GET only.
	h["Idempotency-Key"] = nil
}
