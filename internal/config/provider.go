package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// site is a provider with the place where it stands.
type site struct {
	Provider
	at *value
}

// providers makes the providers of a chain, disabled ones checked and left out.
func (b *builder) providers(v *value, chain string, kind Kind) []site {
	list := v.get("providers")
	if list == nil || list.broken {
		return nil
	}
	if len(list.items) == 0 {
		b.mistake(list.at, "the chain has no providers", "add at least one")
		return nil
	}
	var sites []site
	names := map[string]int{}
	priority, disabled := 0, 0
	for i, item := range list.items {
		if item.broken {
			continue
		}
		p := b.provider(item, chain, kind)
		priority = int(item.get("priority").numberOr(int64(priority + 1)))
		p.Priority = priority
		b.checkName(item.get("name"), i, names)
		if item.get("disabled").flagOr(false) {
			disabled++
			continue
		}
		sites = append(sites, site{p, item})
	}
	if disabled == len(list.items) {
		b.mistake(list.at, "all providers of the chain are disabled", "enable one, or remove the chain")
	}
	return sites
}

// checkName refuses a name that another provider of the chain has.
func (b *builder) checkName(name *value, index int, names map[string]int) {
	if !name.set() {
		return
	}
	if first, twice := names[name.text]; twice {
		b.mistake(name.at, fmt.Sprintf("the name is taken by providers[%d]", first), "names are unique in a chain")
		return
	}
	names[name.text] = index
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
	b.checkCredentials(v)
	if o := v.get("operator"); o.set() {
		p.Operator = o.text
		if len(o.text) > 128 || strings.ContainsFunc(o.text, unicode.IsControl) {
			b.blame(o, "it is not usable as a label", "one line of 128 bytes at most")
		}
	}
	for _, c := range v.get("capabilities").list() {
		if c.set() && !slices.Contains(p.Capabilities, c.text) {
			p.Capabilities = append(p.Capabilities, c.text)
		}
	}
	return p
}

// checkCredentials refuses credentials in the URL beside others: one request
// carries one Authorization header.
func (b *builder) checkCredentials(v *value) {
	address, http := v.get("rpc_host"), v.get("http")
	if !address.set() || !http.set() || address.address.Reveal().User == nil {
		return
	}
	for _, name := range []string{"basic_auth", "authorization", "oauth2", "bearer_token", "bearer_token_file"} {
		if http.get(name) != nil {
			b.mistake(http.get(name).at, "the URL of rpc_host has credentials too", "keep one of the two")
		}
	}
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
	if p.Type == BlockchairREST && v.get("rpc_host").set() {
		b.checkBlockchair(v.get("rpc_host"), chain, kind)
	}
}

// checkBlockchair refuses a chain that Blockchair does not serve, unless the URL
// names one by itself. A path that is not Blockchair's own, as behind a proxy,
// is the operator's matter.
func (b *builder) checkBlockchair(address *value, chain string, kind Kind) {
	path := strings.Trim(address.address.Reveal().Path, "/")
	if path == "" {
		path, _ = BlockchairPath(chain)
	}
	served, ok := blockchairKind(path)
	switch {
	case path == "" || ok && served != kind:
		b.blame(address, "Blockchair does not serve "+shown(chain)+" as a chain of kind "+string(kind), "write Blockchair's own name of the chain as the path, such as https://api.blockchair.com/bitcoin")
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
