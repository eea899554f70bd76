package simulator

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Software is which program a provider imitates, where programs of one type
// differ.
type Software string

// The programs of bitcoin-rpc. The default is the family of Bitcoin Core.
const (
	SoftwareDefault Software = ""
	SoftwareBtcd    Software = "btcd"
)

// ProviderOptions describe a provider. Name and Type are needed.
type ProviderOptions struct {
	// Name is the provider's name, and its path on a shared port.
	Name string `json:"name"`
	// Type is the protocol.
	Type     config.Type `json:"type"`
	Software Software    `json:"software,omitempty"`
	// Prefix stands before every path, such as /api or a key; what does not
	// begin with it is answered 404.
	Prefix string `json:"prefix,omitempty"`
	// Behaviour is how it begins.
	Behaviour Behaviour `json:"behaviour,omitzero"`
	// Script, if it has phases, is followed in place of Behaviour, from the
	// chain's start.
	Script Script `json:"script,omitzero"`
	// Remember is how many requests are remembered. 0 is 256; below zero
	// switches recording off, for a benchmark.
	Remember int `json:"remember,omitempty"`
	// Sleep waits for a latency. Nil waits by a timer; it has to return when
	// the context ends.
	Sleep func(ctx context.Context, d time.Duration) error `json:"-"`
}

// Provider answers for one chain in one dialect. It is an http.Handler, and its
// methods may be called at the same time.
type Provider struct {
	options  ProviderOptions
	chain    *Chain
	dialect  dialect
	recorder recorder
	limiter  limiter
	play     atomic.Pointer[play]

	mu sync.Mutex
	// listeners are told when the behaviour changes.
	listeners []*listener
}

// NewProvider makes a provider of a chain. One whose type has no dialect
// answers 501 to everything.
func NewProvider(c *Chain, options ProviderOptions) *Provider {
	if options.Sleep == nil {
		options.Sleep = sleep
	}
	if options.Remember == 0 {
		options.Remember = 256
	}
	p := &Provider{options: options, chain: c, dialect: dialects[options.Type]}
	if p.dialect == nil {
		p.dialect = unknownDialect{}
	}
	p.recorder.size = options.Remember
	script := options.Script
	if len(script.Phases) == 0 {
		script.Phases = []Phase{{Behaviour: options.Behaviour}}
	}
	p.play.Store(newPlay(script, c.Start()))
	return p
}

// Name is the provider's name.
func (p *Provider) Name() string { return p.options.Name }

// Type is the provider's protocol.
func (p *Provider) Type() config.Type { return p.options.Type }

// Chain is the chain that the provider answers for.
func (p *Provider) Chain() *Chain { return p.chain }

// SetBehaviour ends the script, if there is one, and behaves like this from
// now on. When it returns, a port that has to be closed or opened is.
func (p *Provider) SetBehaviour(b Behaviour) {
	p.Play(Script{Phases: []Phase{{Behaviour: b}}})
}

// Play follows a script from now on.
func (p *Provider) Play(s Script) {
	p.play.Store(newPlay(s, p.chain.Now()))
	p.mu.Lock()
	listeners := slices.Clone(p.listeners)
	p.mu.Unlock()
	for _, l := range listeners {
		l.behaviourChanged()
	}
}

// Behaviour is how the provider behaves now.
func (p *Provider) Behaviour() Behaviour {
	b, _ := p.play.Load().current(p.chain.Now())
	return *b
}

// Height is the height that the provider reports now. With several backends it
// is the first one's.
func (p *Provider) Height() uint64 { return p.look().tip }

// Hash is the provider's hash of a height.
func (p *Provider) Hash(height uint64) Hash { return p.look().hash(height) }

// look is the view of somebody who is not a request.
func (p *Provider) look() *view {
	now := p.chain.Now()
	b, since := p.play.Load().current(now)
	return newView(p.chain, b, p.options.Software, now, since, 0)
}

// ServeHTTP answers one request.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.serve(w, r, r.URL.Path) }

// serve answers a request for a path, which is without the prefix of a shared
// port.
func (p *Provider) serve(w http.ResponseWriter, httpRequest *http.Request, path string) {
	path, ours := p.within(path)
	r, err := readRequest(httpRequest, path)
	if err != nil {
		return
	}
	now := p.chain.Now()
	n := p.recorder.add(now, r)
	b, since := p.play.Load().current(now)
	b = b.turn(n)
	if wait := b.wait(n); wait > 0 {
		if p.options.Sleep(httpRequest.Context(), wait) != nil {
			return
		}
		now = p.chain.Now()
	}
	if b.withoutAnswer(w, httpRequest) {
		return
	}
	answer := textReply(http.StatusNotFound, "404 page not found\n")
	if ours {
		answer = p.answer(b, r, now, since, n)
	}
	b.deliver(w, httpRequest, answer, p.options.Sleep)
}

// within is a path without the provider's prefix. ok is false for a path that
// is not under it.
func (p *Provider) within(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, p.options.Prefix)
	switch {
	case ok && rest == "":
		return "/", true
	case ok && rest[0] == '/':
		return rest, true
	default:
		return path, false
	}
}

// answer is the answer to a request that arrives.
func (p *Provider) answer(b *Behaviour, r *request, now, since time.Time, n uint64) reply {
	if refused := p.limiter.refuse(b.RateLimit, r, now); refused != nil {
		return *refused
	}
	if b.Auth != nil && !b.Auth.admits(r.header) {
		return b.Auth.refusal(p.options)
	}
	if given := b.given(r); given != nil {
		return given.reply(r, now)
	}
	return p.dialect.answer(newView(p.chain, b, p.options.Software, now, since, n), r)
}

// given is the set answer to the request as a whole.
func (b *Behaviour) given(r *request) *Answer {
	if b.Respond != nil {
		return b.Respond.resolved()
	}
	for name, answer := range b.Methods {
		if a := answer.resolved(); r.asks(name) && (!r.batch || !a.perItem()) {
			return a
		}
	}
	return nil
}

// turn is the behaviour of request n in a cycle.
func (b *Behaviour) turn(n uint64) *Behaviour {
	if b.Flaky == nil || b.Flaky.Good < 0 || b.Flaky.Bad <= 0 {
		return b
	}
	if n%uint64(b.Flaky.Good+b.Flaky.Bad) < uint64(b.Flaky.Good) {
		return b
	}
	return &b.Flaky.Then
}

// wait is the latency of request n. The jitter repeats from run to run.
func (b *Behaviour) wait(n uint64) time.Duration {
	wait := b.Latency
	if b.LatencyJitter > 0 {
		// The multiplier of Knuth's multiplicative hashing spreads the numbers.
		wait += time.Duration(n*2654435761%1000) * b.LatencyJitter / 1000
	}
	return wait
}

// sleep waits by a timer.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// forget drops a listener that is closed.
func (p *Provider) forget(l *listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners = slices.DeleteFunc(p.listeners, func(other *listener) bool { return other == l })
}
