package config

// Cost is how many requests a provider type takes for each question.
type Cost struct {
	// Cycle is that of every probe; the rest come on top when they are due.
	Cycle float64
	// NewBlock is added to a cycle that finds a new block.
	NewBlock float64
	// Identity, Hints and Capabilities are asked hourly, Capabilities once per
	// declared one that can be verified.
	Identity, Hints, Capabilities float64
	// Block is the hash at a height, BlockTransactions what its transactions
	// take on top.
	Block, BlockTransactions float64
}
