package gateway

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// telling says what the answers to a method tell of the chain, and where in an
// answer that stands: keys with dots between them. "." is the whole body, and ""
// is nowhere.
type telling struct {
	network, height, hash, parent string
	// hex: numbers are quantities of Ethereum's JSON-RPC.
	hex bool
	// newest: the height is that of the newest block. Otherwise it may be any that
	// the chain has reached.
	newest bool
	// asked is the place of the parameter that names the height, counted from 1, if
	// the method has one: a height or a tag.
	asked int
}

var (
	evmBlockTelling = telling{height: "result.number", hash: "result.hash", parent: "result.parentHash", hex: true}
	evmByNumber     = telling{height: "result.number", hash: "result.hash", parent: "result.parentHash", hex: true, asked: 1}
	bitcoinBlock    = telling{height: "result.height", hash: "result.hash", parent: "result.previousblockhash"}
	cometStatus     = telling{network: "result.node_info.network", height: "result.sync_info.latest_block_height", newest: true}
)

// tellings are the methods whose answers are held against what is known. They
// are those that ask for heights and identities, and for the hashes of blocks.
// net_version is not among them: it is another number than the chain id on some
// chains. Nor is what a node says of a height that need not be the newest.
var tellings = map[config.Kind]map[string]telling{
	config.EVM: {
		"eth_chainId":           {network: "result", hex: true},
		"eth_blockNumber":       {height: "result", hex: true, newest: true},
		"eth_getBlockByNumber":  evmByNumber,
		"eth_getHeaderByNumber": evmByNumber,
		"eth_getBlockByHash":    evmBlockTelling,
		"eth_getHeaderByHash":   evmBlockTelling,
	},
	config.Bitcoin: {
		"getblockcount":      {height: "result", newest: true},
		"getblockchaininfo":  {height: "result.blocks", hash: "result.bestblockhash", newest: true},
		"getblockhash":       {hash: "result", asked: 1},
		"getblock":           bitcoinBlock,
		"getblockheader":     bitcoinBlock,
		"/blocks/tip/height": {height: ".", newest: true},
		"/stats":             {height: "data.best_block_height", newest: true},
	},
	config.Cosmos: {
		"status": cometStatus, "/status": cometStatus,
		"abci_info":  {height: "result.response.last_block_height", newest: true},
		"/abci_info": {height: "result.response.last_block_height", newest: true},
		"/cosmos/base/tendermint/v1beta1/blocks/latest": {network: "block.header.chain_id", height: "block.header.height", newest: true},
		"/cosmos/base/tendermint/v1beta1/node_info":     {network: "default_node_info.network"},
	},
	config.XRPL: {
		"ledger_closed": {height: "result.ledger_index", newest: true},
		"server_info":   {network: "result.info.network_id", height: "result.info.validated_ledger.seq", newest: true},
	},
	config.Tron: {
		"eth_blockNumber":     {height: "result", hex: true, newest: true},
		"/wallet/getnowblock": {height: "block_header.raw_data.number", hash: "blockID", parent: "block_header.raw_data.parentHash", newest: true},
	},
	config.Solana: {
		"getGenesisHash": {network: "result"},
		"getSlot":        {height: "result"},
	},
	config.Stellar: {
		"getNetwork":      {network: "result.passphrase"},
		"getLatestLedger": {height: "result.sequence", newest: true},
		"getHealth":       {height: "result.latestLedger", newest: true},
		"":                {network: "network_passphrase", height: "history_latest_ledger", newest: true},
	},
}

// claim is what one answer tells of the chain.
type claim struct {
	// network is in the form of config.Network; "" if it tells none.
	network string
	// height is told if tall; newest as in telling.
	height       uint64
	tall, newest bool
	// hash and parent are of the block at height and of the one before it; "" if
	// they are not told.
	hash, parent string
}

// empty says that there is nothing to hold against anything.
func (c claim) empty() bool { return c == claim{} }

// read takes the claim out of an answer. It is false if a number is not written as
// the protocol has it, or the block is not the one that was asked for.
func (t telling) read(params, body []byte) (claim, bool) {
	var c claim
	if t.network != "" {
		value, found := dig(body, t.network)
		if found {
			network, ok := t.networkOf(value)
			if !ok {
				return c, false
			}
			c.network = network
		}
	}
	if !t.readHeight(params, body, &c) {
		return c, false
	}
	if c.tall && t.hash != "" {
		c.hash = hashAt(body, t.hash)
		if t.parent != "" {
			c.parent = hashAt(body, t.parent)
		}
	}
	return c, true
}

// readHeight takes the height out of an answer, or of the question where the
// answer does not repeat it.
func (t telling) readHeight(params, body []byte, c *claim) bool {
	c.newest = t.newest
	wanted, named := uint64(0), false
	if t.asked > 0 {
		tag, given := parameter(params, t.asked-1)
		wanted, named = t.numberOf(tag)
		// A node that answers "pending" tells of a block that is not there yet.
		c.newest = given && string(tag) == `"latest"`
	}
	if t.height == "" {
		c.height, c.tall = wanted, named
		return true
	}
	value, found := dig(body, t.height)
	if !found || isNull(value) {
		c.newest = false
		return true
	}
	var ok bool
	if c.height, ok = t.numberOf(value); !ok {
		return false
	}
	c.tall = true
	return !named || wanted == c.height
}

// networkOf is an identity in the form of config.Network.
func (t telling) networkOf(value []byte) (string, bool) {
	if t.hex {
		id, ok := t.numberOf(value)
		return strconv.FormatUint(id, 10), ok
	}
	var text string
	if plainString(value, &text) {
		return text, true
	}
	// The XRP Ledger's is a number.
	return string(value), isNumber(value)
}

// numberOf reads a number, strictly: as a quantity of Ethereum's, or in decimal
// and with or without quotes.
func (t telling) numberOf(value []byte) (uint64, bool) {
	if len(value) > 1 && value[0] == '"' {
		value = value[1 : len(value)-1]
	} else if t.hex {
		return 0, false
	}
	base, size := 10, 20
	if t.hex {
		if !bytes.HasPrefix(value, []byte("0x")) {
			return 0, false
		}
		value, base, size = value[2:], 16, 16
	}
	if len(value) == 0 || len(value) > size || len(value) > 1 && value[0] == '0' || value[0] == '+' || value[0] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(value), base, 64)
	return n, err == nil
}

// hashAt is a hash in an answer, in the one form that they are compared in; ""
// if there is none.
func hashAt(body []byte, path string) string {
	value, found := dig(body, path)
	var text string
	if !found || !plainString(value, &text) {
		return ""
	}
	return normalHash(text)
}

func normalHash(text string) string { return strings.TrimPrefix(strings.ToLower(text), "0x") }

// dig finds a value in an object by its path. It is false for what has not arrived
// whole.
func dig(body []byte, path string) (value []byte, found bool) {
	value = body[space(body, 0):]
	if path == "." {
		value = bytes.TrimSpace(value)
		return value, len(value) > 0
	}
	for path != "" {
		var key string
		key, path, _ = strings.Cut(path, ".")
		within := value
		found = false
		members(within, func(name, v []byte, whole bool) bool {
			if string(name) != key {
				return true
			}
			// An object may go on beyond what is held; what is looked for may stand in
			// what is.
			value, found = v, whole || path != ""
			return false
		})
		if !found {
			return nil, false
		}
	}
	return value, len(value) > 0
}

// parameter is one of a call's parameters; false if it was not given.
func parameter(params []byte, place int) (value []byte, given bool) {
	n := 0
	elements(params, func(v []byte) bool {
		if n == place {
			value, given = v, true
			return false
		}
		n++
		return true
	})
	return value, given
}

// paramsOf are the parameters of a call; nil if there are none.
func paramsOf(raw []byte) (params []byte) {
	members(raw, func(key, value []byte, whole bool) bool {
		if whole && string(key) == "params" {
			params = value
			return false
		}
		return true
	})
	return params
}

// claimOf is what an answer tells. It is false if that is not what the protocol
// allows. A batch and what changes the chain tell nothing here.
func claimOf(q question, raw, body []byte) (claim, bool) {
	t, ok := tellings[q.kind][q.method]
	if !ok || q.batch {
		return claim{}, true
	}
	var params []byte
	if t.asked > 0 {
		params = paramsOf(raw)
	}
	return t.read(params, body)
}
