package config

import (
	"fmt"
	"strings"
	"unicode"
)

// providers makes the providers of a chain, disabled ones checked and left out.
func (b *builder) providers(v *value, chain string, kind Kind) []Provider {
	list := v.get("providers")
	if list == nil || list.broken {
		return nil
	}
	if len(list.items) == 0 {
		b.mistake(list.at, "the chain has no providers", "add at least one")
		return nil
	}
	var providers []Provider
	names := map[string]int{}
	priority := 0
	disabled := 0
	for i, item := range list.items {
		if item.broken {
			continue
		}
		p := b.provider(item, chain, kind)
		priority++
		priority = int(item.get("priority").numberOr(int64(priority)))
		p.Priority = priority
		if p.Name != "" {
			if first, twice := names[p.Name]; twice {
				b.mistake(item.get("name").at, "the name is taken by "+fmt.Sprintf("providers[%d]", first), "names are unique in a chain")
			} else {
				names[p.Name] = i
			}
		}
		if item.get("disabled").flagOr(false) {
			disabled++
			continue
		}
		providers = append(providers, p)
	}
	if disabled == len(list.items) {
		b.mistake(list.at, "all providers of the chain are disabled", "enable one, or remove the chain")
	}
	return providers
}

// provider makes one provider; its priority depends on those before it.
func (b *builder) provider(v *value, chain string, kind Kind) Provider {
	p := Provider{
		Name:                v.get("name").textOr(""),
		Type:                Type(v.get("type").textOr("")),
		HealthCheckInterval: v.get("health_check_interval").spanOr(0),
		HTTP:                b.http(v.get("http")),
	}
	if address := v.get("rpc_host"); address.set() {
		p.RPCHost = address.address
		p.Operator = defaultOperator(p.RPCHost)
	}
	b.checkType(v, p, chain, kind)
	if o := v.get("operator"); o.set() {
		p.Operator = o.text
		if len(o.text) > 128 || strings.ContainsFunc(o.text, unicode.IsControl) {
			b.blame(o, "it is not usable as a label", "one line of 128 bytes at most")
		}
	}
	for _, c := range v.get("capabilities").list() {
		if c.set() {
			p.Capabilities = append(p.Capabilities, c.text)
		}
	}
	return p
}

// checkType checks that a provider's type belongs to its chain.
func (b *builder) checkType(v *value, p Provider, chain string, kind Kind) {
	at := v.get("type")
	if !at.set() || kind == "" {
		return
	}
	if own := p.Type.Kind(); own != "" && own != kind {
		b.blame(at, fmt.Sprintf("%s speaks to chains of kind %s, but %s is of kind %s", p.Type, own, chain, kind),
			fmt.Sprintf("%s is possible, or another kind: for the chain", alternatives(typesOf(kind))))
	}
	if p.Type != BlockchairREST || !v.get("rpc_host").set() {
		return
	}
	if _, served := BlockchairPath(chain); !served && strings.Trim(p.RPCHost.Reveal().Path, "/") == "" {
		b.blame(v.get("rpc_host"), "Blockchair has no chain of the name "+shown(chain), "write its own name for it as the path, such as https://api.blockchair.com/bitcoin")
	}
}

// typesOf are the provider types of a family.
func typesOf(kind Kind) []string {
	var words []string
	for _, t := range Types {
		if t.Kind() == kind {
			words = append(words, string(t))
		}
	}
	return words
}
