package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newCosmosREST(config.Chain, config.Provider) Dialect { return evm{} }
