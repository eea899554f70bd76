package integrity

import (
	"reflect"
	"sync"

	"github.com/understudy-rpc/understudy/exporter/prober"
	"github.com/understudy-rpc/understudy/internal/config"
)

// maxMissed is how many probes of a provider may end without a verdict, while
// others of its chain tell who they are, before it counts as having had its say.
const maxMissed = 3

// Networks judges which network providers serve. Where the configuration names
// none, what a strict majority of operators says is expected: from when every
// provider of the chain had its say, so that the first to answer does not decide
// alone, and until a strict majority says otherwise. In a tie nobody is judged.
// Its methods are safe for concurrent use.
type Networks struct {
	mu     sync.Mutex
	chains map[string]*electorate
}

var _ prober.Judge = (*Networks)(nil)

// electorate is a chain with what its providers say.
type electorate struct {
	network config.Network
	// expected is "" until it is known.
	expected string
	voters   map[string]*voter
	// waiting is how many voters have had no say yet.
	waiting int
}

// voter is a provider of a chain.
type voter struct {
	spec config.Provider
	// identity is what it last told; "" if nothing yet.
	identity  string
	attempted bool
	// missed is how many of its probes ended without a verdict before it had its
	// say, since somebody told an identity.
	missed int
}

// NewNetworks makes a judge that knows no chain.
func NewNetworks() *Networks { return &Networks{chains: map[string]*electorate{}} }

// Apply sets the chains. What providers told is kept as long as they are asked
// in the same way, and what is expected as long as one who told it is left.
func (n *Networks) Apply(chains []config.Chain) {
	n.mu.Lock()
	defer n.mu.Unlock()
	next := map[string]*electorate{}
	for _, c := range chains {
		next[c.Name] = inherit(n.chains[c.Name], c)
	}
	n.chains = next
}

// inherit takes over from an older definition of a chain, which may be nil.
func inherit(old *electorate, c config.Chain) *electorate {
	e := &electorate{network: c.Network, expected: c.Network.Value, voters: map[string]*voter{}}
	kept := false
	for _, p := range c.Providers {
		v := &voter{spec: p}
		if old != nil && old.voters[p.Name] != nil && asksTheSame(old.voters[p.Name].spec, p) {
			before := old.voters[p.Name]
			v.identity, v.attempted = before.identity, before.attempted && old.votes()
			kept = kept || (v.identity != "" && v.identity == old.expected)
		}
		if !v.attempted {
			e.waiting++
		}
		e.voters[p.Name] = v
	}
	if !e.votes() {
		return e
	}
	if kept && old.votes() {
		e.expected = old.expected
	}
	e.elect()
	return e
}

// asksTheSame says whether two definitions of a provider lead to the same
// answers.
func asksTheSame(a, b config.Provider) bool {
	return a.Type == b.Type && reflect.DeepEqual(a.RPCHost, b.RPCHost) && reflect.DeepEqual(a.HTTP, b.HTTP)
}

// votes says whether what is expected is voted for.
func (e *electorate) votes() bool { return !e.network.Any && e.network.Value == "" }

// elect lets the majority decide, once everybody had a say.
func (e *electorate) elect() {
	if e.waiting > 0 {
		return
	}
	var votes []vote
	for _, v := range e.voters {
		votes = append(votes, vote{v.spec.Operator, v.identity})
	}
	if identity, ok := elect(votes); ok {
		e.expected = identity
	}
}

// Judge says whether a provider that tells an identity serves the right network.
// An empty identity is none, and unknown, but its provider had its say. So is
// every one of a provider that is not configured.
func (n *Networks) Judge(key prober.Key, identity string) prober.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	e, v := n.findLocked(key)
	switch {
	case v == nil:
		return prober.NetworkUnknown
	case e.network.Any:
		return prober.NetworkRight
	case identity == "" && e.votes() && e.attempt(v):
		e.elect()
		return prober.NetworkUnknown
	case identity == "":
		return prober.NetworkUnknown
	}
	if e.votes() {
		changed := v.identity != identity
		v.identity = identity
		if e.attempt(v) || changed {
			e.elect()
		}
	}
	switch e.expected {
	case "":
		return prober.NetworkUnknown
	case identity:
		return prober.NetworkRight
	}
	return prober.NetworkWrong
}

// Attempted notes that a provider had its say without telling an identity, as
// Judge does, so that one that is down does not keep the others unknown.
func (n *Networks) Attempted(key prober.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e, v := n.findLocked(key); v != nil && e.attempt(v) && e.votes() {
		e.elect()
	}
}

// Missed notes that a probe of a provider ended on our own side. That is no say,
// since nothing can be reached from a machine without a network. But once others
// of the chain are reached, one that is not, such as by an address that this
// machine has no way to, must not keep them unknown for ever.
func (n *Networks) Missed(key prober.Key) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e, v := n.findLocked(key)
	if v == nil || v.attempted || !e.votes() || !e.heard() {
		return
	}
	if v.missed++; v.missed >= maxMissed && e.attempt(v) {
		e.elect()
	}
}

// heard says whether any provider has told an identity.
func (e *electorate) heard() bool {
	for _, v := range e.voters {
		if v.identity != "" {
			return true
		}
	}
	return false
}

// attempt notes that a voter had its say, and whether it is the first time.
func (e *electorate) attempt(v *voter) bool {
	if v.attempted {
		return false
	}
	v.attempted = true
	e.waiting--
	return true
}

// Expected is the identity that a chain's providers must prove. It is false
// while none is known, and with network: any.
func (n *Networks) Expected(chain string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.chains[chain]
	if e == nil || e.expected == "" || e.network.Any {
		return "", false
	}
	return e.expected, true
}

func (n *Networks) findLocked(key prober.Key) (*electorate, *voter) {
	e := n.chains[key.Chain]
	if e == nil {
		return nil, nil
	}
	return e, e.voters[key.Provider]
}
