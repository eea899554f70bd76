package api

import (
	"slices"

	"github.com/understudy-rpc/understudy/controller/wire"
	"github.com/understudy-rpc/understudy/internal/config"
)

// hidden is an address as anybody may see it: scheme and host. What is no
// address is hidden altogether.
func hidden(address string) string {
	u, err := config.ParseURL(address)
	if err != nil {
		return ""
	}
	return u.String()
}

// shownActive is an answer as a caller may see it, with lists that are never
// null.
func shownActive(a wire.Active, whole bool) wire.Active {
	if !whole {
		a.RPCHost = hidden(a.RPCHost)
	}
	a.Fallbacks, a.Capabilities = list(a.Fallbacks), list(a.Capabilities)
	return a
}

// shownActives is the same for all chains.
func shownActives(l wire.ActiveList, whole bool) wire.ActiveList {
	chains := make([]wire.Active, len(l.Chains))
	for i, a := range l.Chains {
		chains[i] = shownActive(a, whole)
	}
	return wire.ActiveList{Index: l.Index, Chains: chains}
}

// shownChain is a chain as a caller may see it. What the View gave stays as it
// is: others may be reading it.
func shownChain(c wire.Chain, whole bool) wire.Chain {
	c.Providers = slices.Clone(list(c.Providers))
	c.Alerts = list(c.Alerts)
	for i, p := range c.Providers {
		c.Providers[i] = shownProvider(p, whole)
	}
	return c
}

// shownProvider is a provider as a caller may see it.
func shownProvider(p wire.Provider, whole bool) wire.Provider {
	if !whole {
		p.RPCHost = hidden(p.RPCHost)
	}
	p.Alerts, p.Capabilities = list(p.Alerts), list(p.Capabilities)
	return p
}

// list is a list that JSON shows as one also when it is empty.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
