package config

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// bifrostChainKeys are Bifrost's own keys of a chain (BifrostChainConfiguration
// in THORNode's config/config.go). They may stand beside ours and are not read.
var bifrostChainKeys = []string{
	"aggregator_max_gas_multiplier", "api_host", "authorization_bearer", "block_scanner", "chain_host", "chain_id", "chain_network",
	"cosmos_chain_id", "cosmos_grpc_host", "cosmos_grpc_tls", "disable_tls", "disabled", "evm", "http_post_mode",
	"max_pending_nonces", "max_rpc_retries", "mempool_tx_id_cache_size", "min_confirmations", "opt_to_retire",
	"parallel_mempool_scan", "password", "rpc_host", "scanner_leveldb", "solvency_blocks", "token_max_gas_multiplier", "username", "utxo",
}

// chains finds and reads the chains: at the top level of a file of our own, or
// below "bifrost" in a larger Bifrost configuration, whose other keys are not
// ours. It is nil after a mistake that leaves nothing to read.
func (r *reader) chains(document *yaml.Node) *value {
	if document.Kind != yaml.MappingNode {
		r.mistake(place{line: document.Line, column: document.Column}, "the file is "+nodeWords(document)+", not a mapping", "it needs chains:")
		return nil
	}
	bifrost, own := topLevel(document, "bifrost"), topLevel(document, "chains")
	switch {
	case bifrost == nil:
		return r.read(document, file, "").get("chains")
	case own != nil:
		r.mistake(place{own.Line, own.Column, "chains"}, "chains stand at the top level and bifrost beside them", "keep one of the two")
		return nil
	}
	return r.bifrostChains(bifrost)
}

// topLevel is the value of a key of the document, found without judging the
// others.
func topLevel(document *yaml.Node, name string) *yaml.Node {
	pairs, _ := (&reader{}).pairs(document, &value{})
	for _, p := range pairs {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

// bifrostChains reads those chains of a Bifrost configuration that have
// providers or a policy; the others are left to Bifrost.
func (r *reader) bifrostChains(n *yaml.Node) *value {
	outer := &value{at: place{n.Line, n.Column, "bifrost"}}
	if n = r.follow(n); isNull(n) {
		r.mistake(outer.below("chains"), "it is missing", "the chains stand below it")
		return nil
	}
	pairs, ok := r.pairs(n, outer)
	if !ok {
		return nil
	}
	at := slices.IndexFunc(pairs, func(p pair) bool { return p.name == "chains" })
	if at < 0 {
		r.mistake(outer.below("chains"), "it is missing", "the chains stand below it")
		return nil
	}
	n = pairs[at].value
	table := file.child("chains")
	all := &value{at: place{n.Line, n.Column, "bifrost.chains"}, from: table, members: map[string]*value{}}
	if n = r.follow(n); isNull(n) {
		return all
	}
	if pairs, ok = r.pairs(n, all); !ok {
		return nil
	}
	r.foreign = map[*branch][]string{table.each: bifrostChainKeys}
	for _, p := range pairs {
		if !r.ours(p.value) {
			continue
		}
		all.members[p.name] = r.read(p.value, table.each, join(all.at.path, shown(p.name)))
		all.names = append(all.names, p.name)
	}
	return all
}

// follow is what an alias stands for.
func (r *reader) follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// ours says whether a chain of a Bifrost configuration has a list of providers
// or a policy. Mistakes in foreign chains are not looked for.
func (r *reader) ours(n *yaml.Node) bool {
	quiet := &reader{}
	pairs, ok := quiet.pairs(r.follow(n), &value{})
	return ok && slices.ContainsFunc(pairs, func(p pair) bool { return p.name == "providers" || p.name == "failover" })
}
