package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newSolana(config.Chain, config.Provider) Dialect { return evm{} }
