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

// evmEmptyRoot is the root of the empty trie, which a block without
// transactions has.
const evmEmptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

var (
	evmBloom = "0x" + strings.Repeat("0", 512)
	// evmNoUncles is the hash of an empty list.
	evmNoUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
	evmMiner    = "0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5"
	evmNonce    = "0x0000000000000000"
)

// evmHeader is a block as eth_getBlockByNumber gives it.
type evmHeader struct {
	Number           string   `json:"number"`
	Hash             string   `json:"hash"`
	ParentHash       string   `json:"parentHash"`
	Nonce            string   `json:"nonce"`
	MixHash          string   `json:"mixHash"`
	SHA3Uncles       string   `json:"sha3Uncles"`
	LogsBloom        string   `json:"logsBloom"`
	TransactionsRoot string   `json:"transactionsRoot"`
	StateRoot        string   `json:"stateRoot"`
	ReceiptsRoot     string   `json:"receiptsRoot"`
	Miner            string   `json:"miner"`
	Difficulty       string   `json:"difficulty"`
	ExtraData        string   `json:"extraData"`
	Size             string   `json:"size"`
	GasLimit         string   `json:"gasLimit"`
	GasUsed          string   `json:"gasUsed"`
	BaseFeePerGas    string   `json:"baseFeePerGas"`
	Timestamp        string   `json:"timestamp"`
	Uncles           []string `json:"uncles"`
	Transactions     any      `json:"transactions"`
}

// evmTransaction is a plain transfer.
type evmTransaction struct {
	BlockHash        string `json:"blockHash"`
	BlockNumber      string `json:"blockNumber"`
	From             string `json:"from"`
	Gas              string `json:"gas"`
	GasPrice         string `json:"gasPrice"`
	Hash             string `json:"hash"`
	Input            string `json:"input"`
	Nonce            string `json:"nonce"`
	To               string `json:"to"`
	TransactionIndex string `json:"transactionIndex"`
	Value            string `json:"value"`
	Type             string `json:"type"`
	ChainID          string `json:"chainId"`
	V                string `json:"v"`
	R                string `json:"r"`
	S                string `json:"s"`
}

// evmReceipt is the receipt of one.
type evmReceipt struct {
	BlockHash         string     `json:"blockHash"`
	BlockNumber       string     `json:"blockNumber"`
	ContractAddress   *string    `json:"contractAddress"`
	CumulativeGasUsed string     `json:"cumulativeGasUsed"`
	EffectiveGasPrice string     `json:"effectiveGasPrice"`
	From              string     `json:"from"`
	GasUsed           string     `json:"gasUsed"`
	Logs              []struct{} `json:"logs"`
	LogsBloom         string     `json:"logsBloom"`
	Status            string     `json:"status"`
	To                string     `json:"to"`
	TransactionHash   string     `json:"transactionHash"`
	TransactionIndex  string     `json:"transactionIndex"`
	Type              string     `json:"type"`
}

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

func evmBlockByNumber(v *view, a args) (any, *rpcError) {
	height, ok, err := evmHeight(v, a, 0)
	if err != nil || !ok {
		return nil, err
	}
	return evmBlock(v, height, a)
}

func evmBlockByHash(v *view, a args) (any, *rpcError) {
	text, _ := a.text(0, "")
	h, _ := parseHash(text)
	height, ok := v.find(h)
	if !ok || !v.has(height) {
		return nil, nil
	}
	return evmBlock(v, height, a)
}

func evmBlock(v *view, height uint64, a args) (any, *rpcError) {
	// go-ethereum keeps block 0 whatever it prunes.
	if v.pruned(height) && height > 0 {
		return nil, evmPruned
	}
	b := v.block(height)
	out := evmHeader{
		Number: quantity(height), Hash: b.Hash.Prefixed(), ParentHash: b.Parent.Prefixed(),
		Nonce: evmNonce, MixHash: derived("mix", b.Hash).Prefixed(), SHA3Uncles: evmNoUncles, LogsBloom: evmBloom,
		TransactionsRoot: evmEmptyRoot, StateRoot: derived("state", b.Hash).Prefixed(), ReceiptsRoot: evmEmptyRoot,
		Miner: evmMiner, Difficulty: "0x0", ExtraData: "0x", Size: quantity(uint64(540 + 110*len(b.Transactions))),
		GasLimit: "0x1c9c380", GasUsed: quantity(21000 * uint64(v.whole(b))), BaseFeePerGas: "0x3b9aca00",
		Timestamp: quantity(uint64(b.Time.Unix())), Uncles: []string{},
	}
	if v.whole(b) > 0 {
		out.TransactionsRoot = derived("transactions", b.Hash).Prefixed()
		out.ReceiptsRoot = derived("receipts", b.Hash).Prefixed()
	}
	if string(a.raw(1, "")) == "true" {
		full := make([]evmTransaction, len(b.Transactions))
		for i := range full {
			full[i] = evmTransfer(v, b, i)
		}
		out.Transactions = full
		return out, nil
	}
	ids := make([]string, len(b.Transactions))
	for i, id := range b.Transactions {
		ids[i] = id.Prefixed()
	}
	out.Transactions = ids
	return out, nil
}

func evmTransfer(v *view, b Block, place int) evmTransaction {
	id := b.Transactions[place]
	return evmTransaction{
		BlockHash: b.Hash.Prefixed(), BlockNumber: quantity(b.Height), From: evmAddress("from", id), To: evmAddress("to", id),
		Gas: "0x5208", GasPrice: "0x3b9aca00", Hash: id.Prefixed(), Input: "0x", Nonce: "0x0", TransactionIndex: quantity(uint64(place)),
		Value: "0xde0b6b3a7640000", Type: "0x0", ChainID: evmNumber(v.identity.Network), V: "0x25", R: derived("r", id).Prefixed(), S: derived("s", id).Prefixed(),
	}
}

// evmAddress is an account that takes part in a transaction.
func evmAddress(role string, id Hash) string { return derived(role, id).Prefixed()[:42] }

func evmReceiptOf(b Block, place int) evmReceipt {
	id := b.Transactions[place]
	return evmReceipt{
		BlockHash: b.Hash.Prefixed(), BlockNumber: quantity(b.Height), CumulativeGasUsed: quantity(21000 * uint64(place+1)),
		EffectiveGasPrice: "0x3b9aca00", From: evmAddress("from", id), GasUsed: "0x5208", Logs: []struct{}{}, LogsBloom: evmBloom,
		Status: "0x1", To: evmAddress("to", id), TransactionHash: id.Prefixed(), TransactionIndex: quantity(uint64(place)), Type: "0x0",
	}
}

func evmTransactionCount(v *view, a args) (any, *rpcError) {
	height, ok, err := evmHeight(v, a, 0)
	if err != nil || !ok {
		return nil, err
	}
	return quantity(uint64(len(v.block(height).Transactions))), nil
}

func evmBlockReceipts(v *view, a args) (any, *rpcError) {
	height, ok, err := evmHeight(v, a, 0)
	switch {
	case err != nil || !ok:
		return nil, err
	case v.pruned(height):
		return nil, evmPruned
	}
	b := v.block(height)
	out := make([]evmReceipt, len(b.Transactions))
	for i := range out {
		out[i] = evmReceiptOf(b, i)
	}
	return out, nil
}

func evmTransactionReceipt(v *view, a args) (any, *rpcError) {
	b, place, ok := evmFind(v, a)
	if !ok {
		return nil, nil
	}
	return evmReceiptOf(b, place), nil
}

func evmTransactionByHash(v *view, a args) (any, *rpcError) {
	b, place, ok := evmFind(v, a)
	if !ok {
		return nil, nil
	}
	return evmTransfer(v, b, place), nil
}

func evmFind(v *view, a args) (b Block, place int, ok bool) {
	text, _ := a.text(0, "")
	id, ok := parseHash(text)
	if !ok {
		return b, 0, false
	}
	return v.findTransaction(id)
}

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
