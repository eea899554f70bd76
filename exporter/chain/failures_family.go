package chain

import "github.com/understudy-rpc/understudy/internal/config"

// familyRules are the error tokens and codes that only one family, or one
// protocol of it, uses.
var familyRules = []rule{
	// rippled's and Clio's tokens (rippled: libxrpl/protocol/ErrorCodes.cpp,
	// where the HTTP status of each says for which of them another server may
	// do better). amendmentBlocked and unlBlocked: the server knows that it can
	// no longer follow the network.
	{kinds: []config.Kind{config.XRPL}, texts: []string{"slowdown"}, reason: RateLimited},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"toobusy"}, reason: Busy},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"notready", "noclosed"}, reason: Starting},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"nonetwork", "notsynced", "nocurrent"}, reason: Syncing},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"amendmentblocked", "unlblocked"}, reason: Behind},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"wrongnetwork"}, reason: WrongNetwork},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"lgrnotfound", "lgrnotvalidated"}, reason: Missing},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"forbidden", "nopermission", "badcredentials"}, reason: Unauthorized},
	{kinds: []config.Kind{config.XRPL}, texts: []string{"unknowncmd", "notimpl", "notsupported", "notenabled"}, reason: MethodUnsupported},
	// The Cosmos REST gateway's codes are those of gRPC (google.golang.org/grpc/
	// codes): deadline exceeded, not found, permission denied, resource
	// exhausted, out of range, unimplemented, unavailable, unauthenticated. A
	// path that it does not have is "Not Found" as well, with nothing around.
	{types: []config.Type{config.CosmosREST}, codes: []int64{5}, texts: []string{"block", "height"}, reason: Missing},
	{types: []config.Type{config.CosmosREST}, codes: []int64{11}, reason: Missing},
	{types: []config.Type{config.CosmosREST}, codes: []int64{5, 12}, reason: MethodUnsupported},
	{types: []config.Type{config.CosmosREST}, codes: []int64{8}, reason: RateLimited},
	{types: []config.Type{config.CosmosREST}, codes: []int64{7, 16}, reason: Unauthorized},
	{types: []config.Type{config.CosmosREST}, codes: []int64{4}, reason: Timeout},
	{types: []config.Type{config.CosmosREST}, codes: []int64{14}, reason: HTTP5xx},
	// java-tron's LiteFnQueryHttpFilter, as plain text with 200.
	{kinds: []config.Kind{config.Tron}, texts: []string{"this node is a lite fullnode"}, reason: MethodUnsupported},
	// agave's custom_error.rs: the node keeps no history of transactions.
	{kinds: []config.Kind{config.Solana}, codes: []int64{-32011}, reason: MethodUnsupported},
	// Horizon's problem types (services/horizon/internal/render/problem).
	{types: []config.Type{config.HorizonREST}, texts: []string{"horizon-errors/timeout"}, reason: Timeout},
	{types: []config.Type{config.HorizonREST}, texts: []string{"horizon-errors/server_over_capacity"}, reason: Busy},
	{types: []config.Type{config.HorizonREST}, texts: []string{"horizon-errors/still_ingesting"}, reason: Syncing},
}
