package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newCometBFT(config.Chain, config.Provider) Dialect { return evm{} }
