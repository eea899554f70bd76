package chain

import "github.com/understudy-rpc/understudy/internal/config"

func newEsplora(config.Chain, config.Provider) Dialect { return evm{} }
