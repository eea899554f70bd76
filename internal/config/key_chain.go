package config

// The bounds of numbers. A height or a number of blocks above 2^53 would lose
// digits in a metric and in JSON.
const (
	maxBlocks   = 1<<53 - 1
	maxCount    = 1000
	maxPriority = 1_000_000
)

// chainKeys are the keys of a chain, without its providers and its policy.
var chainKeys = []key{
	{path: "chains", shape: shapeTable, required: true,
		doc: "The chains to watch, by name. The name is the value of the label `chain` and stands in URLs: letters, digits and `._-`."},
	{path: "chains.*", shape: shapeObject,
		doc: "One chain."},
	{path: "chains.*.kind", shape: shapeWord, words: kindWords(), aka: []string{"family"}, standard: "told from the types of the providers",
		doc: "The family of the chain. It is needed only where the providers' types do not tell it.", example: "bitcoin"},
	{path: "chains.*.network", shape: shapeIdentity, aka: []string{"chain_id", "genesis", "passphrase"}, standard: "the main network for a well-known chain name, else what most operators say",
		doc:     "The identity that each provider must prove: a chain id in decimal or hexadecimal, a genesis hash or a passphrase. `any` switches the check off.",
		example: "1"},
	{path: "chains.*.checkpoint", shape: shapeObject, standard: "the first block of its own for `bch`, else none",
		doc: "A block that the right network has; it tells apart networks that share a genesis block."},
	{path: "chains.*.checkpoint.height", shape: shapeInteger, required: true, max: maxBlocks,
		doc: "The height of that block.", example: "478559"},
	{path: "chains.*.checkpoint.hash", shape: shapeHash, required: true,
		doc:     "The hash of that block: 64 hexadecimal digits, or base58 on Solana.",
		example: "000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec"},
	{path: "chains.*.block_time", shape: shapeDuration, standard: "by well-known chain name, else the family's",
		doc: "The usual time between two blocks.", example: "10m"},
	{path: "chains.*.observed_height", shape: shapeObject, standard: "none; it can still be pushed",
		doc: "Where the chain scanner's last observed height is read. It is one more vote for the tip, and the baseline of a single provider. Exactly one of its three members is set."},
	{path: "chains.*.observed_height.bifrost_status_url", shape: shapeAddress, standard: "none",
		doc: "Bifrost's `/status/scanner`.", example: "http://127.0.0.1:6040/status/scanner"},
	{path: "chains.*.observed_height.thornode_url", shape: shapeAddress, standard: "none",
		doc: "A THORNode API; `/thorchain/lastblock/{CHAIN}` is read.", example: "http://127.0.0.1:1317"},
	{path: "chains.*.observed_height.metric", shape: shapeObject, standard: "none",
		doc: "One series of any Prometheus endpoint."},
	{path: "chains.*.observed_height.metric.url", shape: shapeAddress, required: true,
		doc: "The endpoint.", example: "http://127.0.0.1:9000/metrics"},
	{path: "chains.*.observed_height.metric.name", shape: shapeText, required: true,
		doc: "The name of the metric.", example: "scanner_height"},
	{path: "chains.*.observed_height.metric.labels", shape: shapeTable, standard: "none",
		doc: "Labels that must all be equal; the first series that matches counts."},
	{path: "chains.*.observed_height.metric.labels.*", shape: shapeText,
		doc: "The value of one label.", example: "BTC"},
}

// providerKeys are the keys of a provider, without its HTTP client.
var providerKeys = []key{
	{path: "chains.*.providers", shape: shapeList, required: true,
		doc:     "The providers of the chain, at least one that is not disabled.",
		example: "[{name: local, type: bitcoin-rpc, rpc_host: http://localhost:8332}]"},
	{path: "chains.*.providers[]", shape: shapeObject,
		doc: "One provider."},
	{path: "chains.*.providers[].name", shape: shapeName, required: true,
		doc:     "The name, unique in its chain: the value of the label `provider`. Letters, digits and `._-`.",
		example: "local-daemon"},
	{path: "chains.*.providers[].type", shape: shapeWord, words: typeWords(), required: true,
		doc: "The protocol that the provider speaks.", example: "bitcoin-rpc"},
	{path: "chains.*.providers[].rpc_host", shape: shapeAddress, required: true, aka: []string{"url", "rpc_url", "endpoint", "address", "host"},
		doc:     "The URL. User info, path and query may hold keys; they are never shown.",
		example: "http://localhost:8332"},
	{path: "chains.*.providers[].priority", shape: shapeInteger, min: -maxPriority, max: maxPriority, standard: "one more than the provider before; 1 for the first",
		doc: "Lower is preferred. Ties are broken by order in the file.", example: "1"},
	{path: "chains.*.providers[].operator", shape: shapeText, standard: "the registrable part of the host name; host and port for a loopback, private or single-label host",
		doc: "Who runs it. The tip is voted per operator, so that two URLs of one vendor are one vote.", example: "quicknode"},
	{path: "chains.*.providers[].health_check_interval", shape: shapeDuration, standard: "the chain's",
		doc: "How often this provider is probed.", example: "2m"},
	{path: "chains.*.providers[].capabilities", shape: shapeList, standard: "none",
		doc: "What a consumer can ask this provider for; verified by probes where the protocol allows."},
	{path: "chains.*.providers[].capabilities[]", shape: shapeWord, words: capabilityWords,
		doc: "One capability.", example: "wallet"},
	{path: "chains.*.providers[].disabled", shape: shapeBoolean, standard: "`false`",
		doc: "Leaves the provider out; it is checked all the same.", example: "true"},
}

// capabilityWords are the capabilities in the order of the documentation.
var capabilityWords = []string{CapabilityWallet, CapabilityTxIndex, CapabilityArchive, CapabilityReceipts, CapabilityBatch}

// typeWords are the provider types as words.
func typeWords() []string {
	words := make([]string, len(Types))
	for i, t := range Types {
		words[i] = string(t)
	}
	return words
}

// kindWords are the chain families as words.
func kindWords() []string {
	words := make([]string, len(Kinds))
	for i, k := range Kinds {
		words[i] = string(k)
	}
	return words
}
