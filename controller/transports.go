package controller

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"time"

	commoncfg "github.com/prometheus/common/config"

	"github.com/understudy-rpc/understudy/controller/observation"
	"github.com/understudy-rpc/understudy/internal/config"
)

// idleTimeout is how long a connection to a provider is kept without a request,
// so that an address which has changed is looked up again.
const idleTimeout = 90 * time.Second

// transports send the gateway's requests with the providers' own credentials.
type transports struct {
	mu sync.RWMutex
	by map[observation.Key]transport
	// before are those of the configuration before, by which chains are served until
	// they are decided anew.
	before map[observation.Key]transport
}

// transport is one of them, and what it was made from.
type transport struct {
	made   commoncfg.HTTPClientConfig
	client *http.Client
}

// of is the transport of a provider as it is configured; nil if there is none. The
// credentials of another configuration are for another vendor, maybe, though the
// name is the same.
func (t *transports) of(chain string, p config.Provider) http.RoundTripper {
	t.mu.RLock()
	defer t.mu.RUnlock()
	key := observation.Key{Chain: chain, Provider: p.Name}
	for _, by := range []map[observation.Key]transport{t.by, t.before} {
		if one, ok := by[key]; ok && reflect.DeepEqual(one.made, p.HTTP) {
			return one.client.Transport
		}
	}
	return nil
}

// apply makes the transports of all configured providers. One whose settings are
// the same is kept with its connections. The error names those that cannot be
// made; the others are in force.
func (t *transports) apply(cfg config.Config) []error {
	var wrong []error
	next := map[observation.Key]transport{}
	t.mu.Lock()
	before := t.by
	for _, chain := range cfg.Chains {
		for _, p := range chain.Providers {
			key := observation.Key{Chain: chain.Name, Provider: p.Name}
			one, known := before[key]
			if !known || !reflect.DeepEqual(one.made, p.HTTP) {
				client, err := commoncfg.NewClientFromConfig(p.HTTP, "gateway", commoncfg.WithIdleConnTimeout(idleTimeout))
				if err != nil {
					wrong = append(wrong, fmt.Errorf("chain %s, provider %s: http: %w", chain.Name, p.Name, err))
					continue
				}
				one = transport{p.HTTP, client}
			}
			next[key] = one
		}
	}
	t.by, t.before = next, before
	t.mu.Unlock()
	for key, old := range before {
		if now, still := next[key]; !still || now.client != old.client {
			old.client.CloseIdleConnections()
		}
	}
	return wrong
}

// close lets go of idle connections.
func (t *transports) close() {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, by := range []map[observation.Key]transport{t.by, t.before} {
		for _, one := range by {
			one.client.CloseIdleConnections()
		}
	}
}
