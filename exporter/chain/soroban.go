package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newSoroban(config.Chain, config.Provider) Dialect { return evm{} }
