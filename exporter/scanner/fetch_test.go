package scanner

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// serve starts a server whose answers are a function's.
func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// get fetches with a client of its own.
func get(t *testing.T, ctx context.Context, address string) ([]byte, *Failure) {
	t.Helper()
	client := newClient()
	defer client.CloseIdleConnections()
	return fetch(ctx, client, address)
}

func TestFetch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		body   string
		reason Reason
		text   string
	}{
		{"a good answer", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("good")) }, "good", "", ""},
		{"an answer of exactly the bound", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("x", maxBody)))
		}, strings.Repeat("x", maxBody), "", ""},
		{"an answer longer than the bound", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("x", maxBody+1)))
		}, "", TooLong, "the answer is longer than 4194304 bytes"},
		{"an answer without an end", func(w http.ResponseWriter, r *http.Request) {
			for chunk := []byte(strings.Repeat("x", 1<<16)); r.Context().Err() == nil; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, "", TooLong, "the answer is longer than 4194304 bytes"},
		{"a server error with a secret in its body", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "bad key topsecret", http.StatusBadGateway)
		}, "", HTTPStatus, "HTTP 502"},
		{"no content", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "", HTTPStatus, "HTTP 204"},
		{"a redirect to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example.org/", http.StatusFound)
		}, "", Redirect, "HTTP 302: only redirects within the host are followed"},
		{"a redirect to another scheme", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+"/", http.StatusFound)
		}, "", Redirect, "HTTP 302: only redirects within the host are followed"},
		{"a redirect within the host", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/there" {
				http.Redirect(w, r, "/there", http.StatusMovedPermanently)
				return
			}
			_, _ = w.Write([]byte("there"))
		}, "there", "", ""},
		{"redirects without an end", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/", http.StatusFound)
		}, "", Redirect, "HTTP 302: only redirects within the host are followed"},
		{"a connection that breaks", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "", Unreachable, "the connection broke, or the answer is not HTTP"},
		{"half a body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		}, "", Unreachable, "the connection broke, or the answer is not HTTP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body, f := get(t, t.Context(), serve(t, c.answer)+"/topsecret?key=topsecret")
			requireReason(t, c.reason, f)
			require.Equal(t, c.body, string(body))
			if f != nil {
				require.Equal(t, c.text, f.Text)
			}
		})
	}
}

func TestFetchWithoutAServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, f := get(t, t.Context(), fmt.Sprintf("http://user:topsecret@%s/topsecret", l.Addr()))
	requireReason(t, Unreachable, f)
	require.Contains(t, f.Text, "connection refused")
	require.NotContains(t, f.Text, "topsecret")
}

func TestFetchTellsACertificateThatCannotBeVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	_, f := get(t, t.Context(), server.URL)
	requireReason(t, Unreachable, f)
	require.Equal(t, "the certificate cannot be verified", f.Text)
}

func TestFetchEndsInTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, f := get(t, ctx, address)
	requireReason(t, Timeout, f)
}

func TestFetchSendsTheCredentialsOfTheAddress(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		seen <- user + " " + password + " " + r.URL.RequestURI() + " " + r.Header.Get("Accept-Encoding")
	})
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User, u.Path, u.RawQuery = url.UserPassword("me", "pass"), "/p", "k=v"
	_, f := get(t, t.Context(), u.String())
	require.Nil(t, f)
	require.Equal(t, "me pass /p?k=v ", <-seen, "and asks for no compression")
}
