package console

import (
	"slices"

	"github.com/understudy-rpc/understudy/controller/wire"
)

// Redact is a chain whose addresses are scheme and host: a controller gives them
// whole to those who may know them, and what is printed goes further than that.
func Redact(c wire.Chain) wire.Chain {
	c.Providers = slices.Clone(c.Providers)
	for i := range c.Providers {
		c.Providers[i].RPCHost = host(c.Providers[i].RPCHost)
	}
	return c
}
