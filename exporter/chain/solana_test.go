package chain

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// The slot of the files in testdata/solana-rpc.
const (
	solanaHash   = "DQ1yM1kbbsSTSs62Nup99dbP37AzqeSsk8K9JXcG8Wtn"
	solanaParent = "Do4Ks9LH3vrZsrwJ7CPreSxw8Wd3nVsxEhKSJHgWAWzk"
	solanaOld    = "Ehse2CWPXSWgNCa3r161cSwhxYMBH85ckQG7HfFrufJs"
	solanaMain   = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"
	solanaSlot   = 438741410
)

var solanaTime = time.Unix(1796006483, 0).UTC()

const askedBlockhash = `getLatestBlockhash [{"commitment":"confirmed"}]`

func TestSolanaTip(t *testing.T) {
	t.Parallel()
	want := Tip{Height: solanaSlot, Hash: solanaHash, Time: solanaTime}
	for _, tc := range []struct {
		name     string
		previous Tip
		asked    []string
	}{
		{"a first look", Tip{}, []string{askedBlockhash, "getBlockTime [438741410]"}},
		{"a new slot", Tip{Height: solanaSlot - 9, Hash: solanaOld, Time: solanaTime.Add(-time.Minute)}, []string{askedBlockhash, "getBlockTime [438741410]"}},
		{"the same slot", want, []string{askedBlockhash}},
		{"the same slot, whose time was not told", Tip{Height: solanaSlot, Hash: solanaHash}, []string{askedBlockhash, "getBlockTime [438741410]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := fileAt(t, config.SolanaRPC, "validator")
			tip, err := s.dialect.Tip(t.Context(), s.session(), tc.previous)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, tip))
			require.Equal(t, tc.asked, s.asked)
		})
	}
}

func TestSolanaTimeThatCannotBeTold(t *testing.T) {
	t.Parallel()
	refusal := func(code, message string) given {
		return given{Body: `{"jsonrpc":"2.0","error":{"code":` + code + `,"message":"` + message + `"},"id":"$id"}`}
	}
	for name, tc := range map[string]struct {
		given
		want Reason
	}{
		"null":                    {given{Body: `{"jsonrpc":"2.0","result":null,"id":"$id"}`}, ""},
		"not there yet":           {refusal("-32004", "Block not available for slot 438741410"), ""},
		"skipped":                 {refusal("-32007", "Slot 438741410 was skipped, or missing due to ledger jump to recent snapshot"), ""},
		"skipped, long ago":       {refusal("-32009", "Slot 438741410 was skipped, or missing in long-term storage"), ""},
		"cleaned up":              {refusal("-32001", "Block 438741410 cleaned up, does not exist on node. First available block: 438800000"), ""},
		"no such method":          {refusal("-32601", "Method not found"), ""},
		"no history":              {refusal("-32011", "Transaction history is not available from this node"), ""},
		"a rate limit":            {given{Status: 429, Body: `{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":"$id"}`}, RateLimited},
		"QuickNode's rate limit":  {refusal("-32007", "50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com"), RateLimited},
		"a server error":          {given{Status: 502, Body: "<html></html>"}, HTTP5xx},
		"a time that is negative": {given{Body: `{"jsonrpc":"2.0","result":-1,"id":"$id"}`}, BadResponse},
		"a time that is a text":   {given{Body: `{"jsonrpc":"2.0","result":"1796006483","id":"$id"}`}, BadResponse},
		"the answer of another":   {given{Body: `{"jsonrpc":"2.0","result":1796006483,"id":4711}`}, BadResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "solana-rpc/validator").with("getBlockTime", tc.given)
			tip, err := tipOf(t.Context(), answersAt(t, config.SolanaRPC, all))
			if tc.want != "" {
				requireFailure(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(Tip{Height: solanaSlot, Hash: solanaHash}, tip))
		})
	}
}

func TestSolanaIdentity(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.SolanaRPC, "validator")
	network, err := s.dialect.Identity(t.Context(), s.session(), solanaMain)
	require.NoError(t, err)
	require.Equal(t, solanaMain, network)
	for name, body := range map[string]string{
		"empty": `""`, "a number": `5`, "short": `"` + solanaMain[4:] + `"`, "hexadecimal": `"` + strings.Repeat("0", 64) + `"`, "null": `null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := answers{"getGenesisHash": {Body: `{"jsonrpc":"2.0","result":` + body + `,"id":"$id"}`}}
			requireFailure(t, askIdentity(t.Context(), answersAt(t, config.SolanaRPC, all)), BadResponse)
		})
	}
}

func TestSolanaHealthIsAHint(t *testing.T) {
	t.Parallel()
	hints, err := hintsOf(t.Context(), fileAt(t, config.SolanaRPC, "validator"))
	require.NoError(t, err)
	require.Equal(t, Hints{Syncing: Some(false)}, hints)

	hints, err = hintsOf(t.Context(), fileAt(t, config.SolanaRPC, "behind"))
	require.NoError(t, err)
	require.Equal(t, Hints{Syncing: Some(true)}, hints)

	o, err := fileAt(t, config.SolanaRPC, "behind").Observe(t.Context(), Ask{Hints: true, Identity: true})
	require.NoError(t, err, "what a provider says of itself is no failure of the probe")
	require.Equal(t, Some(true), o.Hints.Syncing)
	require.Equal(t, solanaMain, o.Identity)

	unhealthy := answers{"getHealth": {Body: `{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is unhealthy","data":{"numSlotsBehind":null}},"id":"$id"}`}}
	hints, err = hintsOf(t.Context(), answersAt(t, config.SolanaRPC, unhealthy))
	require.NoError(t, err)
	require.Equal(t, Hints{Syncing: Some(true)}, hints, "it may not know how far behind it is")

	all := answers{"getHealth": {Body: `{"jsonrpc":"2.0","result":"fine","id":"$id"}`}}
	requireFailure(t, askHints(t.Context(), answersAt(t, config.SolanaRPC, all)), BadResponse)
}

func TestSolanaBlock(t *testing.T) {
	t.Parallel()
	want := Block{
		Height: solanaSlot, Hash: solanaHash, Parent: solanaParent, Time: solanaTime, Transactions: Some(Transactions{Count: 2}),
	}
	s := fileAt(t, config.SolanaRPC, "validator")
	block, err := blockOf(t.Context(), s, solanaSlot)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, block))

	want.Transactions = Optional[Transactions]{}
	block, err = s.dialect.Block(t.Context(), s.session(), solanaSlot, false)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, block))
	require.Equal(t, []string{
		`getBlock [438741410,{"commitment":"confirmed","maxSupportedTransactionVersion":0,"rewards":false,"transactionDetails":"signatures"}]`,
		`getBlock [438741410,{"commitment":"confirmed","maxSupportedTransactionVersion":0,"rewards":false,"transactionDetails":"none"}]`,
	}, s.asked)
}

func TestSolanaBlockThatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code, message string
		want          error
	}{
		"skipped":                {"-32007", "Slot 5 was skipped, or missing due to ledger jump to recent snapshot", ErrSkipped},
		"skipped, long ago":      {"-32009", "Slot 5 was skipped, or missing in long-term storage", ErrSkipped},
		"cleaned up":             {"-32001", "Block 5 cleaned up, does not exist on node. First available block: 9", ErrPruned},
		"not there yet":          {"-32004", "Block not available for slot 5", &Failure{Reason: Missing}},
		"status not yet there":   {"-32014", "Block status not yet available for slot 5", &Failure{Reason: Missing}},
		"QuickNode's rate limit": {"-32007", "50/second request limit reached - reduce calls per second", &Failure{Reason: RateLimited}},
		"the node is behind":     {"-32005", "Node is behind by 42 slots", &Failure{Reason: Behind}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"jsonrpc":"2.0","error":{"code":` + tc.code + `,"message":"` + tc.message + `"},"id":"$id"}`
			_, err := blockOf(t.Context(), answersAt(t, config.SolanaRPC, answers{"getBlock": {Body: body}}), 5)
			if f, ok := errors.AsType[*Failure](tc.want); ok {
				requireFailure(t, err, f.Reason)
				return
			}
			require.ErrorIs(t, err, tc.want)
		})
	}
	null := answers{"getBlock": {Body: `{"jsonrpc":"2.0","result":null,"id":"$id"}`}}
	requireFailure(t, askBlock(5)(t.Context(), answersAt(t, config.SolanaRPC, null)), Missing)
}

func TestSolanaMalformedAnswers(t *testing.T) {
	t.Parallel()
	t.Run("latest blockhash", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.SolanaRPC, file: "validator", question: "getLatestBlockhash", ask: askTip,
			damages: damagesOf(numbers("slot", "438741410"), hashes("blockhash", solanaHash), map[string]damage{
				"the id of another request": {`"id":"$id"`, `"id":4711`},
				"no id":                     {`"id":"$id"`, `"other":1`},
				"a null result":             {`"result":{`, `"result":null,"other":{`},
				"no context":                {`"context":{`, `"other":{`},
				"a value that is a list":    {`"value":{`, `"value":[],"other":{`},
			}),
		}.run(t)
	})
	t.Run("block", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.SolanaRPC, file: "validator", question: "getBlock", ask: askBlock(solanaSlot),
			damages: damagesOf(hashes("blockhash", solanaHash), map[string]damage{
				"a time that is a text":   {`"blockTime":1796006483`, `"blockTime":"1796006483"`},
				"a negative time":         {`"blockTime":1796006483`, `"blockTime":-4`},
				"signatures of an object": {`"signatures":[`, `"signatures":{},"other":[`},
			}),
		}.run(t)
	})
}

func TestSolanaDocumentedErrors(t *testing.T) {
	t.Parallel()
	code := func(n int64) Optional[int64] { return Some(n) }
	requireDocumented(t, config.SolanaRPC, "getLatestBlockhash", askTip, []documented{
		{"behind", given{Body: `{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind by 42 slots","data":{"numSlotsBehind":42}},"id":"$id"}`},
			Failure{Reason: Behind, Code: code(-32005)}},
		{"too far behind for the context", given{Body: `{"jsonrpc":"2.0","error":{"code":-32016,"message":"Minimum context slot has not been reached"},"id":"$id"}`},
			Failure{Reason: Behind, Code: code(-32016)}},
		{"the public rate limit", given{Status: 429, Header: map[string]string{"Retry-After": "10"}, Body: `{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":"$id"}`},
			Failure{Reason: RateLimited, Status: 429, Code: code(429), Wait: 10 * time.Second}},
		{"Helius' spent plan", given{Body: "max usage reached"}, Failure{Reason: QuotaExhausted}},
		{"Helius' wrong key", given{Status: 401, Body: `{"jsonrpc":"2.0","error":{"code":-32401,"message":"invalid api key provided"},"id":"$id"}`},
			Failure{Reason: Unauthorized, Status: 401, Code: code(-32401)}},
		{"forbidden", given{Status: 403, Body: "blocked"}, Failure{Reason: Unauthorized, Status: 403}},
		{"no such method", given{Body: `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"$id"}`},
			Failure{Reason: MethodUnsupported, Code: code(-32601)}},
	})
}

func TestBase58Hash(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"the main network's genesis":        {solanaMain, true},
		"32 zeros":                          {strings.Repeat("1", 32), true},
		"31 zeros":                          {strings.Repeat("1", 31), false},
		"33 zeros":                          {strings.Repeat("1", 33), false},
		"32 bytes of 255":                   {"JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG", true},
		"one more than that":                {"JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH", false},
		"a zero byte too many at the front": {"1" + solanaMain[:43], false},
		"not in the alphabet: 0":            {"0" + solanaMain[1:], false},
		"not in the alphabet: O, I, l":      {"OIl" + solanaMain[3:], false},
		"beyond ASCII":                      {"é" + solanaMain[2:], false},
		"empty":                             {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, isBase58Hash(tc.text))
		})
	}
}

func FuzzSolana(f *testing.F) {
	fuzzAnswers(f, config.Solana, config.SolanaRPC, isBase58Hash)
}
