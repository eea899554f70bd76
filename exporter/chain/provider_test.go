package chain

import (
	"net/url"
	"testing"

	commoncfg "github.com/prometheus/common/config"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*config.Provider)
		want   string
	}{
		{"an unknown type", func(p *config.Provider) { p.Type = "gopher" }, `unknown type "gopher"`},
		{"a file that is not there", func(p *config.Provider) { p.HTTP.TLSConfig.CAFile = "/nonexistent/ca.pem" }, "/nonexistent/ca.pem"},
		{"certificates that are none", func(p *config.Provider) { p.HTTP.TLSConfig.CA = "SECRET" }, "CA cert"},
		{"versions that exclude each other", func(p *config.Provider) {
			p.HTTP.TLSConfig.MinVersion, p.HTTP.TLSConfig.MaxVersion = commoncfg.TLSVersion(0x0304), commoncfg.TLSVersion(0x0303)
		}, "max_version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chainOf, p := scriptedChain(t, config.EVM, config.EVMRPC)
			c.change(&p)
			_, err := New(chainOf, p)
			require.ErrorContains(t, err, `chain "test": provider "p": `)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
}

func TestEveryTypeHasADialect(t *testing.T) {
	t.Parallel()
	for _, typ := range config.Types {
		c, p := scriptedChain(t, config.Bitcoin, typ)
		made, err := New(c, p)
		require.NoError(t, err)
		cost, err := CostOf(c, p)
		require.NoError(t, err)
		require.Equal(t, made.Cost(), cost)
		require.Positive(t, cost.Cycle, "%s", typ)
	}
	_, err := CostOf(config.Chain{Name: "c"}, config.Provider{Name: "p", Type: "gopher"})
	require.EqualError(t, err, `chain "c": provider "p": unknown type "gopher"`)
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, base, path string
		query            url.Values
		want             string
	}{
		{"the base", "https://host/v2/KEY?a=b", "", nil, "https://host/v2/KEY?a=b"},
		{"the base with a stroke", "https://host/", "", nil, "https://host/"},
		{"a path", "https://host", "blocks/tip", nil, "https://host/blocks/tip"},
		{"a path below a path", "https://host/api/", "/blocks/tip", nil, "https://host/api/blocks/tip"},
		{"a path before a query", "https://host/api?key=K", "stats", nil, "https://host/api/stats?key=K"},
		{"a query", "https://host/api", "ledgers", url.Values{"limit": {"1"}}, "https://host/api/ledgers?limit=1"},
		{"a query behind a query", "https://host/api?key=K", "ledgers", url.Values{"limit": {"1"}}, "https://host/api/ledgers?key=K&limit=1"},
		{"a query alone", "https://host?key=K", "", url.Values{"a": {"b c"}}, "https://host?key=K&a=b+c"},
		{"an escaped path", "https://host/a%2Fb", "stats", nil, "https://host/a%2Fb/stats"},
		{"a user", "https://user:word@host/api", "stats", nil, "https://host/api/stats"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, evmAt(t, c.base).access.address(c.path, c.query))
		})
	}
}

func TestTheAddressDoesNotChangeBetweenRequests(t *testing.T) {
	t.Parallel()
	a := evmAt(t, "https://host/api?key=K").access
	for range 2 {
		require.Equal(t, "https://host/api/x?key=K&a=b", a.address("x", url.Values{"a": {"b"}}))
	}
	require.Equal(t, "https://host/api?key=K", a.address("", nil))
}

func TestCredentialsOfTheAddressAreSentInTheHeader(t *testing.T) {
	t.Parallel()
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	var err error
	p.RPCHost, err = config.ParseURL("https://us%2Fer:p%40ss%2Fword@provider.test/x")
	require.NoError(t, err)
	s := newScripted(t, c, p, func(q question) given {
		require.Equal(t, "Basic dXMvZXI6cEBzcy93b3Jk", q.Header.Get("Authorization"))
		require.Equal(t, "gzip", q.Header.Get("Accept-Encoding"))
		require.Contains(t, q.Header.Get("User-Agent"), "understudy/")
		require.Equal(t, "application/json", q.Header.Get("Content-Type"))
		return given{Body: goodBlock}
	})
	_, err = s.Observe(t.Context(), Ask{})
	require.NoError(t, err)
}
