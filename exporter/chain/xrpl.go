package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newXRPL(config.Chain, config.Provider) Dialect { return evm{} }
