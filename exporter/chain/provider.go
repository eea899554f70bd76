package chain

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Provider asks one configured provider. It is safe for use by several
// goroutines; each question is a talk of its own. It prints as the names of
// chain and provider.
type Provider struct {
	chainName, name string
	kind            config.Kind
	typ             config.Type
	dialect         Dialect
	want            string
	checkpoint      *config.Checkpoint
	declared        []string
	step            uint64

	access      *access
	timeout     time.Duration
	unsupported unsupported
	lastID      atomic.Uint64
	http        *connections
}

// New makes what asks a provider of a chain. It holds no connection between
// questions and needs no closing. Its errors name chain and provider.
func New(c config.Chain, p config.Provider) (*Provider, error) {
	newDialect, ok := dialects[p.Type]
	if !ok {
		return nil, fmt.Errorf("chain %q: provider %q: unknown type %q", c.Name, p.Name, p.Type)
	}
	provider := &Provider{
		chainName: c.Name, name: p.Name, kind: c.Kind, typ: p.Type,
		dialect: newDialect(c, p), checkpoint: c.Checkpoint, declared: p.Capabilities,
		step: max(c.Failover.MaxBlockLead, 1), access: newAccess(p),
		timeout: c.Failover.RequestTimeout,
	}
	var err error
	if provider.http, err = newConnections(p, c.Failover.RequestTimeout); err != nil {
		return nil, fmt.Errorf("chain %q: provider %q: %w", c.Name, p.Name, err)
	}
	if !c.Network.Any {
		provider.want = c.Network.Value
	}
	// Requests must differ across restarts too, or a cache could answer them.
	provider.lastID.Store(uint64(time.Now().UnixMilli()) % 1e9 * 1e3)
	return provider, nil
}

// Format prints chain and provider for every verb.
func (p *Provider) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "%s/%s", p.chainName, p.name) }

// LogValue is what slog prints.
func (p *Provider) LogValue() slog.Value { return slog.StringValue(p.chainName + "/" + p.name) }

// Block asks for one block.
func (p *Provider) Block(ctx context.Context, height uint64, transactions bool) (Block, error) {
	s := p.session()
	defer s.end()
	s.wantBlock()
	return p.dialect.Block(ctx, s, height, transactions)
}

// Cost is the number of requests that each question takes.
func (p *Provider) Cost() config.Cost { return p.dialect.Cost() }

// nextID is a request id that was not used before.
func (p *Provider) nextID() uint64 { return p.lastID.Add(1) }
