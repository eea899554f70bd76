package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newBitcoin(config.Chain, config.Provider) Dialect { return evm{} }
