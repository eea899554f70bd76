package client_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-rpc/understudy/client"
)

// fakeProviders are reached without a network. Each host answers with its name
// unless a test says otherwise.
type fakeProviders struct {
	mu sync.Mutex
	// does is what a host does instead; what it returns without an error is its
	// answer.
	does map[string]func(*http.Request) (*http.Response, error)
	sent []*http.Request
	// texts are the bodies that arrived.
	texts []string
}

func (p *fakeProviders) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	p.sent = append(p.sent, r)
	does := p.does[r.URL.Hostname()]
	p.mu.Unlock()
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	if does != nil {
		return does(r)
	}
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.texts = append(p.texts, string(text))
		p.mu.Unlock()
	}
	return response(http.StatusOK, strings.TrimSuffix(r.URL.Hostname(), ".example")), nil
}

// set says what a provider does from now on; nil: it answers.
func (p *fakeProviders) set(name string, does func(*http.Request) (*http.Response, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.does == nil {
		p.does = map[string]func(*http.Request) (*http.Response, error){}
	}
	p.does[name+".example"] = does
}

// hosts are the providers that were tried since the last call.
func (p *fakeProviders) hosts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, r := range p.sent {
		all = append(all, strings.TrimSuffix(r.URL.Hostname(), ".example"))
	}
	p.sent = nil
	return all
}

// received are the bodies that arrived.
func (p *fakeProviders) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.texts)
}

func response(status int, text string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
}

// fails is a provider with which each attempt ends in an error, before or after
// its body was taken.
func fails(err error, takes bool) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if takes && r.Body != nil {
			if _, bad := io.Copy(io.Discard, r.Body); bad != nil {
				return nil, bad
			}
		}
		return nil, err
	}
}

func refuses(r *http.Request) (*http.Response, error) {
	return nil, &dialError{host: r.URL.Host}
}

// following makes a client that knows its fallbacks, and a transport.
func following(t *testing.T, f *fakeController, o client.TransportOptions) (*client.Transport, *fakeProviders, *client.Client) {
	t.Helper()
	p := &fakeProviders{}
	o.Base = p
	c := newClient(t, f, client.Options{})
	return c.Transport("btc", o), p, c
}
