package config

// Type is a provider type: which protocol it speaks.
type Type string

// The provider types, by the names that stand in the file.
const (
	BitcoinRPC     Type = "bitcoin-rpc"
	BlockchairREST Type = "blockchair-rest"
	EsploraREST    Type = "esplora-rest"
	EVMRPC         Type = "evm-rpc"
	CometBFTRPC    Type = "cometbft-rpc"
	CosmosREST     Type = "cosmos-rest"
	XRPLRPC        Type = "xrpl-rpc"
	TronHTTP       Type = "tron-http"
	SolanaRPC      Type = "solana-rpc"
	SorobanRPC     Type = "soroban-rpc"
	HorizonREST    Type = "horizon-rest"
)

// Types are all provider types, in the order of the documentation.
var Types = []Type{
	BitcoinRPC, BlockchairREST, EsploraREST, EVMRPC, CometBFTRPC, CosmosREST,
	XRPLRPC, TronHTTP, SolanaRPC, SorobanRPC, HorizonREST,
}

// Kind is a chain family. Block hashes and identities compare within a family
// only, and error codes mean different things in different ones.
type Kind string

// The chain families.
const (
	Bitcoin Kind = "bitcoin"
	EVM     Kind = "evm"
	Cosmos  Kind = "cosmos"
	XRPL    Kind = "xrpl"
	Tron    Kind = "tron"
	Solana  Kind = "solana"
	Stellar Kind = "stellar"
)

// Kinds are all chain families, in the order of the documentation.
var Kinds = []Kind{Bitcoin, EVM, Cosmos, XRPL, Tron, Solana, Stellar}

// kinds maps each type to its family. Blockchair serves several families and
// takes its chain's.
var kinds = map[Type]Kind{
	BitcoinRPC: Bitcoin, EsploraREST: Bitcoin, EVMRPC: EVM,
	CometBFTRPC: Cosmos, CosmosREST: Cosmos, XRPLRPC: XRPL, TronHTTP: Tron,
	SolanaRPC: Solana, SorobanRPC: Stellar, HorizonREST: Stellar,
}

// Kind is the type's family, or "" for a type that serves several
// (blockchair-rest) or is unknown.
func (t Type) Kind() Kind { return kinds[t] }

// The capabilities that a consumer can ask for. wallet: the daemon holds keys.
// txindex: any old transaction by its id. archive: state at old heights.
// receipts: all receipts of a block in one call. batch: JSON-RPC batches.
const (
	CapabilityWallet   = "wallet"
	CapabilityTxIndex  = "txindex"
	CapabilityArchive  = "archive"
	CapabilityReceipts = "receipts"
	CapabilityBatch    = "batch"
)
