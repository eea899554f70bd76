package chain

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The ledger of the files in testdata/xrpl-rpc.
const (
	xrplHash   = "239aef90407aa56065e9bca6d52d21c187fb98b47b541acc942d636801b71e0d"
	xrplHeight = 102609807
)

func TestXRPLTip(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file  string
		hints Hints
		age   time.Duration
	}{
		"rippled tells state and peers": {"rippled", Hints{Syncing: Some(false), Peers: Some(90)}, 5 * time.Second},
		"Clio tells neither":            {"clio", Hints{}, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := fileAt(t, config.XRPLRPC, tc.file)
				tip, err := tipOf(t.Context(), s)
				require.NoError(t, err)
				require.Empty(t, cmp.Diff(Tip{
					Height: xrplHeight, Hash: xrplHash, Time: time.Now().Add(-tc.age).UTC(), Network: "0", Hints: tc.hints,
				}, tip))
				require.Len(t, s.asked, 1)
				require.True(t, strings.HasPrefix(s.asked[0], "server_info"))
			})
		})
	}
}

func TestXRPLTimeOfTheTip(t *testing.T) {
	t.Parallel()
	const age, hash = `"age":5`, `"hash":"239AEF90407AA56065E9BCA6D52D21C187FB98B47B541ACC942D636801B71E0D"`
	earlier := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, instead string
		previous      Tip
		want          func(now time.Time) time.Time
	}{
		{"now less the age", age, Tip{}, func(now time.Time) time.Time { return now.Add(-5 * time.Second) }},
		{"no age", `"other":5`, Tip{}, func(time.Time) time.Time { return time.Time{} }},
		{"the close time, where it is told", `"age":5,"close_time":825822280`, Tip{},
			func(time.Time) time.Time { return time.Date(2026, 3, 3, 3, 4, 40, 0, time.UTC) }},
		{"the same ledger as before has the same time", `"age":0`, Tip{Height: xrplHeight, Hash: xrplHash, Time: earlier},
			func(time.Time) time.Time { return earlier }},
		{"another ledger than before", age, Tip{Height: 1, Hash: strings.Repeat("0", 64), Time: earlier},
			func(now time.Time) time.Time { return now.Add(-5 * time.Second) }},
		{"a ledger of this second", `"age":0`, Tip{}, func(now time.Time) time.Time { return now }},
		{"an age that is older than time", `"age":9007199254740992`, Tip{}, func(time.Time) time.Time { return time.Time{} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all := readAnswers(t, "xrpl-rpc/rippled")
				body := all["server_info"].Body
				require.True(t, strings.Contains(body, age) && strings.Contains(body, hash))
				s := answersAt(t, config.XRPLRPC, all.with("server_info", given{Body: strings.Replace(body, age, tc.instead, 1)}))
				tip, err := s.dialect.Tip(t.Context(), s.session(), tc.previous)
				require.NoError(t, err)
				require.Equal(t, tc.want(time.Now().UTC()), tip.Time)
			})
		})
	}
}

func TestXRPLServerStates(t *testing.T) {
	t.Parallel()
	for state, syncing := range map[string]bool{
		"disconnected": true, "connected": true, "syncing": true, "tracking": true,
		"full": false, "validating": false, "proposing": false, "of a later version": true,
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "xrpl-rpc/rippled")
			body := strings.Replace(all["server_info"].Body, `"server_state":"full"`, `"server_state":"`+state+`"`, 1)
			tip, err := tipOf(t.Context(), answersAt(t, config.XRPLRPC, all.with("server_info", given{Body: body})))
			require.NoError(t, err)
			require.Equal(t, Some(syncing), tip.Hints.Syncing)
		})
	}
	tip, err := tipOf(t.Context(), fileAt(t, config.XRPLRPC, "amendment-blocked"))
	require.NoError(t, err)
	require.Equal(t, Some(true), tip.Hints.Syncing, "a blocked server says full all the same")
	require.True(t, tip.Time.IsZero(), "and an age of 0 when it has stood for weeks")
}

func TestXRPLWithoutAValidatedLedger(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]Reason{
		"disconnected": Starting, "connected": Starting, "syncing": Syncing, "tracking": Syncing, "full": Syncing,
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "xrpl-rpc/starting")
			body := strings.Replace(all["server_info"].Body, `"server_state":"connected"`, `"server_state":"`+state+`"`, 1)
			f := requireFailure(t, askTip(t.Context(), answersAt(t, config.XRPLRPC, all.with("server_info", given{Body: body}))), want)
			require.Contains(t, f.Text, state)
		})
	}
}

func TestXRPLIdentity(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.XRPLRPC, "rippled")
	o, err := s.Observe(t.Context(), Ask{Identity: true})
	require.NoError(t, err)
	require.Equal(t, "0", o.Identity)
	require.Len(t, s.asked, 1, "the tip told it")
	network, err := s.dialect.Identity(t.Context(), s.session(), "0")
	require.NoError(t, err)
	require.Equal(t, "0", network)

	f := requireFailure(t, askIdentity(t.Context(), fileAt(t, config.XRPLRPC, "amendment-blocked")), BadResponse)
	require.Contains(t, f.Text, "checkpoint")
}

func TestXRPLNetworkThatIsProvenElsewhere(t *testing.T) {
	t.Parallel()
	for name, prove := range map[string]func(*config.Chain){
		"by a checkpoint":     func(c *config.Chain) { c.Checkpoint = &config.Checkpoint{Height: xrplHeight, Hash: xrplHash} },
		"any network will do": func(c *config.Chain) { c.Network.Any = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := scriptedChain(t, config.XRPL, config.XRPLRPC)
			c.Network.Value = "21337"
			prove(&c)
			all := readAnswers(t, "xrpl-rpc/amendment-blocked").with("ledger", readAnswers(t, "xrpl-rpc/rippled")["ledger"])
			o, err := newScripted(t, c, p, all.to(t)).Observe(t.Context(), Ask{Identity: true})
			require.NoError(t, err)
			if c.Checkpoint == nil {
				require.Empty(t, o.Identity)
				return
			}
			require.Equal(t, Some(false), o.OffCheckpoint)
			require.Equal(t, "21337", o.Identity)

			c.Checkpoint.Hash = strings.Repeat("0", 64)
			o, err = newScripted(t, c, p, all.to(t)).Observe(t.Context(), Ask{Identity: true})
			require.NoError(t, err)
			require.Equal(t, Some(true), o.OffCheckpoint)
			require.Empty(t, o.Identity, "another block proves nothing")
		})
	}
}

func TestXRPLBlock(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.XRPLRPC, "rippled")
	block, err := blockOf(t.Context(), s, xrplHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Block{
		Height: xrplHeight, Hash: xrplHash, Parent: "240a42374fa81d24508638282a416c46b2ff7d1dc529871e7151e5eeffd77b13",
		Time: time.Date(2026, 3, 3, 3, 4, 40, 0, time.UTC),
		Transactions: Some(Transactions{
			Count: 3, Digest: "48e92b6c0fd36be68a5ec496942426a1fbd5e78d32bb1955b7f85f979812f9cc",
		}),
	}, block))
	require.Contains(t, s.asked[0], `"ledger_index":102609807`)
	require.Contains(t, s.asked[0], `"transactions":true`)

	without, err := s.dialect.Block(t.Context(), s.session(), xrplHeight, false)
	require.NoError(t, err)
	require.Equal(t, Optional[Transactions]{}, without.Transactions)

	requireFailure(t, askBlock(xrplHeight+1)(t.Context(), s), BadResponse)
	requireFailure(t, askBlock(5)(t.Context(), fileAt(t, config.XRPLRPC, "clio")), Missing)
	requireFailure(t, askBlock(5)(t.Context(), fileAt(t, config.XRPLRPC, "starting")), Syncing)

	all := readAnswers(t, "xrpl-rpc/rippled")
	open := strings.Replace(all["ledger"].Body, `"validated":true`, `"validated":false`, 1)
	requireFailure(t, askBlock(xrplHeight)(t.Context(), answersAt(t, config.XRPLRPC, all.with("ledger", given{Body: open}))), Missing)
}

func TestXRPLMalformedAnswers(t *testing.T) {
	t.Parallel()
	upper := strings.ToUpper(xrplHash)
	t.Run("server_info", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.XRPLRPC, file: "rippled", question: "server_info", ask: askTip,
			damages: damagesOf(numbers("seq", "102609807"), hashes("hash", upper), map[string]damage{
				"sequence 0":                   {`"seq":102609807`, `"seq":0`},
				"the id of another request":    {`"id":"$id"`, `"id":4711`},
				"a negative age":               {`"age":5`, `"age":-5`},
				"an age that is a fraction":    {`"age":5`, `"age":5.5`},
				"an age that is a text":        {`"age":5`, `"age":"5"`},
				"peers that are a text":        {`"peers":90`, `"peers":"90"`},
				"negative peers":               {`"peers":90`, `"peers":-1`},
				"a network id that is a text":  {`"network_id":0`, `"network_id":"0"`},
				"a negative network id":        {`"network_id":0`, `"network_id":-1`},
				"a state that is a number":     {`"server_state":"full"`, `"server_state":4`},
				"a validated ledger of a list": {`"validated_ledger":{`, `"validated_ledger":[],"other":{`},
				"no info":                      {`"info":{`, `"other":{`},
				"a null result":                {`"result":{`, `"result":null,"other":{`},
			}),
		}.run(t)
	})
	t.Run("ledger", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.XRPLRPC, file: "rippled", question: "ledger", ask: askBlock(xrplHeight),
			damages: damagesOf(numbers("ledger_index", "102609807"), map[string]damage{
				"no hash":                     {`"ledger_hash":"` + upper + `","ledger_index":102609807`, `"ledger_index":102609807`},
				"transactions of an object":   {`"transactions":[`, `"transactions":{},"other":[`},
				"a close time that is a text": {`"close_time":825822280`, `"close_time":"825822280"`},
			}),
		}.run(t)
	})
}

func TestXRPLDocumentedErrors(t *testing.T) {
	t.Parallel()
	token := func(name, code, message string) given {
		return given{Body: `{"result":{"error":"` + name + `","error_code":` + code + `,"error_message":"` + message + `","request":{"command":"server_info"},"status":"error"}}`}
	}
	code := func(n int64) Optional[int64] { return Some(n) }
	ask := func(ctx context.Context, s *scripted) error { return askTip(ctx, s) }
	requireDocumented(t, config.XRPLRPC, "server_info", ask, []documented{
		{"slowDown", token("slowDown", "10", "You are placing too much load on the server."), Failure{Reason: RateLimited, Code: code(10)}},
		{"slowDown without its words", token("slowDown", "10", ""), Failure{Reason: RateLimited, Code: code(10)}},
		{"tooBusy", token("tooBusy", "9", "The server is too busy to help you now."), Failure{Reason: Busy, Code: code(9)}},
		{"noNetwork", token("noNetwork", "17", "Not synced to the network."), Failure{Reason: Syncing, Code: code(17)}},
		{"notSynced", token("notSynced", "18", "Not synced to the network."), Failure{Reason: Syncing, Code: code(18)}},
		{"noCurrent", token("noCurrent", "15", "Current ledger is unavailable."), Failure{Reason: Syncing, Code: code(15)}},
		{"noClosed", token("noClosed", "16", "Closed ledger is unavailable."), Failure{Reason: Starting, Code: code(16)}},
		{"notReady", token("notReady", "13", "Not ready to handle this request."), Failure{Reason: Starting, Code: code(13)}},
		{"amendmentBlocked", token("amendmentBlocked", "14", "Amendment blocked, need upgrade."), Failure{Reason: Behind, Code: code(14)}},
		{"unlBlocked", token("unlBlocked", "94", "Validator list expired."), Failure{Reason: Behind, Code: code(94)}},
		{"wrongNetwork", token("wrongNetwork", "4", "Wrong network."), Failure{Reason: WrongNetwork, Code: code(4)}},
		{"lgrNotFound", token("lgrNotFound", "21", "ledgerNotFound"), Failure{Reason: Missing, Code: code(21)}},
		{"unknownCmd", token("unknownCmd", "32", "Unknown method."), Failure{Reason: MethodUnsupported, Code: code(32)}},
		{"forbidden", token("forbidden", "3", "Bad credentials."), Failure{Reason: Unauthorized, Code: code(3)}},
		{"noPermission", token("noPermission", "6", "You don't have permission for this command."), Failure{Reason: Unauthorized, Code: code(6)}},
		{"internal", token("internal", "73", "Internal error."), Failure{Reason: RPCError, Code: code(73)}},
		{"an error of status alone", given{Body: `{"result":{"status":"error"}}`}, Failure{Reason: RPCError}},
		{"in the shape of ripplerpc 2.0", given{Body: `{"error":{"error":"internal","code":73,"message":"Internal error."}}`}, Failure{Reason: RPCError, Code: code(73)}},
		{"over its share", given{Status: 503, Body: "Server is overloaded\r\n"}, Failure{Reason: RateLimited, Status: 503}},
		{"forbidden by status", given{Status: 403, Body: "Forbidden\r\n"}, Failure{Reason: Unauthorized, Status: 403}},
		{"a request that it cannot read", given{Status: 400, Body: "params unparsable\r\n"}, Failure{Reason: HTTP4xx, Status: 400}},
		{"a gateway without its node", given{Status: 502, Body: "<html></html>"}, Failure{Reason: HTTP5xx, Status: 502}},
	})
}

func TestXRPLRepeatsNoIDAtAll(t *testing.T) {
	t.Parallel()
	all := readAnswers(t, "xrpl-rpc/rippled")
	body := strings.Replace(all["server_info"].Body, `"id":"$id",`, "", 1)
	require.NotEqual(t, all["server_info"].Body, body)
	require.NoError(t, askTip(t.Context(), answersAt(t, config.XRPLRPC, all.with("server_info", given{Body: body}))))
}

func FuzzXRPL(f *testing.F) {
	fuzzAnswers(f, config.XRPL, config.XRPLRPC, isHexHash)
}
