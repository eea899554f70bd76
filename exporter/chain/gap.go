package chain

import (
	"errors"
	"net/http"
	"strings"

	"github.com/understudy-rpc/understudy/internal/config"
)

// gap is an answer that says why a provider rightly has no block at a height.
type gap struct {
	rule
	err error
}

// gaps are the words and codes of each family for it.
var gaps = []gap{
	// Bitcoin Core, rpc/blockchain.cpp.
	{rule{kinds: []config.Kind{config.Bitcoin}, texts: []string{"(pruned data)"}}, ErrPruned},
	// go-ethereum, core/history/historymode.go.
	{rule{kinds: []config.Kind{config.EVM}, texts: []string{"pruned history unavailable"}}, ErrPruned},
	{rule{kinds: []config.Kind{config.EVM}, codes: []int64{4444}}, ErrPruned},
	// CometBFT, rpc/core/env.go: "height 5 is not available, lowest height is
	// 100"; the Cosmos REST API passes it on.
	{rule{kinds: []config.Kind{config.Cosmos}, texts: []string{"lowest height is", "is pruned", "has been pruned"}}, ErrPruned},
	// Agave, rpc-client-api/src/custom_error.rs: -32007 and -32009 are slots
	// that were skipped, -32001 a block that was cleaned up.
	{rule{kinds: []config.Kind{config.Solana}, codes: []int64{-32007, -32009}}, ErrSkipped},
	{rule{kinds: []config.Kind{config.Solana}, codes: []int64{-32001}}, ErrPruned},
	// Horizon: 410, a ledger before the oldest that it has ingested.
	{rule{types: []config.Type{config.HorizonREST}, texts: []string{"horizon-errors/before_history"}}, ErrPruned},
}

// gap turns the failure of a question for a block into ErrSkipped or ErrPruned,
// if that is what it says, and leaves every other error as it is. A failure that
// a vendor's own words explain is not looked at: -32007 is a rate limit at
// QuickNode, whatever the chain.
func (s *Session) gap(err error) error {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	switch f.Reason {
	case RPCError, HTTP4xx, HTTP5xx, Missing:
	default:
		return err
	}
	a := s.answer(response{status: f.Status}, f.Code, f.Text)
	for _, row := range gaps {
		if row.matches(a, strings.ToLower(f.Text)) {
			return s.answeredBy(row.err)
		}
	}
	return err
}

// answeredBy takes back that the last exchange failed: that there is no such
// block is an answer.
func (s *Session) answeredBy(err error) error {
	s.last().Reason = ""
	return err
}

// notOffered says whether an error means that the provider does not have a
// method or path at all.
func notOffered(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && (f.Reason == MethodUnsupported || (f.Reason == HTTP4xx && f.Status == http.StatusNotFound))
}
