package gateway

import (
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// theKnown is what is known in most of these tests.
var theKnown = Known{Network: "1", Tip: 1000, TipKnown: true, MaxLag: 3, MaxLead: 30}

// knowing is a world whose chain is known, with three operators.
func knowing(t *testing.T, typ config.Type, k Known) *world {
	w := newWorld(t, typ, 3, Options{})
	w.router.change(theChain, func(r *Route) {
		r.Known = k
		for i := range r.Endpoints {
			r.Endpoints[i].Operator = "operator of " + r.Endpoints[i].Provider
		}
	})
	return w
}

// tells answers every call with a result.
func tells(result string) answering {
	return says(200, `{"jsonrpc":"2.0","id":$id,"result":`+result+`}`)
}

func block(height int, hash, parent string) string {
	return fmt.Sprintf(`{"baseFeePerGas":"0x1","hash":"0x%s","number":"0x%x","parentHash":"0x%s","transactions":[]}`, hash, height, parent)
}

func TestAnAnswerThatCannotBeIsNotGiven(t *testing.T) {
	t.Parallel()
	const latest, byNumber = `"method":"eth_getBlockByNumber","params":["latest",false]`, `"method":"eth_getBlockByNumber","params":["0x3e8",true]`
	for name, c := range map[string]struct {
		call, result string
		want         Outcome
	}{
		"the tip":                             {`"method":"eth_blockNumber","params":[]`, `"0x3e8"`, OK},
		"a little behind":                     {`"method":"eth_blockNumber","params":[]`, `"0x3e5"`, OK},
		"too far behind":                      {`"method":"eth_blockNumber","params":[]`, `"0x3e4"`, Stale},
		"a little ahead":                      {`"method":"eth_blockNumber"`, `"0x406"`, OK},
		"too far ahead":                       {`"method":"eth_blockNumber"`, `"0x407"`, Contradicted},
		"fifty million ahead":                 {`"method":"eth_blockNumber"`, `"0x2faf468"`, Contradicted},
		"2^64-1":                              {`"method":"eth_blockNumber"`, `"0xffffffffffffffff"`, Contradicted},
		"2^64":                                {`"method":"eth_blockNumber"`, `"0x10000000000000000"`, BadResponse},
		"a leading zero":                      {`"method":"eth_blockNumber"`, `"0x03e8"`, BadResponse},
		"a number":                            {`"method":"eth_blockNumber"`, `1000`, BadResponse},
		"decimal":                             {`"method":"eth_blockNumber"`, `"1000"`, BadResponse},
		"no digits":                           {`"method":"eth_blockNumber"`, `"0x"`, BadResponse},
		"letters":                             {`"method":"eth_blockNumber"`, `"0xzz"`, BadResponse},
		"a sign":                              {`"method":"eth_blockNumber"`, `"0x+1"`, BadResponse},
		"null is left to the client":          {`"method":"eth_blockNumber"`, `null`, OK},
		"the chain id":                        {`"method":"eth_chainId"`, `"0x1"`, OK},
		"another chain id":                    {`"method":"eth_chainId"`, `"0x5"`, Contradicted},
		"a malformed chain id":                {`"method":"eth_chainId"`, `"0x01"`, BadResponse},
		"the newest block":                    {latest, block(1001, "aa", "bb"), OK},
		"an old newest block":                 {latest, block(900, "aa", "bb"), Stale},
		"a newest block from the future":      {latest, block(9000, "aa", "bb"), Contradicted},
		"a malformed number":                  {latest, `{"number":"0x03e8"}`, BadResponse},
		"the block that was asked for":        {byNumber, block(1000, "aa", "bb"), OK},
		"another block":                       {byNumber, block(999, "aa", "bb"), BadResponse},
		"an old block is no old head":         {`"method":"eth_getBlockByNumber","params":["0x1",false]`, block(1, "aa", "bb"), OK},
		"the finalized block may be old":      {`"method":"eth_getBlockByNumber","params":["finalized",false]`, block(900, "aa", "bb"), OK},
		"and not from the future":             {`"method":"eth_getBlockByNumber","params":["finalized",false]`, block(9000, "aa", "bb"), Contradicted},
		"a pending block has no number":       {`"method":"eth_getBlockByNumber","params":["pending",false]`, `{"number":null,"hash":null}`, OK},
		"a block by its hash":                 {`"method":"eth_getBlockByHash","params":["0xaa",false]`, block(9000, "aa", "bb"), Contradicted},
		"what else stands there is no matter": {`"method":"eth_call","params":[]`, `"0x2faf468"`, OK},
		"net_version is another number":       {`"method":"net_version","params":[]`, `"5"`, OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"jsonrpc":"2.0","id":7,` + c.call + `}`
			for _, sent := range []string{body, "[" + body + "]"} {
				w := knowing(t, config.EVMRPC, theKnown)
				w.a().set(func(_ *http.Request, b []byte) (*http.Response, error) {
					return answerWith(b, func(wireCall) string { return `"result":` + c.result }), nil
				})
				w.b().set(honest)
				good := w.post(sent).Header().Get(ProviderHeader) == "a"
				require.Equal(t, c.want == OK, good, sent)
				require.Equal(t, c.want != OK, w.state().Endpoints[0].quarantined, "it is left alone at once")
				require.Positive(t, w.state().Endpoints[0].outcomes[c.want])
			}
		})
	}
}

// honest answers what can be.
func honest(_ *http.Request, b []byte) (*http.Response, error) {
	return answerWith(b, func(c wireCall) string {
		switch c.Method {
		case "eth_chainId":
			return `"result":"0x1"`
		case "eth_blockNumber":
			return `"result":"0x3e8"`
		}
		return `"result":` + block(1000, "aa", "bb")
	}), nil
}

func TestTheOtherFamiliesTellTheirHeightsAndNetworks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ             config.Type
		network, method string
		good, bad       string
	}{
		"getblockcount":      {config.BitcoinRPC, "", "getblockcount", `1000`, `900`},
		"getblockchaininfo":  {config.BitcoinRPC, "", "getblockchaininfo", `{"chain":"main","blocks":1000}`, `{"chain":"main","blocks":9000}`},
		"cosmos status":      {config.CometBFTRPC, "gaia", "status", `{"node_info":{"network":"gaia"},"sync_info":{"latest_block_height":"1000"}}`, `{"node_info":{"network":"other"},"sync_info":{"latest_block_height":"1000"}}`},
		"cosmos height":      {config.CometBFTRPC, "gaia", "status", `{"sync_info":{"latest_block_height":"1000"}}`, `{"sync_info":{"latest_block_height":"0900"}}`},
		"xrpl server_info":   {config.XRPLRPC, "0", "server_info", `{"info":{"network_id":0,"validated_ledger":{"seq":1000}},"status":"success"}`, `{"info":{"network_id":1},"status":"success"}`},
		"solana genesis":     {config.SolanaRPC, "5eykt", "getGenesisHash", `"5eykt"`, `"other"`},
		"solana slot":        {config.SolanaRPC, "", "getSlot", `900`, `9000`},
		"soroban ledger":     {config.SorobanRPC, "", "getLatestLedger", `{"id":"aa","sequence":1000}`, `{"id":"aa","sequence":900}`},
		"soroban passphrase": {config.SorobanRPC, "Public", "getNetwork", `{"passphrase":"Public"}`, `{"passphrase":"Test"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := theKnown
			k.Network = c.network
			w := knowing(t, c.typ, k)
			w.a().set(tells(c.good))
			require.Equal(t, "a", w.call(c.method).Header().Get(ProviderHeader))
			w.a().set(tells(c.bad))
			w.b().set(tells(c.good))
			require.Equal(t, "b", w.call(c.method).Header().Get(ProviderHeader))
		})
	}
}

func TestWithNobodyBetterAStaleAnswerIsGivenAndAFalseOneIsNot(t *testing.T) {
	t.Parallel()
	w := knowing(t, config.EVMRPC, theKnown)
	for _, p := range w.providers {
		p.set(refuses)
	}
	w.a().set(tells(`"0x10"`))
	require.Contains(t, w.call("eth_blockNumber").Body.String(), `"0x10"`)
	w.a().set(tells(`"0x2faf468"`))
	rec := w.call("eth_blockNumber")
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
	require.Contains(t, rec.Body.String(), "a: told what most others contradict")
}

func TestALeaderThatTheRulesBelieveIsBelieved(t *testing.T) {
	t.Parallel()
	w := knowing(t, config.EVMRPC, theKnown)
	w.router.change(theChain, func(r *Route) { r.Endpoints[0].Lead = 500 })
	w.a().set(tells(`"0x5dc"`))
	require.Equal(t, "a", w.call("eth_blockNumber").Header().Get(ProviderHeader))
	k := Known{Tip: math.MaxUint64, TipKnown: true, MaxLag: math.MaxUint64, MaxLead: math.MaxUint64}
	require.Equal(t, OK, k.hold(&Endpoint{Lead: math.MaxUint64}, claim{height: math.MaxUint64, tall: true, newest: true}))
}

func TestWhatIsNotKnownSpeaksAgainstNobody(t *testing.T) {
	t.Parallel()
	w := knowing(t, config.EVMRPC, Known{})
	w.a().set(tells(`"0x5"`))
	require.Equal(t, "a", w.call("eth_chainId").Header().Get(ProviderHeader))
	require.Equal(t, "a", w.call("eth_blockNumber").Header().Get(ProviderHeader))
}

func TestAClientCannotMakeAGoodAnswerLookFalse(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":7,"method":"eth_getBlockByNumber","params":["0x64",false],"params":["0x65",false]}`,
		`{"id":7,"method":"eth_getBlockByNumber","params":["0x64",false],"PARAMS":["0x65",false]}`,
		`{"id":7,"method":"eth_getBlockByNumber","par\u0061ms":["0x65",false],"params":["0x64",false]}`,
	} {
		w := newWorld(t, config.EVMRPC, 1, Options{})
		w.router.change(theChain, func(r *Route) { r.Known = Known{Tip: 0x65, TipKnown: true, MaxLag: 3, MaxLead: 30} })
		w.a().set(says(200, `{"jsonrpc":"2.0","id":7,"result":{"number":"0x65"}}`))
		rec := w.post(body)
		require.Equal(t, 400, rec.Code, body)
		require.Contains(t, rec.Body.String(), "a member stands there twice")
		require.Zero(t, w.state().Endpoints[0].TotalFailures, body)
	}
}

func TestNoGoodProbeTakesAFalseAnswerBackButTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var hastened []string
		w := knowing(t, config.EVMRPC, theKnown)
		w.gateway.lane(&Route{Chain: theChain}).onQuarantine = func(_, provider string) { hastened = append(hastened, provider) }
		w.a().set(tells(`"0x5"`))
		w.b().set(honest)
		w.call("eth_chainId")
		require.Equal(t, []string{"a"}, hastened, "it is probed at once")
		w.gateway.Probed(theChain, "a", true)
		require.True(t, w.state().Endpoints[0].Unavailable)
		require.Equal(t, "b", w.call("eth_getBalance").Header().Get(ProviderHeader), "nothing else of it is believed either")
		time.Sleep(DefaultCooldown + time.Second)
		require.Equal(t, "a", w.call("eth_getBalance").Header().Get(ProviderHeader))
	})
}

func TestTheBlockOfMostOperatorsIsTheRightOne(t *testing.T) {
	t.Parallel()
	const latest = `{"jsonrpc":"2.0","id":7,"method":"eth_getBlockByNumber","params":["latest",false]}`
	for name, c := range map[string]struct {
		// seen are what probes told, by provider: height, hash, parent.
		seen  map[string]Block
		same  bool
		block string
		want  string
	}{
		"nobody told of it":             {nil, false, block(1000, "aa", "99"), "a"},
		"all agree":                     {map[string]Block{"b": {1000, "AA", "99"}, "c": {1000, "0xaa", "99"}}, false, block(1000, "aa", "99"), "a"},
		"two told of another":           {map[string]Block{"b": {1000, "bb", ""}, "c": {1000, "bb", ""}}, false, block(1000, "aa", "99"), "b"},
		"one told of another":           {map[string]Block{"b": {1000, "bb", ""}}, false, block(1000, "aa", "99"), "a"},
		"two of one operator are one":   {map[string]Block{"b": {1000, "bb", ""}, "c": {1000, "bb", ""}}, true, block(1000, "aa", "99"), "a"},
		"two told of another before it": {map[string]Block{"b": {999, "98", ""}, "c": {999, "98", ""}}, false, block(1000, "aa", "99"), "b"},
		"two told of another parent":    {map[string]Block{"b": {1000, "aa", "98"}, "c": {1000, "aa", "98"}}, false, block(1000, "aa", "99"), "b"},
		"two others disagree":           {map[string]Block{"b": {1000, "bb", ""}, "c": {1000, "cc", ""}}, false, block(1000, "aa", "99"), "a"},
		"of other heights":              {map[string]Block{"b": {1000 - blocksKept, "bb", ""}, "c": {1000 - blocksKept, "bb", ""}}, false, block(1000, "aa", "99"), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := knowing(t, config.EVMRPC, theKnown)
			if c.same {
				w.router.change(theChain, func(r *Route) { r.Endpoints[2].Operator = r.Endpoints[1].Operator })
			}
			for provider, b := range c.seen {
				w.gateway.Saw(theChain, provider, b)
			}
			w.a().set(tells(c.block))
			hash := "bb"
			if c.seen["b"].Height == 1000 {
				hash = c.seen["b"].Hash
			}
			w.b().set(tells(block(1000, hash, "98")))
			require.Equal(t, c.want, w.post(latest).Header().Get(ProviderHeader))
		})
	}
}

// After a reorganisation that one provider saw first, the others need not be
// probed to make it true.
func TestAReorganisationSettlesByTheAnswers(t *testing.T) {
	t.Parallel()
	w := knowing(t, config.EVMRPC, theKnown)
	for _, p := range []string{"a", "b", "c"} {
		w.gateway.Saw(theChain, p, Block{1000, "01d", "99"})
	}
	for _, p := range w.providers {
		p.set(tells(block(1000, "4e3", "99")))
	}
	const latest = `{"jsonrpc":"2.0","id":7,"method":"eth_getBlockByNumber","params":["latest",false]}`
	rec := w.post(latest)
	require.Equal(t, "b", rec.Header().Get(ProviderHeader), "two of three tell of the new block now")
}

func TestWhatAnotherAddressToldIsNoVoteOfThisOne(t *testing.T) {
	t.Parallel()
	const latest = `{"jsonrpc":"2.0","id":7,"method":"eth_getBlockByNumber","params":["latest",false]}`
	w := knowing(t, config.EVMRPC, theKnown)
	for _, p := range w.providers {
		p.set(tells(block(1000, "aa", "99")))
	}
	require.Equal(t, "a", w.post(latest).Header().Get(ProviderHeader))
	for _, p := range []string{"b", "c"} {
		w.gateway.Saw(theChain, p, Block{1000, "bb", "98"})
	}
	w.router.change(theChain, func(r *Route) {
		for i := range r.Endpoints[1:] {
			u, err := config.ParseURL("https://new.example/" + r.Endpoints[i+1].Provider)
			require.NoError(t, err)
			r.Endpoints[i+1].URL = u
		}
	})
	require.Equal(t, "a", w.post(latest).Header().Get(ProviderHeader))
}

func TestOldBlocksAndBlocksFromTheFutureDoNotPushOutTheNewest(t *testing.T) {
	t.Parallel()
	var b blocks
	route := Route{Endpoints: []Endpoint{{Provider: "a", Operator: "a"}, {Provider: "b", Operator: "b"}, {Provider: "c", Operator: "c"}}}
	for _, p := range []string{"b", "c"} {
		b.see(p, Block{1000, "aa", "99"})
	}
	b.see("a", Block{1000 - blocksKept, "old", "older"})
	lie := claim{height: 1000, tall: true, hash: "bb"}
	require.True(t, b.hold(&route, &route.Endpoints[0], lie))
	b.see("a", Block{1000 + 1000*blocksKept, "future", "nearly"})
	require.False(t, b.hold(&route, &route.Endpoints[0], lie))
	for _, p := range []string{"b", "c"} {
		b.see(p, Block{1000, "aa", "99"})
	}
	require.True(t, b.hold(&route, &route.Endpoints[0], lie), "the next honest probe takes the place back")
}
