package main

import (
	"context"
	"net"
	"net/http"
	"testing"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/stretchr/testify/require"
)

// A reverse proxy on the same machine comes over loopback, whoever is behind it.
func TestWhoComesOverLoopbackIsTrustedUnlessOthersReachTheSameListener(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		addresses []string
		trusted   bool
	}{
		"on loopback alone":                       {[]string{"127.0.0.1:9477"}, true},
		"on loopback, beside another address":     {[]string{"127.0.0.1:9477", "192.0.2.1:9477"}, true},
		"on every address":                        {[]string{":9477"}, false},
		"on every address of IPv4":                {[]string{"0.0.0.0:9477"}, false},
		"on every address of IPv6":                {[]string{"[::]:9477"}, false},
		"on every address of IPv4, by way of six": {[]string{"[::ffff:0.0.0.0]:9477"}, false},
		"on loopback, beside every address":       {[]string{"127.0.0.1:9477", "[::ffff:0:0]:9478"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exposed, err := exposureOf(c.addresses, false, "")
			require.NoError(t, err)
			s := &service{exposed: exposed, flags: serverFlags{web: &web.FlagConfig{WebListenAddresses: &c.addresses, WebSystemdSocket: new(bool)}}}
			local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9477}
			r, err := http.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), http.MethodGet, "/", nil)
			require.NoError(t, err)
			require.Equal(t, c.trusted, s.trusts(r))
		})
	}
}
