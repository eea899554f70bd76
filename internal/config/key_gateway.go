package config

// gatewayKeys are the keys of how requests of clients are forwarded to a chain.
var gatewayKeys = []key{
	{path: "chains.*.gateway", shape: shapeObject, standard: "all defaults",
		doc: "How the gateway forwards requests to the chain's providers."},
	{path: "chains.*.gateway.enabled", shape: shapeBoolean, standard: "`true`",
		doc: "Whether requests to `/rpc/{chain}` are forwarded.", example: "true"},
	{path: "chains.*.gateway.attempt_timeout", shape: shapeDuration, standard: "`5s`, or `request_timeout` where that is shorter",
		doc: "How long one provider may take until its answer begins, before the next one is asked. The last one has what is left of `request_timeout`.", example: "5s"},
	{path: "chains.*.gateway.request_timeout", shape: shapeDuration, aka: []string{"timeout"}, standard: "`25s`, or `attempt_timeout` where that is longer",
		doc: "How long all attempts at one request may take together.", example: "25s"},
	{path: "chains.*.gateway.hedge_after", shape: shapeDuration, zero: true, standard: "`0s`: never",
		doc: "How long a provider is waited for before the next one is asked as well, for requests that change nothing. The first good answer counts.", example: "500ms"},
	{path: "chains.*.gateway.failure_threshold", shape: shapeInteger, min: 1, max: maxCount, standard: "`3`",
		doc: "How many failures in a row put a provider into quarantine.", example: "3"},
	{path: "chains.*.gateway.cooldown", shape: shapeDuration, standard: "`30s`",
		doc: "How long a quarantine lasts; after it, one request shows whether the provider is well.", example: "30s"},
	{path: "chains.*.gateway.methods", shape: shapeObject, standard: "wallet, admin and other methods that nodes should not offer to everybody are refused",
		doc: "Which methods are let through, beside the defaults. The longest match counts, and `allow` before `deny`."},
	{path: "chains.*.gateway.methods.allow", shape: shapeList, standard: "none",
		doc: "Methods that go through although the defaults refuse them: a JSON-RPC method, or a path of a REST type with its leading slash; `*` at the end stands for anything."},
	{path: "chains.*.gateway.methods.allow[]", shape: shapeText,
		doc: "One method.", example: "getnewaddress"},
	{path: "chains.*.gateway.methods.deny", shape: shapeList, standard: "none",
		doc: "Methods that are refused although the defaults let them through; `\"*\"` refuses all that `allow` does not name."},
	{path: "chains.*.gateway.methods.deny[]", shape: shapeText,
		doc: "One method.", example: "eth_getLogs"},
}
