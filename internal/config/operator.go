package config

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// privateSuffixes are the ends of host names that nobody registers: RFC 6762
// (.local), RFC 8375 (.home.arpa), RFC 6761 (.localhost, .test), ICANN's
// reserved .internal, and .lan and .svc by custom.
var privateSuffixes = []string{".local", ".home.arpa", ".localhost", ".test", ".internal", ".lan", ".svc"}

// sharedAddresses is the carrier-grade NAT range (RFC 6598), which overlay
// networks use for private hosts.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// defaultOperator tells from a URL who runs a provider. Two URLs below one
// registrable domain have one operator; a host of the operator's own network is
// one by each port, as two daemons on one machine are two nodes.
func defaultOperator(u URL) string {
	host := hostName(u)
	if private(host) {
		return net.JoinHostPort(host, portOf(u))
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// hostName is a URL's host name in lower case, without port and final dot.
func hostName(u URL) string {
	if u.full == nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.full.Hostname()), ".")
}

// portOf is a URL's port, or its scheme's.
func portOf(u URL) string {
	switch {
	case u.full.Port() != "":
		return u.full.Port()
	case u.full.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// private says whether a host is on the machine itself or in a private network.
func private(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || sharedAddresses.Contains(addr)
	}
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc(privateSuffixes, func(s string) bool { return strings.HasSuffix(host, s) })
}
