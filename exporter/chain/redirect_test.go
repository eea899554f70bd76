package chain

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// follows lets a provider follow redirects, as the http block does by default.
func follows(_ *config.Chain, p *config.Provider) { p.HTTP.FollowRedirects = true }

// esploraAt asks a provider by GET for its height.
func esploraAt(tb testing.TB, address string, changes ...func(*config.Chain, *config.Provider)) (string, error) {
	tb.Helper()
	return talk(tb, provider(tb, config.Bitcoin, config.EsploraREST, address, changes...)).GetText(tb.Context(), "blocks/tip/height")
}

func TestNoRedirectLeadsToAnotherHost(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { visits.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, location := range map[string]string{
			"another port":   elsewhere + "/blocks/tip/height",
			"another name":   strings.Replace(elsewhere, "127.0.0.1", "localhost", 1),
			"without scheme": strings.TrimPrefix(elsewhere, "http:"),
			"with user info": strings.Replace(elsewhere, "http://", "http://user:word@", 1),
		} {
			t.Run(http.StatusText(status)+" to "+name, func(t *testing.T) {
				t.Parallel()
				address := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Location", location)
					w.WriteHeader(status)
				})
				_, err := esploraAt(t, strings.Replace(address, "http://", "http://user:SECRETSECRET@", 1), follows)
				f := requireFailure(t, err, Redirect)
				require.Equal(t, status, f.Status)
				require.Contains(t, f.Text, "not followed")
				_, err = evmAt(t, address, follows).Observe(t.Context(), Ask{})
				requireFailure(t, err, Redirect)
			})
		}
	}
	t.Cleanup(func() { require.Zero(t, visits.Load(), "the other host got a request") })
}

func TestARedirectToAnotherSchemeIsNotFollowed(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
	})
	_, err := esploraAt(t, address, follows)
	require.Contains(t, requireFailure(t, err, Redirect).Text, "https://127.0.0.1")
}

func TestARedirectWithinTheHostIsFollowedForAGet(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, _, _ := r.BasicAuth(); user != "user" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if !strings.HasPrefix(r.URL.Path, "/api") {
			http.Redirect(w, r, "/api"+r.URL.Path, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("939000"))
	})
	address = strings.Replace(address, "http://", "http://user:word@", 1)
	text, err := esploraAt(t, address, follows)
	require.NoError(t, err)
	require.Equal(t, "939000", text)

	_, err = esploraAt(t, address)
	requireFailure(t, err, Redirect)
}

// A POST that is redirected would become a GET, or be sent twice.
func TestARedirectOfAPostIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var requests atomic.Int64
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			http.Redirect(w, r, "/elsewhere", status)
		})
		_, err := evmAt(t, address, follows).Observe(t.Context(), Ask{})
		requireFailure(t, err, Redirect)
		require.EqualValues(t, 1, requests.Load())
	}
}

func TestRedirectsInACircleEnd(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	_, err := esploraAt(t, address, follows)
	requireFailure(t, err, Redirect)
	require.EqualValues(t, 1+maxRedirects, requests.Load())
}
