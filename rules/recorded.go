package rules

// The recorded series that others may build on.
const (
	// RecordedUpRatio is the share of exporters that see a provider up.
	RecordedUpRatio = "chain_provider:bifrost_provider_up:ratio"
	// RecordedHeight is the height of a provider that at least half of the
	// exporters see up.
	RecordedHeight = "chain_provider:bifrost_provider_block_height:max"
	// RecordedTip is the consensus height of a chain.
	RecordedTip = "chain:bifrost_block_height:tip"
	// RecordedLag is tip less height, in blocks; negative: ahead.
	RecordedLag = "chain_provider:bifrost_block_lag:blocks"
)
