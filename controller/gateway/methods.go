package gateway

import (
	"slices"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Methods says which methods go through, beside the default, which refuses what
// moves keys, stops nodes or costs a node much. A name is a JSON-RPC method, or a
// path of a REST type with its leading slash; at its end a * stands for anything.
// Case does not matter. The longest match counts, and Allow before Deny.
type Methods struct {
	// Allow lets through what the default refuses.
	Allow []string
	// Deny refuses what the default lets through; "*" refuses all that Allow does
	// not name.
	Deny []string
}

// policy is what is let through to a chain.
type policy struct {
	// names are exact ones, prefixes those that ended in *, longest first.
	names    map[string]ruling
	prefixes []prefixRuling
}

type ruling struct {
	// allowed and denied: somebody says so. Neither: nobody says anything.
	allowed, denied bool
	// unsafe: it changes something, and asking a second provider would change it
	// twice or elsewhere.
	unsafe bool
}

type prefixRuling struct {
	prefix string
	ruling
}

// newPolicy lays an operator's lists over the defaults of a family.
func newPolicy(kind config.Kind, m Methods) *policy {
	p := &policy{names: map[string]ruling{}}
	p.add(deniedMethods[kind], func(ruling) ruling { return ruling{denied: true, unsafe: true} })
	if kind == config.Tron {
		// Its nodes speak the methods of EVM as well, below /jsonrpc.
		p.add(deniedMethods[config.EVM], func(ruling) ruling { return ruling{denied: true, unsafe: true} })
	}
	p.add(m.Deny, func(r ruling) ruling { r.denied = true; return r })
	for _, pattern := range m.Allow {
		name := strings.ToLower(pattern)
		unsafe := p.rule(strings.TrimSuffix(name, "*")).unsafe
		p.add([]string{name}, func(ruling) ruling { return ruling{allowed: true, unsafe: unsafe} })
	}
	slices.SortStableFunc(p.prefixes, func(a, b prefixRuling) int { return len(b.prefix) - len(a.prefix) })
	return p
}

func (p *policy) add(patterns []string, set func(ruling) ruling) {
	for _, pattern := range patterns {
		name := strings.ToLower(pattern)
		prefix, open := strings.CutSuffix(name, "*")
		if !open {
			p.names[name] = set(p.names[name])
			continue
		}
		i := slices.IndexFunc(p.prefixes, func(r prefixRuling) bool { return r.prefix == prefix })
		if i < 0 {
			i = len(p.prefixes)
			p.prefixes = append(p.prefixes, prefixRuling{prefix: prefix})
		}
		p.prefixes[i].ruling = set(p.prefixes[i].ruling)
	}
}

// rule is what is said about a method in lower case.
func (p *policy) rule(name string) ruling {
	if r, ok := p.names[name]; ok {
		return r
	}
	best := -1
	for i, r := range p.prefixes {
		if strings.HasPrefix(name, r.prefix) && (best < 0 || len(r.prefix) > len(p.prefixes[best].prefix)) {
			best = i
		}
	}
	if best < 0 {
		return ruling{}
	}
	return p.prefixes[best].ruling
}

// risk is what may be done with a request that one provider did not answer.
type risk uint8

const (
	// read: ask anybody.
	read risk = iota
	// signed: a signed transaction. Others may be given the same bytes, since a
	// chain takes it once.
	signed
	// unsafe: carried out twice it does harm. Others are asked only if the first
	// one certainly did nothing.
	unsafe
)

// look is what the policy says of a method or path.
func (p *policy) look(kind config.Kind, method string) (risk, bool) {
	name := strings.ToLower(method)
	if versioned := strings.TrimPrefix(name, cometVersion); kind == config.Cosmos && strings.HasPrefix(versioned, "/") {
		name = versioned
	}
	r := p.rule(name)
	switch {
	case r.unsafe:
		return unsafe, r.denied
	case slices.Contains(signedMethods[kind], name):
		return signed, r.denied
	}
	return read, r.denied
}

// rpcPath says whether a JSON-RPC request may go to a path below the provider's
// URL. CometBFT has its methods there; others have doors there that nobody asked
// for, unless the configuration names them.
func (p *policy) rpcPath(kind config.Kind, path string) bool {
	switch {
	case path == "" || path == "/" || kind == config.Tron && path == tronRPC:
		return true
	case kind == config.Cosmos:
		_, denied := p.look(kind, path)
		return !denied
	}
	return p.rule(strings.ToLower(path)).allowed
}

// signedMethods send what is signed already, in lower case.
var signedMethods = map[config.Kind][]string{
	config.Bitcoin: {"sendrawtransaction", "submitpackage", "/tx", "/txs/package", "/push/transaction"},
	config.EVM:     {"eth_sendrawtransaction", "eth_sendrawtransactionsync", "eth_sendrawtransactionconditional", "eth_sendprivatetransaction", "eth_sendbundle", "/push/transaction"},
	config.Cosmos:  {"broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit", "broadcast_evidence", "/broadcast_tx_sync", "/broadcast_tx_async", "/broadcast_tx_commit", "/broadcast_evidence", "/cosmos/tx/v1beta1/txs"},
	config.XRPL:    {"submit", "submit_multisigned", "/push/transaction"},
	config.Tron:    {"/wallet/broadcasttransaction", "/wallet/broadcasthex", "eth_sendrawtransaction"},
	config.Solana:  {"sendtransaction", "sendbundle"},
	config.Stellar: {"sendtransaction", "/transactions", "/transactions_async", "/push/transaction"},
}
