package chain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commoncfg "github.com/prometheus/common/config"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The secrets of a provider, one in each place where there may be one. Each
// holds MARK, which no output may, as it is or in base64.
const (
	inPassword = "MARKpass%/word"
	inPath     = "MARKpath4567890"
	inShort    = "MARK12"
	inQuery    = "MARKquery<&>"
	inName     = "MARK"
	inBasic    = "MARKbasic"
	inBearer   = "MARKbearer"
	inHeader   = "MARKheader"
	inFile     = "MARKfile"
	inToken    = "MARKtoken"
)

// secretive puts the secrets into an address.
func secretive(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.User = url.UserPassword("MARKuser9", inPassword)
	u.Path = "/v2/" + inPath + "/" + inShort
	u.RawQuery = url.Values{"network": {inQuery}, "apikey": {inName}}.Encode()
	return u.String()
}

// blocks are http blocks with secrets.
func blocks(t *testing.T) map[string]commoncfg.HTTPClientConfig {
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(inFile+"\n"), 0o600))
	return map[string]commoncfg.HTTPClientConfig{
		"nothing":        {FollowRedirects: true},
		"basic auth":     {BasicAuth: &commoncfg.BasicAuth{Username: "user", Password: inBasic}},
		"authorization":  {Authorization: &commoncfg.Authorization{Type: "Bearer", Credentials: inBearer}},
		"a header":       {HTTPHeaders: &commoncfg.Headers{Headers: map[string]commoncfg.Header{"Api-Key": {Secrets: []commoncfg.Secret{inHeader}}}}},
		"a file":         {Authorization: &commoncfg.Authorization{Type: "Token", CredentialsFile: file}},
		"a header's":     {HTTPHeaders: &commoncfg.Headers{Headers: map[string]commoncfg.Header{"Api-Key": {Files: []string{file}}}}},
		"a bearer token": {BearerToken: inToken},
	}
}

// echoes are answers in which a vendor repeats all that it was given.
var echoes = map[string]func(w http.ResponseWriter, all string){
	"plain text with 401": func(w http.ResponseWriter, all string) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, all)
	},
	"plain text with 200": func(w http.ResponseWriter, all string) { _, _ = io.WriteString(w, all) },
	"a page": func(w http.ResponseWriter, all string) {
		_, _ = fmt.Fprintf(w, "<html><title>%s</title></html>", all)
	},
	"a message": func(w http.ResponseWriter, all string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": -32000, "message": all, "data": all}})
	},
	"JSON of another shape": func(w http.ResponseWriter, all string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"reason": all})
	},
	"a result of another shape": func(w http.ResponseWriter, all string) {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": all, "result": all})
	},
	"half JSON": func(w http.ResponseWriter, all string) {
		text, _ := json.Marshal(all)
		_, _ = io.WriteString(w, `{"message":`+string(text))
	},
	"an encoding": func(w http.ResponseWriter, all string) {
		w.Header().Set("Content-Encoding", strings.ReplaceAll(all, "\n", " "))
	},
	"a redirect": func(w http.ResponseWriter, all string) {
		w.Header().Set("Location", "http://elsewhere.invalid/"+strings.ReplaceAll(all, "\n", "/"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	},
	"a redirect that is no address": func(w http.ResponseWriter, all string) {
		w.Header().Set("Location", "http://[MARKpath4567890")
		w.WriteHeader(http.StatusTemporaryRedirect)
	},
	"no HTTP": func(w http.ResponseWriter, all string) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = io.WriteString(conn, strings.ReplaceAll(all, "\n", " ")+"\r\n\r\n")
			_ = conn.Close()
		}
	},
}

func TestNoSecretIsRepeated(t *testing.T) {
	t.Parallel()
	for block, httpBlock := range blocks(t) {
		for echo, write := range echoes {
			// At each distance, since texts are cut at some length.
			for _, distance := range []int{0, textLimit - 10, wordsLimit - 5} {
				t.Run(fmt.Sprintf("%s, %s after %d bytes", block, echo, distance), func(t *testing.T) {
					t.Parallel()
					address := serve(t, func(w http.ResponseWriter, r *http.Request) { write(w, strings.Repeat("x", distance)+" "+gaveAway(r)) })
					requireSecrecy(t, evmAt(t, withoutUser(secretive(address), httpBlock), func(_ *config.Chain, p *config.Provider) { p.HTTP = httpBlock }))
				})
			}
		}
	}
}

// withoutUser leaves the user out of an address for which an http block has one.
func withoutUser(address string, b commoncfg.HTTPClientConfig) string {
	if b.BasicAuth == nil && b.Authorization == nil && b.BearerToken == "" {
		return address
	}
	before, after, _ := strings.Cut(address, "://")
	_, after, _ = strings.Cut(after, "@")
	return before + "://" + after
}

// gaveAway is all that a request gives away, in the forms in which it may come
// back.
func gaveAway(r *http.Request) string {
	user, password, _ := r.BasicAuth()
	lines := []string{
		"path " + r.URL.Path, r.URL.EscapedPath(), "query " + r.URL.RawQuery, fmt.Sprint(r.URL.Query()), r.RequestURI,
		"Authorization: " + r.Header.Get("Authorization"), "user " + user, "password " + password,
		url.QueryEscape(password), url.PathEscape(password), "key " + r.Header.Get("Api-Key"),
	}
	return strings.Join(lines, "\n")
}

func TestNoSecretIsInAnErrorOfTheTransport(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"refused":         closedPort(t),
		"an unknown name": "http://provider.invalid",
		"reset":           listen(t, func(conn *net.TCPConn, _ int64) { reset(conn) }),
		"no TLS":          "https" + strings.TrimPrefix(serve(t, say(200, nil, "")), "http"),
		"half a body": afterRequest(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
		}),
		"no answer in time": serve(t, hangs),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := func(*config.Chain, *config.Provider) {}
			if name == "no answer in time" {
				change = within(50 * time.Millisecond)
			}
			requireSecrecy(t, evmAt(t, secretive(address), change))
		})
	}
}

// requireSecrecy asks a provider everything and looks for the mark in all that
// comes of it.
func requireSecrecy(t *testing.T, p *Provider) {
	t.Helper()
	o, err := p.Observe(t.Context(), Ask{Identity: true, Hints: true})
	require.Error(t, err)
	require.NotEmpty(t, o.Exchanges)
	_, blockErr := p.Block(t.Context(), 1, true)
	require.Error(t, blockErr)
	s := talk(t, p)
	restErr := s.GetJSON(t.Context(), "stats", url.Values{"limit": {"0"}}, &struct{}{})
	f, _ := errors.AsType[*Failure](err)
	for _, v := range []any{err, blockErr, restErr, f, o, o.Exchanges, p, s, s.exchanges} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			requireNoMark(t, fmt.Sprintf(verb, v))
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("told", "what", v)
		slog.New(slog.NewTextHandler(&log, nil)).Info("told", "what", v)
		requireNoMark(t, log.String())
	}
}

// requireNoMark looks for the mark as it is and in each base64 that holds it.
func requireNoMark(t *testing.T, text string) {
	t.Helper()
	require.NotContains(t, strings.ToUpper(text), "MARK")
	for shift := range 3 {
		coded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + "MARK"))
		require.NotContains(t, text, coded[(shift*8+5)/6:(shift+4)*8/6], "in base64")
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, address, text, want string }{
		{"a key in the path", "https://host/v2/abcdefgh", "key abcdefgh is wrong", "key <secret> is wrong"},
		{"a short key with a digit", "https://host/v2/abc123", "key abc123 is wrong", "key <secret> is wrong"},
		{"a word in the path", "https://host/rpc/v2/main/goerli", "no v2 on main, try goerli or rpc", "no v2 on main, try goerli or rpc"},
		{"a user", "https://bifrost@host", "user bifrost", "user bifrost"},
		{"a user that is a key", "https://0a1b2c3d4e@host", "user 0a1b2c3d4e", "user <secret>"},
		{"a password", "https://user:word@host", "the word of user", "the <secret> of user"},
		{"a password that is nearly nothing", "https://user:a@host", "a bad day", "a bad day"},
		{"a short value by its name", "https://host/?apiKey=ab12", "ab12", "<secret>"},
		{"a value of another name", "https://host/?chain=main", "main", "main"},
		{"a query that is none", "https://host/?%zz=abcdefgh;", "?%zz=abcdefgh;", "?<secret>"},
		{"large letters", "https://host/v2/abcdefgh", "ABCDEFGH abcdefgH aabcdefghh", "<secret> <secret> a<secret>h"},
		{"one in another", "https://abcdefgh:abcdefghij@host", "abcdefghij", "<secret>"},
		{"a token of somewhere else", "https://host", "got Bearer eyJhbGciOi.J9-_x= from you", "got Bearer <secret> from you"},
		{"a word that is no token", "https://host", "the bearer is unknown", "the bearer is unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, evmAt(t, c.address).scrub(c.text))
		})
	}
}

func TestScrubTheHTTPBlock(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	proxy, err := url.Parse("http://user:proxyword@proxy.test")
	require.NoError(t, err)
	p := evmAt(t, "https://host", func(_ *config.Chain, p *config.Provider) {
		p.HTTP.OAuth2 = &commoncfg.OAuth2{
			ClientID: "id", ClientSecret: "clientsecret", TokenURL: "https://token.test/tokenpath1",
			ProxyConfig: commoncfg.ProxyConfig{ProxyURL: commoncfg.URL{URL: proxy}},
		}
		p.HTTP.HTTPHeaders = &commoncfg.Headers{Headers: map[string]commoncfg.Header{"X": {Files: []string{file}}}}
		p.HTTP.ProxyConnectHeader = commoncfg.ProxyHeader{"X": {"connectword"}}
	})
	require.Equal(t, "<secret> <secret> <secret> <secret> first second",
		p.scrub("clientsecret tokenpath1 proxyword connectword first second"))
	require.NoError(t, os.WriteFile(file, []byte("first\n"), 0o600))
	require.Equal(t, "<secret> second", p.scrub("first second"))
	require.NoError(t, os.WriteFile(file, []byte("second\n"), 0o600))
	require.Equal(t, "first <secret>", p.scrub("first second"), "a file may change")
}

func TestProviderPrintsItsNames(t *testing.T) {
	t.Parallel()
	p := evmAt(t, secretive("https://host"))
	require.Equal(t, "test/p", fmt.Sprintf("%+v", p))
	require.Equal(t, "test/p", p.LogValue().String())
}
