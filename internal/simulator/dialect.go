package simulator

import (
	"net/http"

	"github.com/understudy-rpc/understudy/internal/config"
)

// dialect writes down what a provider sees, as the software of one type would.
type dialect interface {
	answer(v *view, r *request) reply
}

// dialects are the provider types.
var dialects = map[config.Type]dialect{
	config.EVMRPC:         evmRPC,
	config.BitcoinRPC:     bitcoinRPC{},
	config.CometBFTRPC:    cometbft,
	config.CosmosREST:     cosmosREST{},
	config.EsploraREST:    esploraREST{},
	config.XRPLRPC:        xrplRPC{},
	config.SolanaRPC:      solanaRPC,
	config.SorobanRPC:     sorobanRPC,
	config.HorizonREST:    horizonREST{},
	config.TronHTTP:       tronHTTP{},
	config.BlockchairREST: blockchairREST{},
}

// unknownDialect is a type that has none.
type unknownDialect struct{}

func (unknownDialect) answer(*view, *request) reply {
	return textReply(http.StatusNotImplemented, "no such provider type")
}
