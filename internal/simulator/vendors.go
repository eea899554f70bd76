package simulator

import (
	"maps"
	"slices"
	"time"

	"github.com/understudy-rpc/understudy/internal/config"
)

// Vendors are literal answers by which vendors, nodes and the proxies before
// them refuse or fail. Every one has a name of its own, and the family where
// its codes mean what they do here; none has an opinion on what it is to be
// taken for. Bodies with "$id" are JSON-RPC.
var Vendors = slices.Concat(hostedAnswers, nodeAnswers, proxyAnswers)

// VendorNames are the names, in alphabetical order.
func VendorNames() []string { return slices.Sorted(maps.Keys(vendorsByName)) }

// Vendor is the answer of that name.
func Vendor(name string) (Answer, bool) {
	a, ok := vendorsByName[name]
	return a, ok
}

var vendorsByName = func() map[string]Answer {
	out := make(map[string]Answer, len(Vendors))
	for _, a := range Vendors {
		out[a.Name] = a
	}
	return out
}()

// rpcFailure is the body of a JSON-RPC 2.0 error. The error is the object's
// text.
func rpcFailure(object string) string { return `{"jsonrpc":"2.0","id":"$id","error":` + object + `}` }

// hostedAnswers are those of companies that rent out nodes and APIs.
var hostedAnswers = []Answer{
	// QuickNode, from its error references.
	{Name: "quicknode request limit", Status: 429, Body: rpcFailure(quicknodeLimit)},
	{Name: "quicknode request limit inside 200", Body: rpcFailure(quicknodeLimit)},
	{Name: "quicknode credits", Body: rpcFailure(`{"code":-32012,"message":"credits limited to 6000/sec"}`)},
	{Name: "quicknode unauthorized", Status: 401, Body: "UNAUTHORIZED"},
	{Name: "quicknode endpoint disabled", Status: 403},
	{Name: "quicknode body too large", Status: 413},

	// Alchemy. Its monthly limit was seen in three shapes.
	{Name: "alchemy compute units", Status: 429, Kind: config.EVM, Body: rpcFailure(alchemyUnits)},
	{Name: "alchemy compute units inside 200", Kind: config.EVM, Body: rpcFailure(alchemyUnits)},
	{Name: "alchemy monthly capacity", Status: 429, Kind: config.EVM, Body: rpcFailure(`{"code":429,"message":"Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service."}`)},
	{Name: "alchemy monthly capacity as 403", Status: 403, Kind: config.EVM, Body: rpcFailure(`{"code":-32600,"message":"Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing to upgrade your scaling policy for continued service."}`)},
	{Name: "alchemy monthly capacity as -32000", Kind: config.EVM, Body: rpcFailure(`{"code":-32000,"message":"Monthly capacity limit exceeded. Visit https://dashboard.alchemyapi.io/settings/billing to upgrade your scaling policy for continued service."}`)},
	{Name: "alchemy not authenticated", Status: 401, Kind: config.EVM, Body: rpcFailure(`{"code":-32600,"message":"Must be authenticated!"}`)},
	{Name: "alchemy network not enabled", Status: 403, Kind: config.EVM},

	// Infura, whose body says how long to wait.
	{Name: "infura daily count", Status: 429, Kind: config.EVM, Body: rpcFailure(infuraDaily)},
	{Name: "infura daily count inside 200", Kind: config.EVM, Body: rpcFailure(infuraDaily)},
	{Name: "infura invalid project", Status: 401, Kind: config.EVM, Body: "invalid project id\n"},
	{Name: "infura invalid host", Header: map[string]string{"Content-Type": "application/json"}, Body: "invalid host specified"},

	// Ankr, dRPC, Chainstack, Helius.
	{Name: "ankr unauthorized", Status: 403, Kind: config.EVM, Body: ankrUnauthorized},
	{Name: "ankr unauthorized inside 200", Kind: config.EVM, Body: ankrUnauthorized},
	{Name: "drpc free tier timeout", Status: 408, Kind: config.EVM, Body: rpcFailure(`{"code":30,"message":"Request timeout on the free tier, please upgrade your tier to the paid one"}`)},
	{Name: "drpc free tier range", Status: 400, Kind: config.EVM, Body: rpcFailure(`{"code":35,"message":"ranges over 10000 blocks are not supported on freetier"}`)},
	{Name: "drpc invalid token", Status: 403, Kind: config.EVM, Body: rpcFailure(`{"code":4,"message":"token is invalid"}`)},
	{Name: "drpc data missing", Kind: config.EVM, Body: rpcFailure(`{"code":-32000,"message":"ChainException: Unexpected error (code=40000)"}`)},
	{Name: "chainstack rate", Status: 429, Body: rpcFailure(`{"code":-32005,"message":"You've exceeded the RPS limit available on the current plan.","data":{"see":"https://chainstack.com/pricing"}}`)},
	{Name: "helius rate", Status: 429, Kind: config.Solana, Body: rpcFailure(`{"code":-32429,"message":"rate limited"}`)},
	{Name: "helius usage", Status: 429, Kind: config.Solana, Body: "max usage reached"},
	{Name: "helius usage inside 200", Kind: config.Solana, Body: "max usage reached"},
	{Name: "helius invalid key", Status: 401, Kind: config.Solana, Body: rpcFailure(`{"code":-32401,"message":"invalid api key provided"}`)},

	// TronGrid, whose text says how long it will last.
	{Name: "trongrid suspended", Status: 429, Kind: config.Tron, Body: trongridSuspended},
	{Name: "trongrid suspended as 403", Status: 403, Kind: config.Tron, Body: trongridSuspended},
	{Name: "trongrid suspended as 503", Status: 503, Kind: config.Tron, Body: trongridSuspended},
	{Name: "trongrid suspended inside 200", Kind: config.Tron, Body: trongridSuspended},
	{Name: "trongrid suspended without a key", Status: 403, Kind: config.Tron, Body: `{"Error":"request rate exceeded the allowed_rps(3), and the query server is suspended for 19 s. To raise the limit, use an API key."}`},
	{Name: "trongrid invalid key", Status: 401, Kind: config.Tron, Body: `{"message":"invalid API key"}`},

	// Blockchair, from its API documentation: 402, 429 and 435 to 437 are
	// limits; 430, 434 and 503 mean that the address is blocked.
	blockchairAnswer("blockchair daily limit", 402, "Limit for this type of queries per day has been exceeded"),
	blockchairAnswer("blockchair rate", 429, "Limit for this type of queries per minute has been exceeded"),
	blockchairAnswer("blockchair blacklisted", 430, "Your IP address is temporary blacklisted due to exceeding usage of API resources. Please apply for an API key by contacting us at info@blockchair.com"),
	blockchairAnswer("blockchair blocked", 434, "Your IP address is temporary blocked"),
	blockchairAnswer("blockchair soft limit", 435, "Too many requests per second"),
	blockchairAnswer("blockchair limit 436", 436, "Too many requests"),
	blockchairAnswer("blockchair limit 437", 437, "Too many requests"),
	blockchairAnswer("blockchair blocked as 503", 503, "Your IP address is temporary blocked"),
	blockchairAnswer("blockchair server error", 500, "Internal server error"),

	// Public endpoints.
	{Name: "solana public rate", Status: 429, Kind: config.Solana, Body: `{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":"$id"}`},
	{Name: "solana public forbidden", Status: 403, Kind: config.Solana, Body: `{"jsonrpc":"2.0","error":{"code":403,"message":"Access forbidden"},"id":"$id"}`},
	{Name: "bsc dataseed limit", Kind: config.EVM, Body: rpcFailure(`{"code":-32005,"message":"limit exceeded"}`)},
	{Name: "keeper rate limit", Status: 429, Kind: config.Stellar, Body: rpcFailure(`{"code":-32000,"message":"Rate limit exceeded","data":{"retryAfter":5}}`)},
}

const (
	quicknodeLimit    = `{"code":-32007,"message":"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"}`
	alchemyUnits      = `{"code":429,"message":"Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, check out https://docs.alchemy.com/reference/throughput"}`
	infuraDaily       = `{"code":-32005,"message":"daily request count exceeded, request rate limited","data":{"rate":{"allowed_rps":1,"backoff_seconds":24,"current_rps":1.4333333333333333},"see":"https://infura.io/dashboard"}}`
	ankrUnauthorized  = `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Unauthorized: You must authenticate your request with an API key. Create an account on https://www.ankr.com/rpc/ and generate your personal API key for free."},"id":null}`
	trongridSuspended = `{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 27 s"}`
)

func blockchairAnswer(name string, status int, text string) Answer {
	failed := blockchairREST{}.failure(&view{Behaviour: &Behaviour{}, now: time.Unix(1_700_000_000, 0), tip: 939_000}, status, text)
	return Answer{Name: name, Status: status, Body: string(failed.body)}
}
