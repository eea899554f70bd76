package chain

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

const bitcoinGenesis = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"

// esploraGiving is an esplora-rest provider that gives set answers.
func esploraGiving(tb testing.TB, all answers) *scripted {
	tb.Helper()
	c, p := scriptedChain(tb, config.Bitcoin, config.EsploraREST)
	return newScripted(tb, c, p, all.to(tb))
}

// esploraFile is an esplora-rest provider that gives the answers of a file.
func esploraFile(tb testing.TB, name string) *scripted {
	tb.Helper()
	return esploraGiving(tb, readAnswers(tb, "esplora-rest/"+name))
}

func TestEsploraTip(t *testing.T) {
	t.Parallel()
	want := Tip{Height: 840000, Hash: coreTip, Parent: coreParent, Time: time.Unix(1713571767, 0).UTC()}
	for _, tc := range []struct {
		name     string
		previous Tip
		asked    []string
	}{
		{"a first look", Tip{}, []string{"GET /blocks/tip/height", "GET /block-height/840000", "GET /block/" + coreTip}},
		{"a new block", Tip{Height: 839999, Hash: coreParent}, []string{"GET /blocks/tip/height", "GET /block-height/840000", "GET /block/" + coreTip}},
		{"the same block", want, []string{"GET /blocks/tip/height"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := esploraFile(t, "good")
			o, err := s.Observe(t.Context(), Ask{Previous: tc.previous, Hints: true})
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(want, o.Tip))
			require.Equal(t, tc.asked, s.asked)
		})
	}
}

func TestEsploraIdentity(t *testing.T) {
	t.Parallel()
	o, err := esploraFile(t, "good").Observe(t.Context(), Ask{Identity: true})
	require.NoError(t, err)
	require.Equal(t, bitcoinGenesis, o.Identity)
}

func TestEsploraBlock(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		height       uint64
		transactions bool
		want         Block
	}{
		{"the hash alone", 840000, false, Block{Height: 840000, Hash: coreTip}},
		{"with its transactions", 840000, true, Block{
			Height: 840000, Hash: coreTip, Parent: coreParent, Time: time.Unix(1713571767, 0).UTC(), Transactions: Some(Transactions{Count: 3050}),
		}},
		{"the first one has no parent", 0, true, Block{
			Hash: bitcoinGenesis, Time: time.Unix(1231006505, 0).UTC(), Transactions: Some(Transactions{Count: 1}),
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := esploraFile(t, "good").Block(t.Context(), tc.height, tc.transactions)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tc.want, got))
		})
	}
	t.Run("beyond the tip", func(t *testing.T) {
		t.Parallel()
		_, err := esploraFile(t, "beyond-the-tip").Block(t.Context(), 840001, true)
		requireFailure(t, err, Missing)
	})
	t.Run("announced and gone", func(t *testing.T) {
		t.Parallel()
		_, err := esploraFile(t, "block-gone").Block(t.Context(), 840000, true)
		requireFailure(t, err, Missing)
	})
}

func TestEsploraDocumentedErrors(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		reason Reason
		wait   time.Duration
	}{
		"rate-limit":            {RateLimited, time.Minute},
		"limit-in-words-at-200": {RateLimited, 0},
		"gateway":               {HTTP5xx, 0},
		"html-at-200":           {BadResponse, 0},
		"wrong-path":            {HTTP4xx, 0},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, err := esploraFile(t, file).Observe(t.Context(), Ask{})
			require.Equal(t, want.wait, requireFailure(t, err, want.reason).Wait)
		})
	}
}

func TestEsploraMalformedAnswers(t *testing.T) {
	t.Parallel()
	good := readAnswers(t, "esplora-rest/good")
	height, hash, block := "GET /blocks/tip/height", "GET /block-height/840000", "GET /block/"+coreTip
	fails := func(name string, all answers) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := esploraGiving(t, all).Observe(t.Context(), Ask{Identity: true})
			requireFailure(t, err, BadResponse)
		})
	}
	for name, body := range badBodies {
		for _, question := range []string{height, hash, block, "GET /block-height/0"} {
			fails(question+"/"+name, good.with(question, given{Body: body}))
		}
	}
	for name, number := range badNumbers {
		fails("height/"+name, good.with(height, given{Body: number}))
		fails("height of a block/"+name, changed(t, good, block, `"height":840000`, `"height":`+number))
		fails("tx_count/"+name, changed(t, good, block, `"tx_count":3050`, `"tx_count":`+number))
		fails("timestamp/"+name, changed(t, good, block, `"timestamp":1713571767`, `"timestamp":`+number))
	}
	fails("height with a sign", good.with(height, given{Body: "+840000"}))
	fails("height with words", good.with(height, given{Body: "840000 blocks"}))
	fails("a short hash", good.with(hash, given{Body: coreTip[1:]}))
	fails("no id", changed(t, good, block, `"id":"`+coreTip+`",`, ``))
	fails("another id", changed(t, good, block, coreTip, coreParent))
	fails("another height", changed(t, good, block, `"height":840000`, `"height":839999`))
	fails("a previous hash that is none", changed(t, good, block, coreParent, "0x00"))
}

func FuzzEsploraTip(f *testing.F) { fuzzAnswers(f, config.Bitcoin, config.EsploraREST, isHexHash) }
