package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newBlockchair(config.Chain, config.Provider) Dialect { return evm{} }
