package chain

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

func TestHorizonTip(t *testing.T) {
	t.Parallel()
	want := Tip{Height: stellarHeight, Time: stellarTime, Network: stellarMain, Hints: Hints{Syncing: Some(false)}}
	s := fileAt(t, config.HorizonREST, "horizon")
	tip, err := tipOf(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, tip))
	require.Equal(t, []string{"GET /"}, s.asked)

	want.Hints.Syncing = Some(true)
	tip, err = tipOf(t.Context(), fileAt(t, config.HorizonREST, "ingesting"))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, tip))

	requireFailure(t, askTip(t.Context(), fileAt(t, config.HorizonREST, "empty")), Starting)
}

func TestHorizonBehindItsCore(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		core uint64
		want Optional[bool]
	}{
		"in step":                   {stellarHeight, Some(false)},
		"a few under way":           {stellarHeight + maxIngestLag, Some(false)},
		"a minute behind":           {stellarHeight + maxIngestLag + 1, Some(true)},
		"ahead of its core":         {stellarHeight - 5, Some(false)},
		"its core cannot be asked":  {0, Optional[bool]{}},
		"as far ahead as it can be": {maxHeight, Some(true)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := readAnswers(t, "horizon-rest/horizon")
			body := strings.Replace(all["GET /"].Body, `"core_latest_ledger":60643920`, `"core_latest_ledger":`+strconv.FormatUint(tc.core, 10), 1)
			tip, err := tipOf(t.Context(), answersAt(t, config.HorizonREST, answers{"GET /": {Body: body}}))
			require.NoError(t, err)
			require.Equal(t, tc.want, tip.Hints.Syncing)
		})
	}
}

func TestHorizonIdentity(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.HorizonREST, "horizon")
	o, err := s.Observe(t.Context(), Ask{Identity: true, Hints: true})
	require.NoError(t, err)
	require.Equal(t, stellarMain, o.Identity)
	require.Equal(t, []string{"GET /"}, s.asked, "one answer tells it all")
	network, err := s.dialect.Identity(t.Context(), s.session(), "")
	require.NoError(t, err)
	require.Equal(t, stellarMain, network)

	none := answers{"GET /": {Body: `{"history_latest_ledger":5}`}}
	tip, err := tipOf(t.Context(), answersAt(t, config.HorizonREST, none))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Tip{Height: 5}, tip), "what is left out is unknown")
	requireFailure(t, askIdentity(t.Context(), answersAt(t, config.HorizonREST, none)), BadResponse)
}

func TestHorizonBlock(t *testing.T) {
	t.Parallel()
	want := Block{
		Height: stellarHeight, Hash: stellarHash, Parent: stellarParent, Time: stellarTime, Transactions: Some(Transactions{Count: 341}),
	}
	s := fileAt(t, config.HorizonREST, "horizon")
	block, err := blockOf(t.Context(), s, stellarHeight)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, block))

	soroban, err := blockOf(t.Context(), fileAt(t, config.SorobanRPC, "node"), stellarHeight)
	require.NoError(t, err)
	require.Equal(t, soroban.Hash, block.Hash)
	require.Equal(t, soroban.Time, block.Time)

	want.Transactions = Optional[Transactions]{}
	for name, ask := range map[string]func() (Block, error){
		"not wanted": func() (Block, error) { return s.dialect.Block(t.Context(), s.session(), stellarHeight, false) },
		"a count of null": func() (Block, error) {
			return blockOf(t.Context(), fileAt(t, config.HorizonREST, "ingesting"), stellarHeight)
		},
	} {
		block, err := ask()
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, block), name)
	}
}

func TestHorizonBlockThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := fileAt(t, config.HorizonREST, "horizon")
	require.ErrorIs(t, askBlock(5)(t.Context(), s), ErrPruned)
	f := requireFailure(t, askBlock(99999999)(t.Context(), s), Missing)
	require.Equal(t, 404, f.Status)

	other := answers{"GET /ledgers/7": readAnswers(t, "horizon-rest/horizon")["GET /ledgers/60643919"]}
	requireFailure(t, askBlock(7)(t.Context(), answersAt(t, config.HorizonREST, other)), BadResponse)
}

func TestHorizonMalformedAnswers(t *testing.T) {
	t.Parallel()
	t.Run("root", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.HorizonREST, file: "horizon", question: "GET /", ask: askTip,
			damages: damagesOf(numbers("history_latest_ledger", "60643919"), map[string]damage{
				"no height":                  {`"history_latest_ledger"`, `"other"`},
				"a time that is none":        {`"2026-01-06T14:08:07Z"`, `"2026-13-06T14:08:07Z"`},
				"a time that is a number":    {`"2026-01-06T14:08:07Z"`, `1767708487`},
				"a core that is a text":      {`"core_latest_ledger":60643920`, `"core_latest_ledger":"60643920"`},
				"a core that is negative":    {`"core_latest_ledger":60643920`, `"core_latest_ledger":-1`},
				"a passphrase of a list":     {`"` + stellarMain + `"`, `["` + stellarMain + `"]`},
				"the root of something else": {`{"_links"`, `[],{"_links"`},
			}),
		}.run(t)
	})
	t.Run("ledger", func(t *testing.T) {
		t.Parallel()
		strictness{
			typ: config.HorizonREST, file: "horizon", question: "GET /ledgers/60643919", ask: askBlock(stellarHeight),
			damages: damagesOf(numbers("sequence", "60643919"), hashes("hash", stellarHash), map[string]damage{
				"a negative count":        {`"successful_transaction_count":245`, `"successful_transaction_count":-245`},
				"a count that is a text":  {`"failed_transaction_count":96`, `"failed_transaction_count":"96"`},
				"a time that is a number": {`"closed_at":"2026-01-06T14:08:07Z"`, `"closed_at":1767708487`},
			}),
		}.run(t)
	})
}

func TestHorizonDocumentedErrors(t *testing.T) {
	t.Parallel()
	problem := func(status int, name, title string) given {
		return given{Status: status, Body: `{"type":"https://stellar.org/horizon-errors/` + name + `","title":"` + title + `","status":` + strconv.Itoa(status) + `,"detail":"Please see the documentation."}`}
	}
	limited := problem(429, "rate_limit_exceeded", "Rate Limit Exceeded")
	limited.Header = map[string]string{"Retry-After": "12", "X-Ratelimit-Remaining": "0"}
	requireDocumented(t, config.HorizonREST, "GET /", askTip, []documented{
		{"rate_limit_exceeded", limited, Failure{Reason: RateLimited, Status: 429, Wait: 12 * time.Second}},
		{"stale_history", problem(503, "stale_history", "Historical DB Is Too Stale"), Failure{Reason: Behind, Status: 503}},
		{"still_ingesting", problem(503, "still_ingesting", "Still Ingesting"), Failure{Reason: Syncing, Status: 503}},
		{"server_over_capacity", problem(503, "server_over_capacity", "Server Over Capacity"), Failure{Reason: Busy, Status: 503}},
		{"not_found", problem(404, "not_found", "Resource Missing"), Failure{Reason: Missing, Status: 404}},
		{"timeout", problem(504, "timeout", "Timeout"), Failure{Reason: Timeout, Status: 504}},
		{"internal_server_error", problem(500, "internal_server_error", "Internal Server Error"), Failure{Reason: HTTP5xx, Status: 500}},
		{"an error at 200", problem(200, "stale_history", "Historical DB Is Too Stale"), Failure{Reason: Behind}},
		{"health, by accident", given{Status: 503, Body: `{"database_connected":true,"core_up":false,"core_synced":false}`}, Failure{Reason: HTTP5xx, Status: 503}},
		{"a wrong path of a gateway", given{Status: 404, Body: "no such app"}, Failure{Reason: HTTP4xx, Status: 404}},
	})
}

func FuzzHorizon(f *testing.F) {
	fuzzAnswers(f, config.Stellar, config.HorizonREST, isHexHash)
}
