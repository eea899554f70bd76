package chain

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fakeDialect answers as a test says and notes what it was asked.
type fakeDialect struct {
	tip         Tip
	tipErr      error
	identity    string
	identityErr error
	block       Block
	blockErr    error
	hints       Hints
	hintsErr    error
	found       map[string]bool
	foundErr    error

	asked []string
	wants []string
}

func (d *fakeDialect) Tip(context.Context, *Session, Tip) (Tip, error) {
	d.asked = append(d.asked, "tip")
	return d.tip, d.tipErr
}

func (d *fakeDialect) Identity(_ context.Context, _ *Session, want string) (string, error) {
	d.asked, d.wants = append(d.asked, "identity"), append(d.wants, want)
	return d.identity, d.identityErr
}

func (d *fakeDialect) Block(_ context.Context, _ *Session, height uint64, _ bool) (Block, error) {
	d.asked = append(d.asked, "block")
	d.block.Height = height
	return d.block, d.blockErr
}

func (d *fakeDialect) Hints(context.Context, *Session, Tip) (Hints, error) {
	d.asked = append(d.asked, "hints")
	return d.hints, d.hintsErr
}

func (d *fakeDialect) Capabilities(context.Context, *Session, Tip, []string) (map[string]bool, error) {
	d.asked = append(d.asked, "capabilities")
	return d.found, d.foundErr
}

func (d *fakeDialect) Cost() config.Cost { return config.Cost{Cycle: 1} }

// faked makes a provider with a dialect of a test.
func faked(tb testing.TB, d *fakeDialect, changes ...func(*config.Chain, *config.Provider)) *Provider {
	tb.Helper()
	p := evmAt(tb, "https://provider.test", changes...)
	p.dialect = d
	return p
}

func TestWhenTheIdentityIsAsked(t *testing.T) {
	t.Parallel()
	before := Tip{Height: 100, Hash: "aa"}
	for _, c := range []struct {
		name     string
		ask      bool
		previous Tip
		tip      Tip
		want     bool
	}{
		{"when it is due", true, before, Tip{Height: 100, Hash: "aa"}, true},
		{"not at the first tip", false, Tip{}, Tip{Height: 100, Hash: "aa"}, false},
		{"not at the same tip", false, before, Tip{Height: 100, Hash: "aa"}, false},
		{"not at a child", false, before, Tip{Height: 101, Hash: "bb", Parent: "aa"}, false},
		{"not at a child that names no parent", false, before, Tip{Height: 101, Hash: "bb"}, false},
		{"not some blocks on", false, before, Tip{Height: 130, Hash: "bb", Parent: "cc"}, false},
		{"not without hashes", false, Tip{Height: 100}, Tip{Height: 100}, false},
		{"at another block of the same height", false, before, Tip{Height: 100, Hash: "bb"}, true},
		{"at a child of another block", false, before, Tip{Height: 101, Hash: "bb", Parent: "cc"}, true},
		{"at a lower block", false, before, Tip{Height: 99, Hash: "bb"}, true},
		{"at a block too far on", false, before, Tip{Height: 131, Hash: "bb"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &fakeDialect{tip: c.tip, identity: "1"}
			o, err := faked(t, d).Observe(t.Context(), Ask{Identity: c.ask, Previous: c.previous})
			require.NoError(t, err)
			require.True(t, o.HasTip)
			require.Equal(t, c.tip, o.Tip)
			if c.want {
				require.Equal(t, []string{"tip", "identity"}, d.asked)
				require.Equal(t, "1", o.Identity)
			} else {
				require.Equal(t, []string{"tip"}, d.asked)
				require.Empty(t, o.Identity)
			}
		})
	}
}

func TestAnIdentityThatTheTipToldIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	genesis := strings.Repeat("0a", 32)
	for _, c := range []struct {
		name, told string
		network    config.Network
		asked      []string
		wants      []string
		identity   string
	}{
		{"told", "cosmoshub-4", config.Network{Value: "cosmoshub-4"}, []string{"tip"}, nil, "cosmoshub-4"},
		{"not told", "", config.Network{Value: "1"}, []string{"tip", "identity"}, []string{"1"}, "asked"},
		{"told as a name where a genesis is wanted", "1", config.Network{Value: genesis}, []string{"tip", "identity"}, []string{genesis}, "asked"},
		{"nothing is wanted", "", config.Network{Any: true, Value: "1"}, []string{"tip", "identity"}, []string{""}, "asked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &fakeDialect{tip: Tip{Height: 1, Network: c.told}, identity: "asked"}
			p := faked(t, d, func(chain *config.Chain, _ *config.Provider) { chain.Network = c.network })
			o, err := p.Observe(t.Context(), Ask{Identity: true})
			require.NoError(t, err)
			require.Equal(t, c.asked, d.asked)
			require.Equal(t, c.wants, d.wants)
			require.Equal(t, c.identity, o.Identity)
		})
	}
	d := &fakeDialect{tip: Tip{Height: 1, Network: "told"}}
	o, err := faked(t, d).Observe(t.Context(), Ask{})
	require.NoError(t, err)
	require.Equal(t, "told", o.Identity, "what comes for nothing is taken")
}

func TestCheckpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		height  uint64
		block   string
		err     error
		want    Optional[bool]
		failure Reason
		asked   bool
	}{
		{"the same block", 100, "aa", nil, Some(false), "", true},
		{"at the tip itself", 50, "aa", nil, Some(false), "", true},
		{"another block", 100, "bb", nil, Some(true), "", true},
		{"below the tip yet to come", 49, "aa", nil, Optional[bool]{}, "", false},
		{"pruned", 100, "", ErrPruned, Optional[bool]{}, "", true},
		{"skipped", 100, "", ErrSkipped, Optional[bool]{}, "", true},
		{"missing", 100, "", &Failure{Reason: Missing}, Optional[bool]{}, "", true},
		{"a limit", 100, "", &Failure{Reason: RateLimited}, Optional[bool]{}, RateLimited, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &fakeDialect{tip: Tip{Height: c.height}, identity: "1", block: Block{Hash: c.block}, blockErr: c.err}
			p := faked(t, d, func(chain *config.Chain, _ *config.Provider) {
				chain.Checkpoint = &config.Checkpoint{Height: 50, Hash: "aa"}
			})
			o, err := p.Observe(t.Context(), Ask{Identity: true})
			require.Equal(t, c.failure, reasonOf(err))
			require.Equal(t, c.want, o.OffCheckpoint)
			require.Equal(t, c.asked, len(d.asked) == 3)
			require.Equal(t, "1", o.Identity)

			d.asked = nil
			o, err = p.Observe(t.Context(), Ask{})
			require.NoError(t, err)
			require.Equal(t, []string{"tip"}, d.asked, "it is asked with the identity only")
			require.False(t, o.OffCheckpoint.Known)
		})
	}
}

// serious are the reasons for which an optional question fails a probe.
var serious = map[Reason]bool{
	ConnectionRefused: true, ConnectionReset: true, DNS: true, TLS: true, Timeout: true, HTTP5xx: true, Redirect: true,
	RateLimited: true, QuotaExhausted: true, IPBlocked: true, Busy: true, WrongNetwork: true,
}

func TestWhichFailuresOfOptionalQuestionsCount(t *testing.T) {
	t.Parallel()
	for _, reason := range Reasons {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			failure := &Failure{Reason: reason}
			d := &fakeDialect{
				tip: Tip{Height: 1, Hints: Hints{Syncing: Some(true)}}, hints: Hints{Peers: Some(3)}, hintsErr: failure,
				found: map[string]bool{config.CapabilityBatch: true}, foundErr: failure,
			}
			p := faked(t, d, func(_ *config.Chain, p *config.Provider) { p.Capabilities = []string{config.CapabilityBatch} })
			o, err := p.Observe(t.Context(), Ask{Hints: true})
			require.Equal(t, serious[reason], err != nil)
			require.Equal(t, Hints{Syncing: Some(true), Peers: Some(3)}, o.Hints, "what is known is kept")
			o, err = p.Observe(t.Context(), Ask{Capabilities: true})
			require.Equal(t, serious[reason], err != nil)
			require.Equal(t, d.found, o.Capabilities)
			require.Equal(t, []string{"tip", "hints", "tip", "capabilities"}, d.asked)
		})
	}
	t.Run("no verdict", func(t *testing.T) {
		t.Parallel()
		d := &fakeDialect{tip: Tip{Height: 1}, hintsErr: &NoVerdict{Cause: CauseCancelled, Err: context.Canceled}}
		_, err := faked(t, d).Observe(t.Context(), Ask{Hints: true})
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestCapabilitiesAreAskedIfAnyAreDeclared(t *testing.T) {
	t.Parallel()
	d := &fakeDialect{tip: Tip{Height: 1}}
	o, err := faked(t, d).Observe(t.Context(), Ask{Capabilities: true})
	require.NoError(t, err)
	require.Equal(t, []string{"tip"}, d.asked)
	require.Nil(t, o.Capabilities)
}

func TestRefusedMethodsAreTriedAgainWithTheCapabilities(t *testing.T) {
	t.Parallel()
	p := faked(t, &fakeDialect{tip: Tip{Height: 1}})
	s := p.session()
	require.False(t, s.Unsupported("net_peerCount"))
	s.NoteUnsupported("net_peerCount")
	_, err := p.Observe(t.Context(), Ask{})
	require.NoError(t, err)
	require.True(t, s.Unsupported("net_peerCount"))
	require.False(t, s.Unsupported("eth_syncing"))
	_, err = p.Observe(t.Context(), Ask{Capabilities: true})
	require.NoError(t, err)
	require.False(t, s.Unsupported("net_peerCount"))
}

func TestObserveKeepsItsPromiseOnErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		d    fakeDialect
		want Reason
	}{
		{"a failure", fakeDialect{tipErr: &Failure{Reason: Busy}}, Busy},
		{"a tip that is pruned", fakeDialect{tipErr: ErrPruned}, Missing},
		{"a genesis that is pruned", fakeDialect{tip: Tip{Height: 1}, identityErr: ErrPruned}, Missing},
		{"an error without a class", fakeDialect{tipErr: errors.New("odd")}, BadResponse},
		{"a name without an end in the tip", fakeDialect{tip: Tip{Height: 1, Network: strings.Repeat("x", 1000)}}, BadResponse},
		{"a name without an end", fakeDialect{tip: Tip{Height: 1}, identity: strings.Repeat("x", 1000)}, BadResponse},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := faked(t, &c.d).Observe(t.Context(), Ask{Identity: true})
			requireFailure(t, err, c.want)
		})
	}
}

func TestExchangesTellTheProbe(t *testing.T) {
	t.Parallel()
	c, p := scriptedChain(t, config.EVM, config.EVMRPC)
	s := newScripted(t, c, p, func(q question) given {
		switch q.Name {
		case "eth_getBlockByNumber":
			return given{Body: goodBlock}
		case "eth_syncing":
			return given{Status: 429, Body: `{"id":"$id","error":{"code":429,"message":"compute units per second","data":{"retryAfter":9}}}`}
		}
		return given{Body: `{"id":"$id","result":"0x1"}`}
	})
	o, err := s.Observe(t.Context(), Ask{Identity: true, Hints: true})
	f := requireFailure(t, err, RateLimited)
	require.Equal(t, 9*time.Second, f.Wait)
	require.True(t, o.HasTip, "what was found before it failed is kept")
	require.Equal(t, "1", o.Identity)
	var told []string
	for _, e := range o.Exchanges {
		told = append(told, e.Request+" "+string(e.Reason))
		require.Positive(t, e.Bytes)
	}
	require.Equal(t, []string{"eth_getBlockByNumber ", "eth_chainId ", "eth_syncing rate_limited"}, told)
	require.Equal(t, 429, o.Exchanges[2].Status)
	require.Equal(t, f.Text, o.Exchanges[2].Text)
	require.Equal(t, "eth_syncing: rate_limited, HTTP 429, code 429: compute units per second {\"retryAfter\":9} (asks to wait 9s)", f.Error())
}

func TestLatencyIsThatOfTheHeight(t *testing.T) {
	t.Parallel()
	refused := Exchange{Reason: MethodUnsupported, Status: 404, Latency: 1}
	good := Exchange{Status: 200, Latency: 2}
	failed := Exchange{Reason: Timeout, Latency: 3}
	for _, c := range []struct {
		name      string
		exchanges []Exchange
		want      time.Duration
	}{
		{"no exchange", nil, 0},
		{"the first", []Exchange{good, failed}, 2},
		{"the first good one", []Exchange{refused, good, failed}, 2},
		{"the one that failed", []Exchange{failed}, 3},
		{"the last that failed", []Exchange{refused, failed}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, heightLatency(c.exchanges))
		})
	}
}

// A probe and the search for a block may run at the same time.
func TestQuestionsMayRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	p := evmAt(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := readQuestion(r)
		switch {
		case q.Name == "net_peerCount":
			_, _ = w.Write([]byte(`{"id":` + q.IDs[0] + `,"error":{"code":-32601,"message":"no"}}`))
		case q.Name == "eth_getBlockByNumber" && len(q.IDs[0])%2 == 0:
			w.WriteHeader(http.StatusBadGateway)
		default:
			_, _ = w.Write([]byte(strings.ReplaceAll(goodBlock, `"$id"`, q.IDs[0])))
		}
	}))
	var questions sync.WaitGroup
	for range 4 {
		questions.Go(func() { _, _ = p.Observe(t.Context(), Ask{Hints: true, Capabilities: true}) })
		questions.Go(func() { _, _ = p.Block(t.Context(), 16, true) })
	}
	questions.Wait()
}
