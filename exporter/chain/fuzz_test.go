package chain

import (
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/understudy-rpc/understudy/internal/config"
)

// fuzzAnswers feeds arbitrary bytes to every question of a dialect: one body as
// the first answer of each question, another one as all that follow. "$id" in
// them stands for the right id, so that not everything ends there. Whatever
// comes, the outcome is an answer in its normal form or a classified error. The
// seeds are the bodies in testdata/TYPE.
func fuzzAnswers(f *testing.F, kind config.Kind, typ config.Type, isHash func(string) bool, capabilities ...string) {
	f.Helper()
	c, p := scriptedChain(f, kind, typ, capabilities...)
	s := newScripted(f, c, p, nil)
	for _, body := range seedBodies(f, typ) {
		f.Add(uint8(0), body, body)
	}
	for _, body := range badBodies {
		f.Add(uint8(1), body, body)
	}
	statuses := []int{http.StatusOK, http.StatusOK, http.StatusNotFound, http.StatusInternalServerError}
	f.Fuzz(func(t *testing.T, status uint8, first, later string) {
		s.unsupported.clear()
		s.asked = nil
		s.answer = func(question) given {
			a := given{Status: statuses[int(status)%len(statuses)], Body: first}
			if len(s.asked) > 1 {
				a.Body = later
			}
			return a
		}
		tip, block := s.askAll(t.Context(), Tip{}, func(what string, err error) {
			s.asked = nil
			requireClassified(t, what, err)
		})
		requireTip(t, tip, isHash)
		require.True(t, block.Hash == "" || isHash(block.Hash), "the hash of a block: %q", block.Hash)
		require.GreaterOrEqual(t, block.Transactions.Value.Count, 0)
		require.GreaterOrEqual(t, block.Transactions.Value.Missing, 0)
	})
}

// seedBodies are the bodies of the answers in testdata/TYPE.
func seedBodies(tb testing.TB, typ config.Type) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", string(typ), "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files, "no seeds for %s", typ)
	var bodies []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, a := range readAnswers(tb, string(typ)+"/"+name) {
			bodies = append(bodies, a.Body)
		}
	}
	slices.Sort(bodies)
	return slices.Compact(bodies)
}

// requireClassified asserts that a question ended in one of the ways in which
// it may.
func requireClassified(tb testing.TB, what string, err error) {
	tb.Helper()
	if err == nil || errors.Is(err, ErrPruned) || errors.Is(err, ErrSkipped) {
		return
	}
	f, ok := errors.AsType[*Failure](err)
	require.True(tb, ok, "%s: an error without a class: %v", what, err)
	require.Contains(tb, Reasons, f.Reason, what)
	require.NotEmpty(tb, f.Request, what)
	require.GreaterOrEqual(tb, f.Wait, time.Duration(0), what)
	require.LessOrEqual(tb, f.Wait, MaxWait, what)
}

// requireTip asserts that a tip is in its normal form. The zero Tip is.
func requireTip(tb testing.TB, tip Tip, isHash func(string) bool) {
	tb.Helper()
	require.LessOrEqual(tb, tip.Height, uint64(maxHeight))
	require.True(tb, tip.Hash == "" || isHash(tip.Hash), "the tip's hash: %q", tip.Hash)
	require.True(tb, tip.Parent == "" || isHash(tip.Parent), "the parent's hash: %q", tip.Parent)
	require.GreaterOrEqual(tb, tip.Hints.Peers.Value, 0)
	if !tip.Time.IsZero() {
		require.Equal(tb, time.UTC, tip.Time.Location())
	}
}

// isHexHash says whether a text is a hash of 32 bytes in its normal form.
func isHexHash(text string) bool {
	normal, ok := hexHash(text, 32)
	return ok && normal == text
}
