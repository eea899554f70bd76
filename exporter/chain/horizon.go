package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newHorizon(config.Chain, config.Provider) Dialect { return evm{} }
