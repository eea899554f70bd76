package api

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// tokenHeader carries the admin token where Authorization is taken by the
// password that the listener asks for, or by the token of a proxy.
const tokenHeader = "X-Understudy-Token"

// mayKnow says whether a caller may see whole addresses.
func (a *API) mayKnow(r *http.Request) bool { return a.Trusts(r) || a.hasToken(r) }

// Trusts says whether a request comes from this machine or from somebody who is
// authenticated, and was not sent by a page that gave its own name our address.
func (a *API) Trusts(r *http.Request) bool {
	return a.options.Trusted(r) && (a.options.Authenticated || a.isOurs(r.Host))
}

// mayOrder is nil if a caller may change something.
func (a *API) mayOrder(r *http.Request) *problem {
	switch {
	case a.options.AdminToken == "" && a.Trusts(r):
		return nil
	case a.options.AdminToken == "":
		return refuse(http.StatusForbidden, "Orders are taken on a loopback listener, under the name localhost, an IP address or the external URL's host, and from authenticated callers. Set --web.admin-token-file, or basic_auth_users in --web.config.file.")
	case !a.hasToken(r):
		return refuse(http.StatusUnauthorized, "Orders need the admin token: Authorization: Bearer TOKEN, or %s: TOKEN.", tokenHeader).
			with("WWW-Authenticate", `Bearer realm="understudy"`)
	}
	return nil
}

// hasToken says whether the caller presents the admin token, in either header: the
// bearer token in Authorization may be that of a proxy in between.
func (a *API) hasToken(r *http.Request) bool {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if ok && strings.EqualFold(scheme, "Bearer") && a.IsToken(strings.TrimSpace(token)) {
		return true
	}
	return a.IsToken(r.Header.Get(tokenHeader))
}

// isOurs says whether a Host header names this machine. The page of an attacker
// can make its own name resolve to 127.0.0.1, and the browser then takes it for
// the page's own server; but it sends that name. Programs that send no name at
// all are no browsers.
func (a *API) isOurs(host string) bool {
	if host == "" {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || (host != "" && host == a.externalHost) {
		return true
	}
	_, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil
}
