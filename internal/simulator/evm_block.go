package simulator

import "strings"

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
