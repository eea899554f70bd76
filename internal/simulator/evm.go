package simulator

import (
	"crypto/sha256"
	"strconv"
	"strings"
)

// evmRPC is evm-rpc as go-ethereum speaks it.
var evmRPC = &rpcService{
	methods: map[string]rpcMethod{
		"eth_blockNumber":                      evmBlockNumber,
		"eth_getBlockByNumber":                 evmBlockByNumber,
		"eth_getBlockByHash":                   evmBlockByHash,
		"eth_getBlockTransactionCountByNumber": evmTransactionCount,
		"eth_getBlockReceipts":                 evmBlockReceipts,
		"eth_getTransactionReceipt":            evmTransactionReceipt,
		"eth_getTransactionByHash":             evmTransactionByHash,
		"eth_getBalance":                       evmState("0xde0b6b3a7640000"),
		"eth_getTransactionCount":              evmState("0x0"),
		"eth_getCode":                          evmState("0x"),
		"eth_call":                             evmState("0x" + strings.Repeat("0", 64)),
		"eth_sendRawTransaction":               evmSend,
		"eth_syncing":                          evmSyncing,
		"net_peerCount":                        evmPeers,
		"eth_chainId":                          evmChainID,
		"net_version":                          func(v *view, _ args) (any, *rpcError) { return v.identity.Network, nil },
		"eth_estimateGas":                      constant("0x5208"),
		"eth_gasPrice":                         constant("0x3b9aca00"),
		"eth_maxPriorityFeePerGas":             constant("0x5f5e100"),
		"eth_getLogs":                          constant([]struct{}{}),
		"net_listening":                        constant(true),
		"web3_clientVersion":                   constant("Geth/v1.17.0-simulated"),
	},
	unknown: func(method string) *rpcError {
		return &rpcError{Code: -32601, Message: "the method " + method + " does not exist/is not available"}
	},
	heights:      map[string]bool{"number": true, "blockNumber": true, "eth_blockNumber": true, "currentBlock": true, "highestBlock": true},
	largestBatch: 1000,
}

// Errors of go-ethereum: core/state for a state that is not there, and
// core/history/historymode.go for blocks that were pruned.
var (
	evmNoHeader = &rpcError{Code: -32000, Message: "header not found"}
	evmPruned   = &rpcError{Code: 4444, Message: "pruned history unavailable"}
	evmNoState  = &rpcError{Code: -32000, Message: "missing trie node 5a2f9c1de1e5f4e6b1a9c4f7a1d1b5a0f4f8a7c0e6c5b1b2f3d4a5968778695a (path ) state is not available"}
	evmNoParam  = &rpcError{Code: -32602, Message: "missing value for required argument 0"}
)

// evmWithdrawn is how many blocks the tags safe and finalized are behind:
// Ethereum's one and two epochs of 32 slots.
const (
	evmSafe      = 32
	evmFinalized = 64
)

// quantity is a number as EVM chains write it.
func quantity(n uint64) string {
	return string(strconv.AppendUint(append(make([]byte, 0, 18), "0x"...), n, 16))
}

// evmHeight is the height that a block parameter means. ok is false for a
// height that is not there.
func evmHeight(v *view, a args, place int) (height uint64, ok bool, err *rpcError) {
	tag, given := a.text(place, "")
	if !given {
		if len(a.raw(place, "")) == 0 && place > 0 {
			return v.tip, true, nil
		}
		return 0, false, evmNoParam
	}
	switch tag {
	case "latest", "pending", "":
		return v.tip, true, nil
	case "earliest":
		return 0, true, nil
	case "safe":
		return v.below(evmSafe), true, nil
	case "finalized":
		return v.below(evmFinalized), true, nil
	}
	digits, prefixed := strings.CutPrefix(tag, "0x")
	height, parse := strconv.ParseUint(digits, 16, 64)
	if !prefixed || parse != nil {
		return 0, false, &rpcError{Code: -32602, Message: "invalid argument " + strconv.Itoa(place) + ": hex string without 0x prefix"}
	}
	return height, v.has(height), nil
}

func evmBlockNumber(v *view, _ args) (any, *rpcError) { return quantity(v.tip), nil }

// evmState answers a question about the state at a block, which is the second
// parameter.
func evmState(value string) rpcMethod {
	return func(v *view, a args) (any, *rpcError) {
		height, ok, err := evmHeight(v, a, 1)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, evmNoHeader
		case v.pruned(height):
			return nil, evmNoState
		}
		return value, nil
	}
}

// evmSend accepts any transaction; its id follows from its bytes.
func evmSend(_ *view, a args) (any, *rpcError) {
	raw, ok := a.text(0, "")
	if !ok {
		return nil, evmNoParam
	}
	return Hash(sha256.Sum256([]byte(raw))).Prefixed(), nil
}

func evmSyncing(v *view, _ args) (any, *rpcError) {
	if !v.Syncing {
		return false, nil
	}
	return map[string]string{
		"startingBlock": "0x0", "currentBlock": quantity(v.tip), "highestBlock": quantity(max(v.tip, v.chainTip)),
	}, nil
}

func evmPeers(v *view, _ args) (any, *rpcError) {
	n, ok := v.peers(25)
	if !ok {
		return nil, &rpcError{Code: -32601, Message: "the method net_peerCount does not exist/is not available"}
	}
	return quantity(uint64(n)), nil
}

func evmChainID(v *view, _ args) (any, *rpcError) { return evmNumber(v.identity.Network), nil }

// evmNumber is a decimal chain id as a quantity; what is no number stays.
func evmNumber(decimal string) string {
	n, err := strconv.ParseUint(decimal, 10, 64)
	if err != nil {
		return decimal
	}
	return quantity(n)
}
