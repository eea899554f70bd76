package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newTron(config.Chain, config.Provider) Dialect { return evm{} }
