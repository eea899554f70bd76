package simulator

import "time"

// Behaviour is how a provider answers. The zero value is a good provider that
// sees the whole chain at once. What it names is applied together, in the order
// of a request's way: flakiness, latency, the modes without an answer, rate
// limit, authentication, set answers, and then what the dialect says. It must
// not be changed once a provider has it.
type Behaviour struct {
	// What the provider sees of its chain.

	// Lag is the number of blocks behind the chain; below zero, ahead of it.
	Lag int64 `json:"lag,omitempty"`
	// Freeze keeps the height that the chain had when the behaviour began.
	Freeze bool `json:"freeze,omitempty"`
	// FreezeAt is a height that is never passed; 0 is none.
	FreezeAt uint64 `json:"freeze_at,omitempty"`
	// Cache keeps each height for so long, as an answer from a cache does; 0
	// is no cache.
	Cache time.Duration `json:"cache,omitempty"`
	// Pace is the share of the chain's new blocks that arrive from when the
	// behaviour began, for a provider that falls behind slowly. 0 is all.
	Pace float64 `json:"pace,omitempty"`
	// Height is claimed, whatever the chain's is; nil claims nothing.
	Height *uint64 `json:"height,omitempty"`
	// Backends are the lags of the nodes behind the one URL, each added to
	// Lag; request n is answered by the n-th of them, over and over.
	Backends []int64 `json:"backends,omitempty"`
	// Fork is the other chain that the provider follows.
	Fork Fork `json:"fork,omitzero"`
	// Identity is what the provider claims the network to be, where it names
	// something.
	Identity Identity `json:"identity,omitzero"`
	// Syncing is the provider's word that it is catching up.
	Syncing bool `json:"syncing,omitempty"`
	// Starting answers as the dialect's software does while it starts; what
	// does not listen until it is ready (see ModeRefuse) takes no notice.
	Starting bool `json:"starting,omitempty"`
	// Health is the provider's word about itself where its dialect has one:
	// getHealth of Solana and of Soroban, /health of Horizon.
	Health Health `json:"health,omitempty"`
	// Peers is the number of peers. 0 is the dialect's usual number and below
	// zero the method is not offered; NoPeers is how to have none.
	Peers   int  `json:"peers,omitempty"`
	NoPeers bool `json:"no_peers,omitempty"`
	// DropTransactions is how many of each block's transactions are left out
	// of its list, the last ones first. What a block's header says of them (a
	// root, Bitcoin's nTx) stays as it was; what an index counted itself
	// (Esplora, Blockchair, Horizon, eth_getBlockTransactionCountByNumber) is
	// the smaller number.
	DropTransactions int `json:"drop_transactions,omitempty"`
	// PrunedBelow is the lowest height whose block is kept; 0 keeps all.
	PrunedBelow uint64 `json:"pruned_below,omitempty"`
	// NoTxIndex keeps old transactions from being found by their id alone.
	NoTxIndex bool `json:"no_tx_index,omitempty"`
	// MissingNewest is how many of the newest blocks are announced, but not
	// there when asked for by height or hash.
	MissingNewest uint64 `json:"missing_newest,omitempty"`
	// Missing are further blocks that are not there.
	Missing []Range `json:"missing,omitempty"`

	// What happens to the connection and to the bytes.

	// Mode is a fault of the connection.
	Mode Mode `json:"mode,omitempty"`
	// Latency passes before the answer begins, and up to LatencyJitter more.
	Latency       time.Duration `json:"latency,omitempty"`
	LatencyJitter time.Duration `json:"latency_jitter,omitempty"`
	// Interval is the time between the bytes of ModeDrip. 0 is 100 ms.
	Interval time.Duration `json:"interval,omitempty"`
	// Flaky puts another behaviour in the place of this one now and then.
	Flaky *Flaky `json:"flaky,omitempty"`

	// What a provider refuses that could answer.

	// RateLimit refuses what comes too often.
	RateLimit *RateLimit `json:"rate_limit,omitempty"`
	// Auth refuses who does not name the right credentials.
	Auth *Auth `json:"auth,omitempty"`
	// Respond is given in place of every answer.
	Respond *Answer `json:"respond,omitempty"`
	// Methods are given in place of the answers to an RPC method, or to a path
	// (without the provider's prefix, with its leading slash).
	Methods map[string]Answer `json:"methods,omitempty"`
	// Unsupported are RPC methods and paths that the provider does not know.
	Unsupported []string `json:"unsupported,omitempty"`

	// What is wrong with an answer that arrives in good order.

	// WrongID answers another request's id.
	WrongID bool `json:"wrong_id,omitempty"`
	// Batch is what becomes of a JSON-RPC batch.
	Batch Batch `json:"batch,omitempty"`
	// NullResults makes every result null; without JSON-RPC, every JSON answer.
	NullResults bool `json:"null_results,omitempty"`
	// Heights is the form in which every height is written.
	Heights Number `json:"heights,omitempty"`
	// Drop are fields left out of answers, by name, wherever they stand.
	Drop []string `json:"drop,omitempty"`
	// Set are fields whose value is replaced by the given text, which stands
	// in the answer as it is and need not be JSON.
	Set map[string]string `json:"set,omitempty"`
}

// Fork is a chain that parts from the main one. The zero value is the main one.
type Fork struct {
	Name string `json:"name"`
	// From is the first height whose block differs.
	From uint64 `json:"from"`
}

// Range is a range of heights, both ends included.
type Range struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Health is how a provider speaks of its own health.
type Health string

// As the real software would say, always well, or never well.
const (
	HealthHonest Health = ""
	HealthGood   Health = "good"
	HealthBad    Health = "bad"
)

// Mode is a fault of the connection.
type Mode string

// The modes. Refuse closes the port (a provider without a port of its own
// resets instead). Hang takes the request and never answers. Reset ends the
// connection with an RST, Close with a FIN, both without a byte. Truncate ends
// it in the middle of the body and Stall goes quiet there. Endless sends a body
// without an end, GzipBomb a small one that unpacks to 4 GiB, and Drip the good
// answer byte by byte.
const (
	ModeGood     Mode = ""
	ModeRefuse   Mode = "refuse"
	ModeHang     Mode = "hang"
	ModeReset    Mode = "reset"
	ModeClose    Mode = "close"
	ModeTruncate Mode = "truncate"
	ModeStall    Mode = "stall"
	ModeEndless  Mode = "endless"
	ModeGzipBomb Mode = "gzip_bomb"
	ModeDrip     Mode = "drip"
)

// Flaky is a cycle: Good requests as they should be, then Bad ones as Then
// says. A Flaky inside Then is not looked at.
type Flaky struct {
	Good int       `json:"good"`
	Bad  int       `json:"bad"`
	Then Behaviour `json:"then"`
}

// Batch is a fault in the answer to a JSON-RPC batch.
type Batch string

// A batch is answered in order and complete; with one object, an error; with
// the first item's answer alone, not in an array; in reversed order; without
// its last item.
const (
	BatchGood     Batch = ""
	BatchRefused  Batch = "refused"
	BatchObject   Batch = "object"
	BatchReversed Batch = "reversed"
	BatchShort    Batch = "short"
)

// Number is a wrong way to write a number.
type Number string

// The wrong ways: a number where a string belongs and the reverse, a fraction,
// a negative one, 2^63, 2^64, a leading zero, letters that are no digits, and
// nothing at all.
const (
	NumberGood        Number = ""
	NumberOtherType   Number = "other_type"
	NumberFraction    Number = "fraction"
	NumberNegative    Number = "negative"
	Number63          Number = "2^63"
	Number64          Number = "2^64"
	NumberLeadingZero Number = "leading_zero"
	NumberLetters     Number = "letters"
	NumberNull        Number = "null"
)
