package remote

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/controller/wire"
)

func TestCredentialsAreSent(t *testing.T) {
	t.Parallel()
	const alice = "Basic YWxpY2U6UEFTU1NFQ1JFVA=="
	for _, c := range []struct {
		name, token, http, user string
		authorization, header   string
	}{
		{"none", "", "", "", "", ""},
		{"a token", "TOKENSECRET\n", "", "", "Bearer TOKENSECRET", ""},
		{"a user of the configuration", "", "basic_auth: {username: alice, password: PASSSECRET}\n", "", alice, ""},
		{"a user of the address", "", "", "alice:PASSSECRET@", alice, ""},
		{"a user and a token", "TOKENSECRET", "basic_auth: {username: alice, password: PASSSECRET}\n", "", alice, "TOKENSECRET"},
		{"a user of the address and a token", "TOKENSECRET", "", "alice:PASSSECRET@", alice, "TOKENSECRET"},
		{"a user, a token and a header", "TOKENSECRET", "basic_auth: {username: alice, password: PASSSECRET}\nhttp_headers: {X-Site: {values: [a]}}\n", "", alice, "TOKENSECRET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, last := controller(t, answers(http.StatusOK, "application/json", wire.ActiveList{}))
			o := Options{URL: strings.Replace(server.URL, "//", "//"+c.user, 1)}
			if c.token != "" {
				o.TokenFile = file(t, c.token)
			}
			if c.http != "" {
				o.HTTPConfigFile = file(t, c.http)
			}
			_, err := client(t, o).Active(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.authorization, last.header.Get("Authorization"))
			require.Equal(t, c.header, last.header.Get("X-Understudy-Token"))
			if strings.Contains(c.http, "X-Site") {
				require.Equal(t, "a", last.header.Get("X-Site"))
			}
		})
	}
}

func TestOptionsThatCannotWorkAreRefusedWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	gone := filepath.Join(t.TempDir(), "gone")
	for _, c := range []struct {
		name string
		o    Options
		says string
	}{
		{"an address without a scheme", Options{URL: "u:PASSSECRET@127.0.0.1:9477"}, "the controller's URL"},
		{"an address of another scheme", Options{URL: "ftp://u:PASSSECRET@h"}, "it needs the scheme http or https"},
		{"an address with a query", Options{URL: "http://h/?key=QUERYSECRET"}, "has a query"},
		{"a token file that is not there", Options{TokenFile: gone}, "no such file"},
		{"an empty token file", Options{TokenFile: file(t, " \n")}, "is empty"},
		{"two tokens", Options{TokenFile: file(t, "TOKENSECRET1\nTOKENSECRET2\n")}, "more than one word"},
		{"a configuration that is not there", Options{HTTPConfigFile: gone}, "no such file"},
		{"one with an unknown key", Options{HTTPConfigFile: file(t, "basic_aut: {password: PASSSECRET}\n")}, "field basic_aut not found"},
		{"one with a secret in the wrong place", Options{HTTPConfigFile: file(t, "tls_config: TOKENSECRET\n")}, "line 1: cannot unmarshal"},
		{"one with a proxy that is no URL", Options{HTTPConfigFile: file(t, "proxy_url: \"http://u:PASS\\\"SECRET@h:port/\"\n")}, "HTTP client configuration"},
		{"one that contradicts itself", Options{HTTPConfigFile: file(t, "basic_auth: {username: a, password: PASSSECRET, password_file: x}\n")}, "at most one of basic_auth password"},
		{"one with a certificate that is not there", Options{HTTPConfigFile: file(t, "tls_config: {ca_file: gone.pem}\n")}, "gone.pem"},
		{"a timeout below zero", Options{Timeout: -time.Second}, "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(c.o)
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}
