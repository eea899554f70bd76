package chain

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Provider asks one configured provider. It is safe for use by several
// goroutines; each question is a talk of its own.
type Provider struct {
	chainName, name string
	kind            config.Kind
	typ             config.Type
	dialect         Dialect
	want            string
	checkpoint      *config.Checkpoint
	declared        []string
	step            uint64

	base        *url.URL
	plain       string
	userinfo    string
	secrets     *strings.Replacer
	http        *http.Client
	timeout     time.Duration
	unsupported unsupported
	lastID      atomic.Uint64
}

// New makes what asks a provider of a chain. It opens no connection. Its errors
// name chain and provider.
func New(c config.Chain, p config.Provider) (*Provider, error) {
	make, ok := dialects[p.Type]
	if !ok {
		return nil, fmt.Errorf("chain %q: provider %q: unknown type %q", c.Name, p.Name, p.Type)
	}
	client, err := newHTTPClient(p, c.Failover.RequestTimeout)
	if err != nil {
		return nil, fmt.Errorf("chain %q: provider %q: %w", c.Name, p.Name, err)
	}
	base := p.RPCHost.Reveal()
	provider := &Provider{
		chainName: c.Name, name: p.Name, kind: c.Kind, typ: p.Type,
		dialect: make(c, p), checkpoint: c.Checkpoint, declared: p.Capabilities,
		step: max(c.Failover.MaxBlockLead, 1), base: base, http: client,
		timeout: c.Failover.RequestTimeout, secrets: scrubber(p),
	}
	if !c.Network.Any {
		provider.want = c.Network.Value
	}
	if base.User != nil {
		// Moved out of the URL, so that no error of net/http can repeat it.
		password, _ := base.User.Password()
		provider.userinfo = "Basic " + base64.StdEncoding.EncodeToString([]byte(base.User.Username()+":"+password))
		base.User = nil
	}
	provider.plain = base.String()
	// Requests must differ across restarts too, or a cache could answer them.
	provider.lastID.Store(uint64(time.Now().UnixMilli()) % 1e9 * 1e3)
	return provider, nil
}

// Ask says what a probe shall find out beyond the tip.
type Ask struct {
	Identity, Hints, Capabilities bool
	// Previous is the last good tip of this provider, or the zero Tip.
	Previous Tip
}

// Observe is one probe. The observation holds the exchanges, and whatever was
// found out before it failed, also with an error; the error is a *Failure or a
// *NoVerdict.
func (p *Provider) Observe(ctx context.Context, ask Ask) (Observation, error) {
	s := p.session()
	var o Observation
	err := p.observe(ctx, s, ask, &o)
	o.Exchanges, o.CertificateExpiry = s.exchanges, s.expiry
	return o, err
}

// observe asks for the tip and then for what else is due.
func (p *Provider) observe(ctx context.Context, s *Session, ask Ask, o *Observation) error {
	tip, err := p.dialect.Tip(ctx, s, ask.Previous)
	o.Latency = heightLatency(s.exchanges)
	if err != nil {
		return err
	}
	o.Tip, o.HasTip, o.Identity = tip, true, tip.Network
	// A break in the chain may mean that another network answers now.
	if !ask.Identity && ask.Previous.Height > 0 && !tip.Follows(ask.Previous, p.step) {
		ask.Identity = true
	}
	if ask.Identity {
		if err := p.identify(ctx, s, o); err != nil {
			return err
		}
	}
	if ask.Hints {
		if err := p.hint(ctx, s, o); err != nil {
			return err
		}
	}
	if ask.Capabilities {
		return p.verify(ctx, s, o)
	}
	return nil
}

// identify asks for the network, unless the tip told it, and for the block at
// the checkpoint.
func (p *Provider) identify(ctx context.Context, s *Session, o *Observation) error {
	if o.Identity == "" || isGenesis(p.want, o.Identity) {
		network, err := p.dialect.Identity(ctx, s, p.want)
		if err != nil {
			return err
		}
		o.Identity = network
	}
	if p.checkpoint == nil || o.Height < p.checkpoint.Height {
		return nil
	}
	block, err := p.dialect.Block(ctx, s, p.checkpoint.Height, false)
	switch {
	case err == nil:
		o.OffCheckpoint = Some(block.Hash != p.checkpoint.Hash)
	case errors.Is(err, ErrPruned), errors.Is(err, ErrSkipped), reasonOf(err) == Missing:
		// It cannot be told from this provider.
	default:
		return err
	}
	return nil
}

// isGenesis says whether a genesis hash is wanted where the tip told a name.
func isGenesis(want, told string) bool { return len(want) == 64 && len(told) != 64 }

// hint asks for self-reports. A provider that does not offer them, or says of
// itself that it is not well, has answered: only what stops the next request as
// well (no answer, a limit) is a failure of the probe.
func (p *Provider) hint(ctx context.Context, s *Session, o *Observation) error {
	h, ok := p.dialect.(Hinter)
	if !ok {
		return nil
	}
	hints, err := h.Hints(ctx, s, o.Tip)
	o.Hints = o.Hints.merge(hints)
	return seriousOnly(err)
}

// verify asks for the declared capabilities.
func (p *Provider) verify(ctx context.Context, s *Session, o *Observation) error {
	p.unsupported.clear()
	v, ok := p.dialect.(CapabilityProber)
	if !ok || len(p.declared) == 0 {
		return nil
	}
	found, err := v.Capabilities(ctx, s, o.Tip, p.declared)
	o.Capabilities = found
	return seriousOnly(err)
}

// seriousOnly passes on the errors that are about the provider as a whole and
// not about one optional question.
func seriousOnly(err error) error {
	switch reasonOf(err) {
	case MethodUnsupported, RPCError, HTTP4xx, Missing, Starting, Syncing, Behind, BadResponse:
		return nil
	}
	return err
}

// Block asks for one block.
func (p *Provider) Block(ctx context.Context, height uint64, transactions bool) (Block, error) {
	s := p.session()
	s.wantBlock()
	return p.dialect.Block(ctx, s, height, transactions)
}

// Cost is the number of requests that each question takes.
func (p *Provider) Cost() config.Cost { return p.dialect.Cost() }

// Close lets go of idle connections.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// heightLatency is the latency of the first exchange that was answered well, or
// of the first at all.
func heightLatency(exchanges []Exchange) time.Duration {
	for _, e := range exchanges {
		if e.Reason == "" && e.Text == "" {
			return e.Latency
		}
	}
	if len(exchanges) > 0 {
		return exchanges[0].Latency
	}
	return 0
}

// nextID is a request id that was not used before.
func (p *Provider) nextID() uint64 { return p.lastID.Add(1) }

// address is the provider's URL with a path and a query added to its own.
func (p *Provider) address(path string, query url.Values) string {
	if path == "" && len(query) == 0 {
		return p.plain
	}
	u := *p.base.JoinPath(path)
	if len(query) > 0 {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += query.Encode()
	}
	return u.String()
}

// authorize adds the credentials that stood in the URL.
func (p *Provider) authorize(r *http.Request) {
	if p.userinfo != "" {
		r.Header.Set("Authorization", p.userinfo)
	}
}

// unsupported remembers the methods that a provider refuses.
type unsupported struct {
	mu      sync.Mutex
	methods map[string]bool
}

func (u *unsupported) has(method string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.methods[method]
}

func (u *unsupported) add(method string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.methods == nil {
		u.methods = map[string]bool{}
	}
	u.methods[method] = true
}

func (u *unsupported) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.methods = nil
}
