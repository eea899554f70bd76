package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// private are the headers that let somebody in. They are for the host that the
// caller addressed and for no other.
var private = []string{"Authorization", "Cookie", "Proxy-Authorization"}

// route leads to one provider.
type route struct {
	name string
	// kind is the provider's type.
	kind string
	// base holds secrets: it is never printed.
	base *url.URL
}

// newRoute refuses an address to which no HTTP request can go. The error does
// not repeat it.
func newRoute(name, kind, host string) (route, error) {
	u, err := url.Parse(host)
	switch {
	case err != nil:
		err = errors.New("it cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https":
		err = errors.New("it is neither http nor https")
	case u.Host == "":
		err = errors.New("it has no host")
	}
	if err != nil {
		return route{}, fmt.Errorf("provider %q: rpc_host as the controller gives it: %w", name, err)
	}
	return route{name: name, kind: kind, base: u}, nil
}

// request is a copy of the caller's that goes to the provider: its scheme, host
// and credentials, its base path before the caller's path, its query before the
// caller's. Only what the caller addressed to this very host keeps the headers
// that let him in, since they belong to one provider.
func (r route) request(ctx context.Context, req *http.Request) *http.Request {
	out := req.Clone(ctx)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	u := &url.URL{Scheme: r.base.Scheme, Host: r.base.Host}
	u.Path, u.RawPath = joined(r.base, req.URL)
	u.RawQuery = strings.Trim(r.base.RawQuery+"&"+req.URL.RawQuery, "&")
	out.URL, out.Host = u, u.Host
	if !strings.EqualFold(origin(req.URL), origin(r.base)) {
		for _, name := range private {
			out.Header.Del(name)
		}
	}
	if user := r.base.User; user != nil {
		password, _ := user.Password()
		out.SetBasicAuth(user.Username(), password)
	}
	return out
}

// origin is scheme, host and port, the usual port made explicit.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Hostname() + ":" + port
}

// joined is the path of a request below that of a provider, plain and escaped.
// A request for the root is one for the provider's address as it stands, with or
// without a slash at its end: some vendors know only one of the two.
func joined(base, u *url.URL) (path, raw string) {
	if u.Path == "" || u.Path == "/" {
		return base.Path, base.RawPath
	}
	under := func(base, path string) string {
		return strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
	}
	path, raw = under(base.Path, u.Path), under(base.EscapedPath(), u.EscapedPath())
	if raw == (&url.URL{Path: path}).EscapedPath() {
		raw = ""
	}
	return path, raw
}
